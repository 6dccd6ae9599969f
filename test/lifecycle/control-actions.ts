import { at, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { type Action, controlRef } from './action.ts';
import { withMetadata } from './clusters.ts';
import {
  bindingSpec,
  CLUSTERS,
  COLLECTORS,
  collectorSpec,
  invalidSpec,
  labels,
  POLICIES,
  policySpec,
} from './specs.ts';
import type { World } from './world.ts';

/** One of them has the name of a policy: it then stands in place of the policy's own. */
const BINDINGS = ['hand', 'p3'] as const;

/** A WEC in the inventory. */
function clusterRef(name: string): ObjectRef {
  const group = 'cluster.open-cluster-management.io';
  return { group, version: 'v1', resource: 'managedclusters', namespace: '', name };
}

async function setControl(
  world: World,
  ref: ObjectRef,
  object: { readonly kind: string; readonly spec: JsonObject },
): Promise<void> {
  const metadata = { name: ref.name };
  const made = { apiVersion: 'control.kubestellar.io/v1alpha1', metadata, ...object };
  await world.wds.set(ref, (standing) =>
    standing === undefined ? made : { ...standing, spec: object.spec },
  );
}

/** A BindingPolicy comes, or changes. */
export const setPolicy: Action = async (world, random) => {
  const ref = controlRef('bindingpolicies', random.pick(POLICIES));
  await setControl(world, ref, { kind: 'BindingPolicy', spec: policySpec(random) });
  return `set policy ${ref.name}`;
};

/** A BindingPolicy goes. */
export const deletePolicy: Action = async ({ wds }, random) => {
  const name = random.pick(POLICIES);
  await wds.remove(controlRef('bindingpolicies', name));
  return `delete policy ${name}`;
};

/** A BindingPolicy goes and comes again, with another uid. */
export const recreatePolicy: Action = async (world, random) => {
  const ref = controlRef('bindingpolicies', random.pick(POLICIES));
  await world.wds.remove(ref);
  await setControl(world, ref, { kind: 'BindingPolicy', spec: policySpec(random) });
  return `recreate policy ${ref.name}`;
};

/** A StatusCollector comes, or changes, also between valid and invalid. */
export const setCollector: Action = async (world, random) => {
  const name = random.pick(COLLECTORS);
  const spec = collectorSpec(name, random);
  await setControl(world, controlRef('statuscollectors', name), { kind: 'StatusCollector', spec });
  return `set collector ${name} ${JSON.stringify(spec)}`;
};

/** A StatusCollector that stands there becomes invalid. */
export const spoilCollector: Action = async ({ wds }, random) => {
  const name = random.pick(COLLECTORS);
  const spec = invalidSpec(random);
  await wds.edit(controlRef('statuscollectors', name), (standing) => ({ ...standing, spec }));
  return `spoil collector ${name}`;
};

/** A StatusCollector goes. */
export const deleteCollector: Action = async ({ wds }, random) => {
  const name = random.pick(COLLECTORS);
  await wds.remove(controlRef('statuscollectors', name));
  return `delete collector ${name}`;
};

function isOfPolicy(binding: JsonObject): boolean {
  return JSON.stringify(at(binding, 'metadata', 'ownerReferences') ?? []).includes('BindingPolicy');
}

/** A Binding that somebody wrote by hand comes, or changes. */
export const setBinding: Action = async (world, random) => {
  const ref = controlRef('bindings', random.pick(BINDINGS));
  const spec = bindingSpec(random);
  const standing = await world.wds.api.get(ref);
  if (standing !== undefined && isOfPolicy(standing)) return `leave binding ${ref.name}`;
  await setControl(world, ref, { kind: 'Binding', spec });
  return `set binding ${ref.name}`;
};

/** A Binding goes; a policy's own has to come again. */
export const deleteBinding: Action = async ({ wds }, random) => {
  const name = random.pick([...BINDINGS, ...POLICIES]);
  await wds.remove(controlRef('bindings', name));
  return `delete binding ${name}`;
};

async function setNamedCluster(
  { inventory }: World,
  name: string,
  wanted: JsonObject,
): Promise<string> {
  await inventory.set(clusterRef(name), (standing) =>
    standing === undefined
      ? {
          apiVersion: 'cluster.open-cluster-management.io/v1',
          kind: 'ManagedCluster',
          metadata: { name, labels: wanted },
          spec: {},
        }
      : withMetadata(standing, { labels: wanted }),
  );
  return `set cluster ${name} ${JSON.stringify(wanted)}`;
}

/** A ManagedCluster comes, or has other labels. */
export const setCluster: Action = (world, random) =>
  setNamedCluster(world, random.pick(CLUSTERS), labels(random));

/** Three of four ManagedClusters come, the first one among them. */
export const beginInventory: Action = async (world, random) => {
  for (const name of CLUSTERS.slice(0, 3)) await setNamedCluster(world, name, labels(random));
  return 'begin an inventory';
};

/** Never the first one: the command takes an empty inventory for one that is not known. */
export const deleteCluster: Action = async ({ inventory }, random) => {
  const name = random.pick(CLUSTERS.slice(1));
  await inventory.remove(clusterRef(name));
  return `delete cluster ${name}`;
};
