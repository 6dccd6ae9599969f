import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { at, isArray, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  apply,
  clusters,
  collectionPath,
  createNamespace,
  read,
  remove,
  request,
  requestOk,
  setStatus,
} from './clusters.ts';
import { clear, collect, controlRef, edit, eventually, inWds, resultOf } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { type StackChild, startStackChild } from './stack-child.ts';
import { configMap, deployment, job } from './workloads.ts';

const namespace = 'policies';
const { wds, wec1, wec2 } = clusters();
/** A real API server that also keeps the ManagedClusters. */
const inventory = wec2;
const web = deployment({ namespace, name: 'web' });
const others = [
  deployment({ namespace, name: 'other' }),
  configMap({ namespace, name: 'settings' }),
  job({ namespace, name: 'nightly' }),
];
const policy = controlRef('bindingpolicies', 'policies');
const binding = controlRef('bindings', 'policies');
const status = inWds(web.ref, 'status');
let stack: StackChild;

function clusterRef(name: string): ObjectRef {
  const group = 'cluster.open-cluster-management.io';
  return { group, version: 'v1', resource: 'managedclusters', namespace: '', name };
}

async function createManagedClusters(): Promise<void> {
  const file = new URL('../fixtures/managedclusters.yaml', import.meta.url);
  const crd: JsonObject = parse(readFileSync(file, 'utf8'));
  const ref = { group: 'apiextensions.k8s.io', version: 'v1', namespace: '' };
  const name = String(at(crd, 'metadata', 'name'));
  await apply(inventory, { ...ref, resource: 'customresourcedefinitions', name }, crd);
  await vi.waitFor(
    async () => {
      const path = collectionPath(clusterRef(''));
      expect(await request(inventory, { method: 'GET', path })).toMatchObject({ status: 200 });
    },
    { timeout: 20_000, interval: 50 },
  );
  for (const cluster of ['wec1', 'wec2'])
    await apply(inventory, clusterRef(cluster), {
      apiVersion: 'cluster.open-cluster-management.io/v1',
      kind: 'ManagedCluster',
      metadata: { name: cluster, labels: { tier: 'edge' } },
      spec: {},
    });
}

async function applyPolicy(ref: ObjectRef, spec: JsonObject): Promise<void> {
  const apiVersion = 'control.kubestellar.io/v1alpha1';
  await apply(wds, ref, { apiVersion, kind: 'BindingPolicy', metadata: { name: ref.name }, spec });
}

function label(ref: ObjectRef, labels: JsonObject): Promise<JsonObject> {
  return edit(wds, ref, { metadata: { labels } });
}

const namespaceRef = {
  ...{ group: '', version: 'v1', resource: 'namespaces', namespace: '' },
  name: namespace,
};

/** WECs, and objects of this test's namespace, that a Binding names. */
function names(name: string) {
  return async (): Promise<JsonObject | undefined> => {
    const object = await read(wds, controlRef('bindings', name));
    if (object === undefined) return undefined;
    const list = (...path: readonly string[]) => {
      const entries = at(object, 'spec', ...path);
      return isArray(entries) ? entries : [];
    };
    return {
      wecs: list('destinations').map((entry) => at(entry, 'clusterId') ?? null),
      objects: list('workload', 'namespaceScope')
        .filter((entry) => at(entry, 'namespace') === namespace)
        .map((entry) => `${String(at(entry, 'resource'))}/${String(at(entry, 'name'))}`)
        .sort(),
    };
  };
}

const BOTH = { wecs: ['wec1', 'wec2'], objects: ['deployments/web'] };
const NOTHING = { wecs: ['wec1', 'wec2'], objects: [] };
/** The aggregate of both: the WDS's generation, and the newest time. */
const AGGREGATE = { ...rolledOut(1, 3, minute(2)), availableReplicas: 1, readyReplicas: 1 };

beforeAll(async () => {
  for (const cluster of [wds, wec1, wec2]) await createNamespace(cluster, namespace);
  await label(namespaceRef, { stage: 'live' });
  for (const { ref, object } of [web, ...others]) await apply(wds, ref, object);
  for (const cluster of [wec1, wec2]) await apply(cluster, web.ref, web.object);
  await createManagedClusters();
  stack = await startStackChild({ inventory: inventory.name });
});
afterAll(async () => {
  // First of all the resolver ends: it would make a Binding again.
  await stack.dispose();
  // Policies here mean all that there is, and a Binding that stays would be every later test's.
  for (const ref of [policy, binding])
    await requestOk(wds, { method: 'DELETE', path: collectionPath(ref) });
  await clear(
    wds,
    [web, ...others].map(({ ref }) => ref),
  );
});

