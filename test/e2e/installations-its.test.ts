/**
 * KubeStellar with its status add-on: one forwarder for the ITS, and nothing of Starfold in the WECs. An API server of this
 * run that is no WEC here is the ITS.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  clusters,
  createNamespace,
  JSON_PATCH,
  pathOf,
  remove,
  requestOk,
  setStatus,
} from './clusters.ts';
import { clear, combinedStatusRef, eventually, inWds, resultOf } from './controls.ts';
import { InstallationScenario } from './installation-scenario.ts';
import { type Installation, startInstallation, WDS } from './installation-world.ts';
import {
  defineInventory,
  reportWork,
  setAvailable,
  workStatusRef,
} from './open-cluster-management.ts';
import { MANAGED_CLUSTERS, WORK_STATUSES } from './open-cluster-management-kinds.ts';
import type { ProgramChild } from './program-child.ts';
import { eventuallyReady } from './program-world.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment } from './workloads.ts';

const WECS = ['cluster1', 'cluster2'];
const LONG_AGO = '2026-01-01T00:00:00Z';
const WORK = '3b1f5c1e-6f0e-4d2c-9a55-0d6f5a1c2e01';
const WORK_OF_WDS2 = '3b1f5c1e-6f0e-4d2c-9a55-0d6f5a1c2e02';
const name = 'its-scenario';
const { wec1: its } = clusters();
const scenario = new InstallationScenario({
  name,
  destinations: WECS,
  wecs: [],
  its: { cluster: its, resources: [WORK_STATUSES, MANAGED_CLUSTERS] },
  columns: [
    { name: 'stale', def: 'propagation.stale' },
    { name: 'updated', def: 'propagation.lastReturnedUpdateTimestamp' },
  ],
});
const web = deployment(scenario.place('web'));
const readyReplicas = inWds(web.ref, 'status', 'readyReplicas');
let installation: Installation;
let program: ProgramChild;

function inIts(wec: string, work = WORK): ObjectRef {
  return workStatusRef(web, { wec, work });
}

/** Makes the add-on report a status. */
async function report(wec: string, replicas: number): Promise<void> {
  await setStatus(its, inIts(wec), rolledOut(1, replicas, minute(replicas)));
}

/** What the CombinedStatus says of a WEC. */
async function rowOf(wec: string): Promise<readonly (JsonValue | undefined)[]> {
  const result = await resultOf(await combinedStatusRef(web.ref, name), name)();
  const rows = at(result, 'rows');
  const all = (isArray(rows) ? rows : []).map((row) => at(row, 'columns'));
  const columns = all.find((one) => isArray(one) && at(one[0], 'string') === wec);
  return isArray(columns) ? columns : [];
}

async function staleness(wec: string): Promise<JsonValue | undefined> {
  return at((await rowOf(wec))[2], 'bool');
}

beforeAll(async () => {
  await defineInventory(its);
  for (const wec of WECS) {
    await createNamespace(its, wec);
    await setAvailable(its, wec, { status: 'True', since: LONG_AGO });
  }
  await scenario.begin();
  installation = await startInstallation({
    sources: ['wec/*'],
    silence: { sweepMs: 500, limitMs: 6_000 },
  });
  program = await installation.install('wec/*', {
    cluster: its,
    values: {
      source: { type: 'its', name: 'its1' },
      batchMilliseconds: 0,
      heartbeatSeconds: 1,
    },
  });
  await eventuallyReady(program);
  await eventuallyReady(installation.ofWds);
});
afterAll(async () => {
  await scenario.end();
  await clear(its, [
    ...WECS.map((wec) => inIts(wec)),
    inIts('cluster1', WORK_OF_WDS2),
    ...WECS.map((wec) => ({ ...MANAGED_CLUSTERS, namespace: '', name: wec })),
  ]);
  await installation.dispose();
});

describe('the WorkStatuses of an ITS', () => {
  it('bring the statuses of all WECs and a CombinedStatus to the WDS', async () => {
    await scenario.bound([web]);
    for (const wec of WECS) {
      await reportWork(its, web, { wec, wds: WDS, binding: name, work: WORK });
      await report(wec, 3);
    }
    await eventually(readyReplicas, 3);
    await scenario.settled();
    await report('cluster2', 2);
    await eventually(readyReplicas, 2);
    await scenario.settled();
  });

  it('are taken for this WDS only if they come from it', async () => {
    const origin = { wec: 'cluster1', wds: 'wds2', binding: name, work: WORK_OF_WDS2 };
    await reportWork(its, web, origin);
    await setStatus(its, inIts('cluster1', WORK_OF_WDS2), rolledOut(1, 1, minute(1)));
    // Of the same watch, and later.
    await report('cluster2', 3);
    await eventually(readyReplicas, 3);
    await scenario.settled();
  });

  it('bring it home that a status has gone', async () => {
    await requestOk(its, {
      method: 'PATCH',
      path: `${pathOf(inIts('cluster1'))}/status`,
      body: [{ op: 'remove', path: '/status' }],
      type: JSON_PATCH,
    });
    // None are ready where nothing is said, and Kubernetes leaves out zeros.
    await eventually(readyReplicas, undefined);
    await scenario.settled();
    await report('cluster1', 4);
    await eventually(readyReplicas, 3);
    await scenario.settled();
  });

  it('bring it home that an object has gone from a WEC', async () => {
    await remove(its, inIts('cluster2'));
    await eventually(readyReplicas, undefined);
    await scenario.settled();
    await reportWork(its, web, { wec: 'cluster2', wds: WDS, binding: name, work: WORK });
    await report('cluster2', 3);
    await eventually(readyReplicas, 3);
    await scenario.settled();
  });

  it('are stale where the hub does not hear of the WEC, after the limit', async () => {
    await eventually(() => staleness('cluster2'), false);
    await setAvailable(its, 'cluster2', { status: 'Unknown', since: LONG_AGO });
    await eventually(() => staleness('cluster2'), true);
    expect(await staleness('cluster1')).toBe(false);
    await scenario.settled();
    await setAvailable(its, 'cluster2', { status: 'True', since: LONG_AGO });
    await eventually(() => staleness('cluster2'), false);
    await scenario.settled();
  });

  it('need no right that is not in the chart', async () => {
    const { text } = await program.ask('/readyz?verbose');
    expect(text).toContain('[+]workstatuses.control.kubestellar.io/v1alpha1: watching');
    expect(text).toContain('[+]managedclusters.cluster.open-cluster-management.io/v1: watching');
    expect(text).not.toContain('notice');
  });
});
