/** Without KubeStellar: the process of the chart's pod makes the Bindings, with the roles that the chart gives it for that. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import { apply, clusters, createNamespace, read, remove, setStatus } from './clusters.ts';
import { clear, controlRef, eventually, inWds } from './controls.ts';
import { minute, rolledOut } from './rollout.ts';
import { starfoldObjects } from './starfold-chart-objects.ts';
import { createStarfoldWorld, type StarfoldWorld, WEC } from './starfold-world.ts';
import { deployment } from './workloads.ts';

const { wds, wec1 } = clusters();
const namespace = 'starfold-chart-resolving';
const web = deployment({ namespace, name: 'web' });
const policy = controlRef('bindingpolicies', namespace);
const binding = controlRef('bindings', namespace);
let world: StarfoldWorld;

async function applyPolicy(objectNames: readonly string[]): Promise<void> {
  const chosen = { apiGroup: 'apps', resources: ['deployments'], namespaces: [namespace] };
  await apply(wds, policy, {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: policy.name },
    spec: {
      clusterSelectors: [{ matchLabels: {} }],
      downsync: [{ ...chosen, objectNames: [...objectNames], wantMultiWECReportedState: true }],
    },
  });
}

/** The names of the objects of the Binding, or undefined without a Binding. */
async function bound(): Promise<readonly unknown[] | undefined> {
  const object = await read(wds, binding);
  const entries = at(object, 'spec', 'workload', 'namespaceScope') ?? [];
  return object && (entries as JsonObject[]).map(({ name }) => name);
}

beforeAll(async () => {
  for (const cluster of [wds, wec1]) {
    await createNamespace(cluster, namespace);
    await apply(cluster, web.ref, web.object);
  }
  world = await createStarfoldWorld(namespace, await starfoldObjects('resolving'));
});
afterAll(async () => {
  await world.dispose();
  await clear(wds, [policy, binding, web.ref]);
  await clear(wec1, [web.ref]);
});

it('a BindingPolicy becomes a Binding, which follows it, by which a status comes, and which goes with it', async () => {
  await setStatus(wec1, web.ref, rolledOut(1, 2, minute(1)));
  const { program } = await world.start();
  await applyPolicy(['web']);
  await eventually(bound, ['web']);
  expect(at(await read(wds, binding), 'spec', 'destinations')).toEqual([{ clusterId: WEC }]);
  await eventually(inWds(web.ref, 'status', 'readyReplicas'), 2);
  await applyPolicy(['another']);
  await eventually(bound, []);
  await eventually(inWds(web.ref, 'status', 'readyReplicas'), undefined);
  await remove(wds, policy);
  await eventually(bound, undefined);
  expect(program.output()).not.toContain('forbidden');
});