describe('a BindingPolicy', () => {
  let slot: ObjectRef;

  it('becomes a Binding, and statuses come back by it', async () => {
    await collect('policies', {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'ready', def: 'returned.status.readyReplicas' },
      ],
    });
    await applyPolicy(policy, {
      clusterSelectors: [{ matchLabels: { tier: 'edge' } }],
      downsync: [
        {
          apiGroup: 'apps',
          resources: ['deployments'],
          namespaces: [namespace],
          namespaceSelectors: [{ matchLabels: { stage: 'live' } }],
          objectSelectors: [{ matchLabels: { app: 'web' } }],
          objectNames: ['web', 'more'],
          wantMultiWECReportedState: true,
          statusCollectors: ['policies'],
        },
      ],
    });
    await eventually(names('policies'), BOTH);
    const uidOf = async (ref: ObjectRef) => String(at(await read(wds, ref), 'metadata', 'uid'));
    const name = `${await uidOf(web.ref)}.${await uidOf(policy)}`;
    slot = controlRef('combinedstatuses', name, namespace);
    await setStatus(wec1, web.ref, rolledOut(1, 3, minute(1)));
    await setStatus(wec2, web.ref, {
      ...rolledOut(1, 3, minute(2)),
      readyReplicas: 1,
      availableReplicas: 1,
    });
    await eventually(status, AGGREGATE);
    const row = (wec: string, ready: string) => ({
      columns: [
        { type: 'String', string: wec },
        { type: 'Number', float: ready },
      ],
    });
    await eventually(resultOf(slot, 'policies'), {
      name: 'policies',
      columnNames: ['wec', 'ready'],
      rows: [row('wec1', '3'), row('wec2', '1')],
    });
  });

  it('has one Binding for all statuses: none of them changes it', async () => {
    const generation = inWds(binding, 'metadata', 'generation');
    expect(await generation()).toBe(1);
    for (const ready of [2, 3, 1]) {
      const counts = { readyReplicas: ready, availableReplicas: ready };
      await setStatus(wec2, web.ref, { ...rolledOut(1, 3, minute(2)), ...counts });
      await eventually(inWds(web.ref, 'status', 'readyReplicas'), ready);
    }
    expect(await generation()).toBe(1);
  });

  it('loses an object with a label of the object, and has it back with the label', async () => {
    await label(web.ref, { app: 'changed' });
    await eventually(names('policies'), NOTHING);
    await eventually(status, {});
    await eventually(() => read(wds, slot), undefined);
    await label(web.ref, { app: 'web' });
    await eventually(names('policies'), BOTH);
    await eventually(status, AGGREGATE);
  });

  it('loses an object with a label of its Namespace, and has it back with the label', async () => {
    await label(namespaceRef, { stage: 'test' });
    await eventually(names('policies'), NOTHING);
    await eventually(status, {});
    await label(namespaceRef, { stage: 'live' });
    await eventually(names('policies'), BOTH);
    await eventually(status, AGGREGATE);
  });

  it('loses a WEC with a label of its ManagedCluster, and has it back with the label', async () => {
    const relabel = (tier: string | null) =>
      edit(inventory, clusterRef('wec2'), { metadata: { labels: { tier } } });
    await relabel(null);
    await eventually(names('policies'), { ...BOTH, wecs: ['wec1'] });
    await eventually(status, rolledOut(1, 3, minute(1)));
    await relabel('edge');
    await eventually(names('policies'), BOTH);
    await eventually(status, AGGREGATE);
  });

  it('has its Binding repaired after an edit', async () => {
    await edit(wds, binding, { spec: { destinations: [{ clusterId: 'mine' }] } });
    await eventually(names('policies'), BOTH);
    await remove(wds, binding);
    await eventually(names('policies'), BOTH);
    await eventually(status, AGGREGATE);
  });

  it('takes all that it has brought along when it goes', async () => {
    await eventually(async () => (await read(wds, slot)) !== undefined, true);
    await remove(wds, policy);
    await eventually(() => read(wds, binding), undefined);
    await eventually(() => read(wds, slot), undefined);
    await eventually(status, {});
    await eventually(inWds(web.ref, 'metadata', 'labels'), { app: 'web' });
  });
});

describe('each test of a clause alone', () => {
  const ALL = ['configmaps/settings', 'deployments/other', 'deployments/web', 'jobs/nightly'];

  it.each<[string, JsonObject, readonly string[]]>([
    ['apiGroup', { apiGroup: 'batch' }, ['jobs/nightly']],
    ['resources', { resources: ['configmaps'] }, ['configmaps/settings']],
    ['namespaces', { namespaces: [namespace] }, ALL],
    ['namespaceSelectors', { namespaceSelectors: [{ matchLabels: { stage: 'live' } }] }, ALL],
    [
      'objectSelectors',
      { objectSelectors: [{ matchLabels: { app: 'other' } }] },
      ['deployments/other'],
    ],
    ['objectNames', { objectNames: ['nightly', 'web'] }, ['deployments/web', 'jobs/nightly']],
  ])('%s chooses among the objects of all kinds that are served', async (test, clause, objects) => {
    const name = `policies-${test.toLowerCase()}`;
    const ref = controlRef('bindingpolicies', name);
    await applyPolicy(ref, { clusterSelectors: [], downsync: [clause] });
    await eventually(names(name), { wecs: [], objects });
    await remove(wds, ref);
    await eventually(() => read(wds, controlRef('bindings', name)), undefined);
  });
});
