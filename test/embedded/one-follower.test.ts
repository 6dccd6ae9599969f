import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startStack } from '#local/stack/stack.ts';
import { Observation } from '#local/start/observation.ts';
import { sleep } from '#shared/concurrency.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { resourceName } from '#shared/core/resource-name.ts';
import type { ObjectApi, ObjectRef, Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import { Cluster } from '#test/lifecycle/clusters.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';
import { DEPLOYMENT, statusWith } from './objects.ts';

const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1' };
const BINDINGS: Resource = { ...CONTROL, resource: 'bindings' };
const POLICY: ObjectRef = { ...CONTROL, resource: 'bindingpolicies', namespace: '', name: 'all' };
const DEPLOYMENTS: Resource = { group: 'apps', version: 'v1', resource: 'deployments' };
const WEB: ObjectRef = { ...DEPLOYMENTS, namespace: 'default', name: 'web' };

function policy(): JsonObject {
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: POLICY.name },
    spec: {
      clusterSelectors: [{}],
      downsync: [{ resources: ['deployments'], wantMultiWECReportedState: true }],
    },
  };
}

/** The API of a cluster, with all lists and the watches that are open counted by resource. */
function counted(api: ObjectApi & ResourceApi) {
  const lists = new Map<string, number>();
  const open = new Map<string, number>();
  const count = (counts: Map<string, number>, resource: Resource, difference: number): void => {
    const name = resourceName(resource);
    counts.set(name, (counts.get(name) ?? 0) + difference);
  };
  const counting: ObjectApi & ResourceApi = {
    ...api,
    list: (resource, selection, signal) => {
      count(lists, resource, 1);
      return api.list(resource, selection, signal);
    },
    watch: async (resource, options, signal) => {
      count(open, resource, 1);
      try {
        await api.watch(resource, options, signal);
      } finally {
        count(open, resource, -1);
      }
    },
  };
  return { api: counting, lists, open };
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

/** A WDS, a WEC, and everything that follows the WDS in one process. */
async function world() {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-follower-'));
  const [wds, wec] = await Promise.all([Cluster.start('wds1'), Cluster.start('wec1')]);
  const { api, lists, open } = counted(wds.stackApi);
  const stack = await startStack({
    file: join(folder, 'state.sqlite'),
    wds: { name: 'wds1', api },
    wecs: [{ name: 'wec1', api: wec.stackApi }],
    resolveBindings: {},
    observability: createObservedOutput().observability,
    writer: { identity: 'follower', runsAs: 'test' },
  });
  if (stack.wdsReads === undefined) throw new Error('the stack has a WDS');
  const observation = new Observation({
    wds: { name: 'wds1', api: stack.wdsReads },
    wecs: [],
    selection: {},
    sleep,
    random: () => 0.5,
    clock: () => new Date(),
    onChange: () => undefined,
    onSight: () => undefined,
  });
  return {
    ...{ wds, wec, lists, open, observation },
    async [Symbol.asyncDispose]() {
      await observation.stop();
      await stack.stop();
      expect([...open.values()].filter((count) => count > 0)).toEqual([]);
      await Promise.all([wds.close(), wec.close()]);
      rmSync(folder, { recursive: true });
    },
  };
}

test('the forwarder, the resolver, the WECs and the terminal follow the WDS with one list and one watch of each resource', async () => {
  await using running = await world();
  const { wds, wec, lists, open, observation } = running;
  const metadata = { name: WEB.name, namespace: WEB.namespace };
  await wds.set(WEB, () => ({ ...DEPLOYMENT, metadata }));
  await wec.set(WEB, () => ({ ...DEPLOYMENT, metadata, status: statusWith(1) }));
  await wds.set(POLICY, policy);
  // The resolver has made a Binding, the forwarders have told what it names, and the terminal sees the status.
  await until(() => {
    const web = observation.objects('wds1', DEPLOYMENTS).get('default/web');
    return at(web, 'status', 'availableReplicas') === 1;
  });
  expect([...observation.objects('wds1', BINDINGS).keys()]).toEqual(['/all']);
  const each = (counts: ReadonlyMap<string, number>) => Object.fromEntries([...counts].sort());
  const once = {
    'bindingpolicies.control.kubestellar.io/v1alpha1': 1,
    'bindings.control.kubestellar.io/v1alpha1': 1,
    'combinedstatuses.control.kubestellar.io/v1alpha1': 1,
    'deployments.apps/v1': 1,
    'namespaces/v1': 1,
    'statuscollectors.control.kubestellar.io/v1alpha1': 1,
  };
  expect(each(open)).toMatchObject(once);
  // Resources that the WDS does not serve are asked for again and again, by each who needs them.
  const { 'managedclusters.cluster.open-cluster-management.io/v1': _absent, ...listed } =
    each(lists);
  expect(listed).toEqual(once);
});
