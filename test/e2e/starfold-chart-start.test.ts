/**
 * A pod needs a kubelet, which does not run here. So the process of the chart's pod runs on this machine, with what the chart gives
 * it: arguments, environment, files, the account and its roles. It works with a real API server as the WDS, and with the forwarder of
 * a WEC, which is configured by its own chart.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { at, parseJson } from '#shared/core/json.ts';
import { WRITER_LEASE } from '#shared/doctor/writer-mark.ts';
import {
  accessAmong,
  applyObjects,
  type Grant,
  grantAccess,
  kubeconfigOfAccount,
  refusalOf,
  withoutGrant,
} from './accounts.ts';
import { apply, clusters, createNamespace, kubectl, setStatus } from './clusters.ts';
import { bind, clear, controlRef, eventually, inWds } from './controls.ts';
import { killPrograms } from './program-child.ts';
import { clientOf, grantRoles } from './roles-program.ts';
import { minute, rolledOut } from './rollout.ts';
import { STARFOLD, starfoldObjects } from './starfold-chart-objects.ts';
import { createStarfoldWorld, type StarfoldWorld, WEC } from './starfold-world.ts';
import { deployment } from './workloads.ts';

const { wds, wec1 } = clusters();
const namespace = 'starfold-chart-start';
const PATIENCE = { timeout: 120_000, interval: 50 };
const web = deployment({ namespace, name: 'web' });
const objects = await starfoldObjects('secret');
const access = accessAmong(objects);
let world: StarfoldWorld;

/** Makes the WEC say that so many replicas are ready. */
async function report(replicas: number): Promise<void> {
  await setStatus(wec1, web.ref, rolledOut(1, replicas, minute(1)));
}

/** A token of a user who may do everything in the WDS. */
async function administratorToken(): Promise<string> {
  const account = { namespace, name: 'administrator' };
  const rbac = 'rbac.authorization.k8s.io';
  await applyObjects(wds, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: namespace },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ]);
  return parse(await kubeconfigOfAccount(wds, account, 'administrator')).users[0].user.token;
}

beforeAll(async () => {
  for (const cluster of [wds, wec1]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, web.ref, web.object);
  }
  world = await createStarfoldWorld(namespace, objects);
  await bind({
    name: namespace,
    destinations: [WEC],
    objects: [[web.ref, { wantMultiWECReportedState: true }]],
  });
});
afterEach(() => world.clear());
afterAll(async () => {
  await world.dispose();
  await clear(wds, [controlRef('bindings', namespace), web.ref]);
  await clear(wec1, [web.ref]);
});

describe('the pod of the chart', () => {
  it('brings what a WEC reports into the WDS, and serves its probes, the API and the metrics', async () => {
    await report(2);
    const { pod, program } = await world.start();
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 2);
    await report(3);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);

    for (const name of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      const { scheme, port, path } = pod.probe(name);
      expect(scheme).toBe('HTTPS');
      expect(await program.ask(port, path)).toEqual({ status: 200, text: 'ok\n' });
    }

    const path = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`;
    expect((await program.ask('api', path)).status).toBe(401);
    const listed = await program.ask('api', path, await administratorToken());
    expect(at(parseJson(listed.text), 'items')).toHaveLength(1);

    const metrics = await fetch(await program.url('metrics'));
    expect(await metrics.text()).toContain('starfold_workloads{wds="wds1"');
    expect(await program.stop()).toBe(0);
    expect(program.output()).not.toMatch(/cannot|forbidden/);
  });

  it('is the same installation after a restart, with what it has on its volume', async () => {
    await report(1);
    const { pod, program } = await world.start();
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 1);
    await killPrograms();
    await program.stop();
    const again = await world.start(pod);
    await report(3);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);
    expect(again.program.output()).not.toContain('takeover');
  });
});

describe('the API of the chart', () => {
  it('knows its users by the bindings of the chart, and nobody without them', async () => {
    const token = await administratorToken();
    const path = `/apis/status.starfold.dev/v1alpha1/namespaces/${namespace}/wecstatuses`;
    const { program } = await world.start();
    const own = access.filter(({ metadata }) => String(at(metadata, 'name')).endsWith('-api'));
    expect(own).toHaveLength(2);
    for (const { kind, metadata } of own)
      await kubectl('wds', [
        ...['delete', String(kind), String(at(metadata, 'name'))],
        ...['-n', String(at(metadata, 'namespace') ?? 'default')],
      ]);
    const status = async (): Promise<number> => (await program.ask('api', path, token)).status;
    await eventually(status, 503);
    await grantAccess(wds, { account: STARFOLD, access });
    await eventually(status, 200);
  });
});

/** One grant for each part of the roles. */
const NEEDED: readonly Grant[] = [
  { group: 'apps', resource: 'deployments', verb: 'list' },
  { group: 'apps', resource: 'deployments/status', verb: 'patch' },
  { group: 'control.kubestellar.io', resource: 'bindings', verb: 'list' },
  { group: 'coordination.k8s.io', resource: 'leases', verb: 'create' },
];

describe('the roles of the chart', () => {
  it.each(NEEDED)('need $verb of $resource, which is named where it is missing', async (grant) => {
    const where = grant.resource === WRITER_LEASE.resource ? WRITER_LEASE : { namespace };
    const account = await clientOf(wds, STARFOLD);
    const asked = { cluster: wds, account, namespace: where.namespace };
    await grantRoles(asked, withoutGrant(access, grant), { ...grant, allowed: false });
    await report(2);
    const { pod, program } = await world.start();
    const log = (): Promise<string> =>
      readFile(join(pod.stateFolder, 'starfold', 'starfold.log'), 'utf8').catch(() => '');
    await vi.waitFor(async () => {
      const said = `${program.output()}${(await log()).replaceAll('\\"', '"')}`;
      expect(said).toContain(refusalOf(grant));
    }, PATIENCE);
    await grantRoles(asked, access, { ...grant, allowed: true });
  });
});
