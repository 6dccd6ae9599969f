/** WECs without Open Cluster Management: one whose objects carry a label, and one of which some resources are told. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { apply, type Cluster, clusters, read, remove, setStatus } from './clusters.ts';
import { edit, eventually, inWds } from './controls.ts';
import { type CustomKind, define, instance } from './custom-resources.ts';
import { InstallationScenario } from './installation-scenario.ts';
import { type Installation, startInstallation, WDS } from './installation-world.ts';
import type { ProgramChild } from './program-child.ts';
import { eventuallyReady, eventuallySays } from './program-world.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment, job, type Manifest } from './workloads.ts';

const { wec1, wec2, wds } = clusters();
const LABEL = 'app.kubernetes.io/part-of';
const boiler: CustomKind = { kind: 'Boiler', scope: 'Namespaced', statusSubresource: true };
const boilers: ObjectRef = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  namespace: '',
  name: 'boilers.others.starfold.dev',
};

function hasLabel(object: JsonObject): boolean {
  return at(object, 'metadata', 'labels', LABEL) === 'shop';
}

function labelled({ ref, object }: Manifest): Manifest {
  const labels = { ...Object(at(object, 'metadata', 'labels')), [LABEL]: 'shop' };
  return { ref, object: { ...object, metadata: { ...Object(object['metadata']), labels } } };
}

const scenario = new InstallationScenario({
  name: 'bare',
  destinations: ['bare1', 'bare2'],
  wecs: [
    { wec: 'bare1', cluster: wec1, isFromWds: hasLabel },
    { wec: 'bare2', cluster: wec2, isFromWds: ({ kind }) => kind !== 'Job' },
  ],
});
const web = labelled(deployment(scenario.place('web')));
let installation: Installation;
let byLabel: ProgramChild;
let byResource: ProgramChild;

beforeAll(async () => {
  await scenario.begin();
  installation = await startInstallation({
    sources: ['wec/bare1', 'wec/bare2'],
    ownKinds: ['boilers.others.starfold.dev'],
  });
  const install = (name: string, cluster: Cluster, select: JsonObject) => {
    const source = { type: 'wec', name, wds: WDS, select };
    const values = { source, batchMilliseconds: 0 };
    return installation.install(`wec/${name}`, { cluster, values });
  };
  byLabel = await install('bare1', wec1, { labelSelector: `${LABEL}=shop` });
  const resources = ['deployments.apps/v1', 'boilers.others.starfold.dev/v1'];
  byResource = await install('bare2', wec2, { resources });
  await eventuallyReady(installation.ofWds);
  await eventuallySays(byLabel, '/readyz?verbose', /\[\+\]deployments.apps\/v1: watching/);
});
afterAll(async () => {
  await scenario.end();
  await installation.dispose();
});

describe('bare clusters', () => {
  it('tell of objects with a label, and of whole resources', async () => {
    await scenario.bound([web]);
    for (const cluster of [wec1, wec2]) {
      await apply(cluster, web.ref, web.object);
      await setStatus(cluster, web.ref, rolledOut(1, 3, minute(1)));
    }
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);
    await scenario.settled();
  });

  it('do not tell of what has another label, or is of another resource', async () => {
    const nightly = labelled(job(scenario.place('nightly')));
    const other = deployment(scenario.place('other'));
    await scenario.bound([nightly, other]);
    for (const cluster of [wec1, wec2])
      for (const { ref, object } of [nightly, other]) await apply(cluster, ref, object);
    await setStatus(wec1, other.ref, rolledOut(1, 1, minute(2)));
    await setStatus(wec2, other.ref, rolledOut(1, 2, minute(2)));
    // Of the same watches, and later.
    for (const cluster of [wec1, wec2])
      await setStatus(cluster, web.ref, rolledOut(1, 5, minute(3)));
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 5);
    await scenario.settled();
  });

  it('tell of a kind that is defined while they run', async () => {
    for (const cluster of [wds, wec1, wec2]) await define(cluster, boiler);
    const one = labelled(instance(boiler, scenario.place('one')));
    await scenario.bound([one], boilers);
    for (const cluster of [wec1, wec2]) {
      await apply(cluster, one.ref, one.object);
      await setStatus(cluster, one.ref, { pressure: 7 });
    }
    await eventually(inWds(one.ref, 'status', 'pressure'), 7);
    await scenario.settled();
  });

  it('lose an object with its label, or when it is deleted', async () => {
    await edit(wec1, web.ref, { metadata: { labels: { [LABEL]: null } } });
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), undefined);
    await scenario.settled();
    await edit(wec1, web.ref, { metadata: { labels: { [LABEL]: 'shop' } } });
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 5);
    await remove(wec2, web.ref);
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), undefined);
    expect(await read(wec1, web.ref)).toBeDefined();
    await scenario.settled();
  });

  it('are ready, by label after some time: what may not be read counts as empty then', async () => {
    // The definition of a resource that is named may come later than the forwarder.
    await eventuallyReady(byResource);
    await vi.waitFor(
      async () => expect(await byLabel.ask('/readyz')).toEqual({ status: 200, text: 'ok\n' }),
      { timeout: 170_000, interval: 500 },
    );
    const { text } = await byLabel.ask('/readyz?verbose');
    expect(text).toMatch(/\[\+\]boilers.others.starfold.dev\/v1: watching/);
    const leftOut = /\[\+\]limitranges\/v1: left out.*cannot list resource "limitranges"/;
    expect(text).toMatch(leftOut);
    await scenario.settled();
  }, 180_000);
});
