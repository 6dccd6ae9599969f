import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { type Action, CONTROL, controlRef, slotKey } from './action.ts';
import { withMetadata } from './clusters.ts';
import { SLOTS } from './kinds.ts';
import { bindingSpec, COLLECTORS, POLICIES } from './specs.ts';
import type { World } from './world.ts';

const REPORTS = 'kubestellar-report';
/** What a user writes into a status says so. */
export const USERS_STATUS = 'writtenByUser';

/** A user writes a status. */
export const tamperWithStatus: Action = async (world, random) => {
  const { ref, kind } = random.pick(SLOTS);
  const isWhole = random.chance(0.5);
  if (kind.status === undefined) return `no status of ${slotKey(ref)}`;
  await world.wds.edit(ref, (standing) => {
    const status = member(standing, 'status');
    const kept = isWhole || !isObject(status) ? {} : status;
    return { ...standing, status: { ...kept, [USERS_STATUS]: random.below(9) } };
  });
  return `tamper with status of ${slotKey(ref)}`;
};

const OWNED_LABELS: readonly JsonObject[] = [
  { 'managed-by.kubestellar.io/multiwecstatus': 'true' },
  { 'managed-by.kubestellar.io/singletonstatus': 'true' },
  { 'kubestellar.io/executing-count': '77' },
];

/** A user changes Starfold's labels. */
export const tamperWithLabels: Action = async (world, random) => {
  const { ref } = random.pick(SLOTS);
  const changes = random.chance(0.5) ? random.pick(OWNED_LABELS) : {};
  await world.wds.edit(ref, (standing) => {
    const standingLabels = at(standing, 'metadata', 'labels');
    const all = Object.entries(isObject(standingLabels) ? standingLabels : {});
    const kept = all.filter(([key]) => !key.includes('kubestellar.io/'));
    // What somebody makes up on an object that is not Starfold's is not looked for.
    if (kept.length === all.length) return standing;
    world.tampered.add(slotKey(ref));
    return withMetadata(standing, { labels: { ...Object.fromEntries(kept), ...changes } });
  });
  return `tamper with labels of ${slotKey(ref)}`;
};

async function combinedStatuses({ wds }: World): Promise<readonly ObjectRef[]> {
  const resource = { ...CONTROL, resource: 'combinedstatuses' };
  const { items } = await wds.api.list(resource, {});
  const refs = items.map(({ metadata }) => ({
    ...resource,
    namespace: String(member(metadata, 'namespace')),
    name: String(member(metadata, 'name')),
  }));
  return refs.sort((a, b) => (a.namespace + a.name < b.namespace + b.name ? -1 : 1));
}

/** A user changes or deletes a CombinedStatus. */
export const tamperWithCombinedStatus: Action = async (world, random) => {
  const refs = await combinedStatuses(world);
  const how = random.pick(['delete', 'results', 'labels', 'owners', 'annotation']);
  if (refs.length === 0) return 'no CombinedStatus to tamper with';
  const ref = random.pick(refs);
  const edits: Readonly<Record<string, (object: JsonObject) => JsonObject>> = {
    results: (object) => ({ ...object, results: [] }),
    labels: (object) => withMetadata(object, { labels: {} }),
    owners: (object) => withMetadata(object, { ownerReferences: undefined }),
    annotation: (object) => withMetadata(object, { annotations: { note: 'user' } }),
  };
  const edit = edits[how];
  if (edit === undefined) await world.wds.remove(ref);
  else await world.wds.edit(ref, edit);
  return `tamper with CombinedStatus ${ref.name}: ${how}`;
};

/** A user makes a CombinedStatus. */
export const addStray: Action = async ({ wds }, random) => {
  const { ref, kind } = random.pick(SLOTS);
  const namespace = kind.namespaced ? ref.namespace : REPORTS;
  const name = `stray-${random.below(3)}.policy`;
  const stated: JsonObject = random.chance(0.8)
    ? {
        'status.kubestellar.io/api-group': ref.group,
        'status.kubestellar.io/resource': ref.resource,
        'status.kubestellar.io/namespace': ref.namespace,
        'status.kubestellar.io/name': ref.name.slice(0, 63),
        'status.kubestellar.io/binding-policy': 'p1',
      }
    : {};
  await wds.set({ ...CONTROL, resource: 'combinedstatuses', namespace, name }, (standing) => ({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'CombinedStatus',
    ...standing,
    metadata: {
      ...(isObject(standing?.['metadata']) ? standing['metadata'] : { name, namespace }),
      labels: stated,
    },
    results: [],
  }));
  return `stray CombinedStatus ${namespace}/${name} of ${slotKey(ref)}`;
};

/** A user writes the status of an object of KubeStellar's. */
export const tamperWithControl: Action = async ({ wds }, random) => {
  const resource = random.pick(['bindings', 'bindingpolicies', 'statuscollectors']);
  const name = resource === 'statuscollectors' ? random.pick(COLLECTORS) : random.pick(POLICIES);
  const status: JsonValue = random.chance(0.5)
    ? {}
    : { observedGeneration: 99, errors: ['starfold: made up', 'of another controller'] };
  await wds.edit(controlRef(resource, name), (standing) => ({ ...standing, status }));
  return `tamper with status of ${resource}/${name} ${JSON.stringify(status)}`;
};

/** A user changes what a policy's Binding says, or makes it his own. */
export const tamperWithBinding: Action = async ({ wds }, random) => {
  const name = random.pick(POLICIES);
  const spec = bindingSpec(random);
  const isDisowned = random.chance(0.15);
  await wds.edit(controlRef('bindings', name), (standing) => ({
    ...(isDisowned ? withMetadata(standing, { ownerReferences: undefined }) : standing),
    spec,
  }));
  return `edit binding ${name}${isDisowned ? ' and take it over' : ''}`;
};
