/**
 * Objects that OCM's agent has applied in the WECs: those of KubeStellar, whose works tell the WDS by their names, and
 * those of plain OCM. Every process has exactly the rights that it is installed with.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import { apply, type Cluster, clusters, read, remove, setStatus } from './clusters.ts';
import { combinedStatusRef, eventually, inWds, resultOf } from './controls.ts';
import { type CustomKind, define, instance } from './custom-resources.ts';
import { InstallationScenario } from './installation-scenario.ts';
import { type Installation, startInstallation, WDS } from './installation-world.ts';
import {
  applyWork,
  defineWorks,
  isApplied,
  kubeStellarWork,
  workRef,
} from './open-cluster-management.ts';
import { eventuallyReady } from './program-world.ts';
import { minute, rolledOut } from './rollout.ts';
import { deployment, type Manifest, statefulSet } from './workloads.ts';

const { wec1, wec2, wds } = clusters();
const turbine: CustomKind = { kind: 'Turbine', scope: 'Namespaced', statusSubresource: true };
const kubeStellar = new InstallationScenario({
  name: 'works-kubestellar',
  destinations: ['ks1', 'ks2'],
  wecs: [
    { wec: 'ks1', cluster: wec1, isFromWds: isApplied },
    { wec: 'ks2', cluster: wec2, isFromWds: isApplied },
  ],
  columns: [{ name: 'updated', def: 'propagation.lastReturnedUpdateTimestamp' }],
});
const plain = new InstallationScenario({
  name: 'works-plain',
  destinations: ['ocm1', 'ocm2'],
  wecs: [
    { wec: 'ocm1', cluster: wec1 },
    { wec: 'ocm2', cluster: wec2 },
  ],
});
let installation: Installation;

beforeAll(async () => {
  await defineWorks(wec1);
  await defineWorks(wec2);
  await kubeStellar.begin();
  await plain.begin();
  installation = await startInstallation({
    sources: ['wec/ks1', 'wec/ks2', 'wec/ocm1', 'wec/ocm2'],
    ownKinds: ['turbines.others.starfold.dev'],
  });
});
afterAll(async () => {
  await kubeStellar.end();
  await plain.end();
  await installation.dispose();
});

function rolled(replicas: number): JsonObject {
  return rolledOut(1, replicas, minute(replicas));
}

describe('with the works of KubeStellar', () => {
  const web = deployment(kubeStellar.place('web'));
  /** The works, by object. */
  const works = new Map<string, string>();

  /** Binds an object and makes KubeStellar's transport and OCM's agent bring it to WECs. */
  async function deliver(manifest: Manifest, wecs: readonly Cluster[]): Promise<void> {
    const definition = manifest.ref.group === 'apps' ? undefined : definitionOf(manifest);
    const { binding, objects } = await kubeStellar.bound([manifest], definition);
    const work = kubeStellarWork(binding, WDS, objects[0] ?? {});
    works.set(manifest.ref.name, work);
    for (const wec of wecs) await applyWork(wec, work, [manifest]);
  }

  function definitionOf({ ref: { group, resource } }: Manifest) {
    const definitions = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
    return { ...definitions, version: 'v1', namespace: '', name: `${resource}.${group}` };
  }

  beforeAll(async () => {
    for (const [name, cluster] of [
      ['ks1', wec1],
      ['ks2', wec2],
    ] as const) {
      const select = { appliedManifestWorks: true };
      const source = { type: 'wec', name, select };
      const values = { source, batchMilliseconds: 0 };
      await eventuallyReady(await installation.install(`wec/${name}`, { cluster, values }));
    }
    await eventuallyReady(installation.ofWds);
  });

  it('brings the statuses of all WECs and a CombinedStatus to the WDS', async () => {
    await deliver(web, [wec1, wec2]);
    await setStatus(wec1, web.ref, rolled(3));
    await setStatus(wec2, web.ref, rolled(2));
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 2);
    await kubeStellar.settled();
    const result = resultOf(
      await combinedStatusRef(web.ref, 'works-kubestellar'),
      'works-kubestellar',
    );
    expect(at(await result(), 'rows')).toHaveLength(2);
  });

  it('never tells of an object that no work owns', async () => {
    const stray = deployment(kubeStellar.place('stray'));
    await deliver(stray, [wec2]);
    await apply(wec1, stray.ref, stray.object);
    await setStatus(wec1, stray.ref, rolled(1));
    await setStatus(wec2, stray.ref, rolled(3));
    // Of the same watch, and later.
    await setStatus(wec1, web.ref, rolled(4));
    await setStatus(wec2, web.ref, rolled(4));
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 4);
    await eventually(async () => at(await read(wec1, stray.ref), 'status', 'readyReplicas'), 1);
    await kubeStellar.settled();
  });

  it('follows a kind that is defined while it runs', async () => {
    for (const cluster of [wds, wec1, wec2]) await define(cluster, turbine);
    const one = instance(turbine, kubeStellar.place('one'));
    await deliver(one, [wec1, wec2]);
    await setStatus(wec1, one.ref, { phase: 'Spinning', speed: 4 });
    await setStatus(wec2, one.ref, { phase: 'Spinning', speed: 4 });
    await eventually(inWds(one.ref, 'status', 'phase'), 'Spinning');
    await kubeStellar.settled();
  });

  it('misses a WEC from which a work goes, and its objects with it', async () => {
    await remove(wec2, workRef(works.get('web') ?? ''));
    // No garbage collector runs there.
    await remove(wec2, web.ref);
    // None are ready in a WEC that does not have it, and Kubernetes leaves out zeros.
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), undefined);
    await kubeStellar.settled();
  });

  it('needs no right that it has not been given', async () => {
    // The stack's own forwarder of the WDS, which has the writer's account, may not list.
    expect(installation.log()).not.toMatch(/cannot (get|create|update|patch|delete) resource/);
    const { text } = await installation.ofWds.ask('/readyz?verbose');
    expect(text).not.toContain('forbidden');
  });
});

describe('with the works of plain OCM', () => {
  const web = deployment(plain.place('web'));
  const db = statefulSet(plain.place('db'));

  it('takes them for those of the configured WDS, several objects in one', async () => {
    for (const [name, cluster] of [
      ['ocm1', wec1],
      ['ocm2', wec2],
    ] as const) {
      const source = { type: 'wec', name, wds: WDS, select: { appliedManifestWorks: true } };
      const program = await installation.install(`wec/${name}`, { cluster, values: { source } });
      await eventuallyReady(program);
    }
    await plain.bound([web, db]);
    for (const cluster of [wec1, wec2]) {
      await applyWork(cluster, 'shop', [web, db]);
      await setStatus(cluster, web.ref, rolled(3));
    }
    const counts = { replicas: 3, readyReplicas: 3, updatedReplicas: 3, availableReplicas: 3 };
    const replaced = { ...counts, observedGeneration: 1, availableReplicas: 1 };
    await setStatus(wec1, db.ref, replaced);
    await setStatus(wec2, db.ref, { ...replaced, readyReplicas: 1 });
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), 3);
    await eventually(inWds(db.ref, 'status', 'readyReplicas'), 1);
    await plain.settled();
  });

  it('misses what is taken out of a work', async () => {
    await applyWork(wec1, 'shop', [db]);
    await remove(wec1, web.ref);
    // None are ready in a WEC that does not have it, and Kubernetes leaves out zeros.
    await eventually(inWds(web.ref, 'status', 'readyReplicas'), undefined);
    await plain.settled();
  });
});
