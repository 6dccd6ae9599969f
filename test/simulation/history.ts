import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { COLLECTORS, SPECS } from './collectors.ts';
import { setLabels } from './labels.ts';
import {
  bindings,
  CONTROL,
  controlRef,
  DEFINITION,
  find,
  manifest,
  withSilentAfter,
  workloads,
} from './objects.ts';
import { longTime } from './silence.ts';
import { forge } from './strangers.ts';
import type { World } from './world.ts';

/** One thing that users, controllers or misfortune do. */
export type Action = (world: World) => void;

/** What `starfold.dev/silent-after` says, if there is one: often nothing. */
const TIMES = ['', '', '2m', '24h'] as const;

export const setWorkload: Action = (world) => {
  const { deeds: random } = world;
  const ref = random.pick(workloads(world));
  const before = find(world.wds, ref);
  if (before !== undefined && random.chance(0.25)) return world.wds.remove(ref);
  const spec = { replicas: 1 + random.below(3) };
  const object = before === undefined ? manifest(ref, spec) : { ...before, spec };
  world.wds.apply(ref, withSilentAfter(object, random.pick([...TIMES, 'for ever'])));
};

/** As an API server says it, in whole seconds: several objects have the same. */
function creationTimestamp({ scheduler }: World): string {
  return new Date(scheduler.now).toISOString().replace(/\.\d+Z$/, 'Z');
}

export const setBinding: Action = (world) => {
  const { deeds: random } = world;
  const ref = controlRef('bindings', random.pick(bindings(world)));
  const before = find(world.wds, ref);
  if (before !== undefined && random.chance(0.15)) return world.wds.remove(ref);
  const objects = workloads(world)
    .filter(() => random.chance(0.7))
    .map(
      ({ group, version, resource, namespace, name }): JsonObject => ({
        group,
        version,
        resource,
        namespace,
        name,
        resourceVersion: '1',
        statusCollectors: COLLECTORS.filter(() => random.chance(0.5)),
        wantSingletonReportedState: random.chance(0.5),
        wantMultiWECReportedState: random.chance(0.6),
      }),
    );
  const destinations = world.destinations
    .filter(() => random.chance(0.7))
    .map((clusterId) => ({ clusterId }));
  const spec = { destinations, workload: { namespaceScope: objects } };
  const base = before ?? {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: ref.name, creationTimestamp: creationTimestamp(world) },
  };
  world.wds.apply(ref, withSilentAfter({ ...base, spec }, random.pick(TIMES)));
};

/** A BindingPolicy beside a Binding, of which only the annotation matters here. */
const setPolicy: Action = (world) => {
  const { deeds: random } = world;
  const ref = controlRef('bindingpolicies', random.pick(bindings(world)));
  const before = find(world.wds, ref);
  if (before !== undefined && random.chance(0.3)) return world.wds.remove(ref);
  const base = before ?? {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: ref.name },
  };
  const spec = { clusterSelectors: [], downsync: [] };
  world.wds.apply(ref, withSilentAfter({ ...base, spec }, random.pick(TIMES)));
};

export const setCollector: Action = (world) => {
  const { deeds: random } = world;
  const name = random.pick(COLLECTORS);
  const ref = controlRef('statuscollectors', name);
  const before = find(world.wds, ref);
  if (before !== undefined && random.chance(0.2)) return world.wds.remove(ref);
  const base = before ?? {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'StatusCollector',
    metadata: { name },
  };
  world.wds.apply(ref, { ...base, spec: random.pick(SPECS[name]) });
};

/** What the spec of a Widget may have: collectors ask for other fields as well. */
const FIELDS = ['replicas', 'replica', 'size'] as const;

export const setDefinition: Action = (world) => {
  const { deeds: random } = world;
  const before = find(world.wds, DEFINITION);
  if (before !== undefined && random.chance(0.2)) return world.wds.remove(DEFINITION);
  const properties = { [random.pick(FIELDS)]: { type: 'integer' } };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
  const base = before ?? {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: DEFINITION.name },
  };
  const versions = [{ name: 'v1', schema: { openAPIV3Schema } }];
  const names = { kind: 'Widget', plural: 'widgets' };
  world.wds.apply(DEFINITION, { ...base, spec: { group: 'demo.example.com', names, versions } });
};

function randomStatus({ deeds: random }: World): JsonObject {
  const replicas = random.below(4);
  const ready = random.below(replicas + 1);
  return {
    observedGeneration: 1,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [
      {
        type: 'Available',
        status: ready > 0 ? 'True' : 'False',
        lastTransitionTime: `2026-01-01T00:00:0${random.below(10)}Z`,
        reason: 'Simulated',
        message: '',
      },
    ],
  };
}

export const setReturned: Action = (world) => {
  const { deeds: random } = world;
  const wec = world.wecs.get(random.pick([...world.wecs.keys()]));
  const ref = random.pick(workloads(world));
  if (wec === undefined) return;
  const before = find(wec, ref);
  if (before !== undefined && random.chance(0.15)) return wec.remove(ref);
  const spec = { replicas: 1 + random.below(3) };
  const made = manifest(ref, spec);
  // Not the time of the world: that of a world with hostile sources is another one.
  const created = `2026-01-01T00:00:0${random.below(10)}Z`;
  const metadata = { ...metadataOf(made), creationTimestamp: created };
  const base = before ?? { ...made, metadata };
  wec.apply(ref, {
    ...base,
    ...(random.chance(0.2) ? { spec } : {}),
    status: randomStatus(world),
  });
};

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, 'metadata');
  return isObject(metadata) ? metadata : {};
}

function tamperWithCombinedStatus(world: World, ref: ObjectRef, object: JsonObject): void {
  const edits: readonly (() => unknown)[] = [
    () => world.wds.remove(ref),
    () => world.wds.apply(ref, { ...object, results: [] }),
    () => world.wds.apply(ref, { ...object, metadata: { ...metadataOf(object), labels: {} } }),
  ];
  world.scheduler.random.pick(edits)();
}

function tamperWithLabels(world: World, ref: ObjectRef, object: JsonObject): void {
  const { random } = world.scheduler;
  const labels = at(object, 'metadata', 'labels');
  const broken: Record<string, JsonValue> = { ...(isObject(labels) ? labels : {}) };
  if (random.chance(0.5)) delete broken['managed-by.kubestellar.io/multiwecstatus'];
  else broken['kubestellar.io/executing-count'] = '77';
  const status = random.chance(0.5) ? { status: { tampered: true } } : {};
  const metadata = { ...metadataOf(object), labels: broken };
  world.wds.apply(ref, { ...object, metadata, ...status });
}

const TAMPERED = ['combinedstatuses', 'deployments', 'widgets', 'bindings'];

/** A user edits what is Starfold's, or deletes it. */
const tamper: Action = (world) => {
  const targets = world.wds.objects().filter(({ ref }) => TAMPERED.includes(ref.resource));
  if (targets.length === 0) return;
  const { ref, object } = world.scheduler.random.pick(targets);
  if (ref.resource === 'combinedstatuses') tamperWithCombinedStatus(world, ref, object);
  else tamperWithLabels(world, ref, object);
};

/** A user makes a CombinedStatus without labels, often under a name that Starfold wants or will want. */
export const stray: Action = (world) => {
  const { random } = world.scheduler;
  const uidOf = (resource: string): string => {
    const known = world.wds.objects().filter(({ ref }) => ref.resource === resource);
    return known.length === 0 ? 'made' : String(metadataOf(random.pick(known).object)['uid']);
  };
  const ref: ObjectRef = {
    ...CONTROL,
    resource: 'combinedstatuses',
    namespace: 'shop',
    name: `${uidOf(random.pick(['deployments', 'widgets']))}.${uidOf('bindings')}`,
  };
  const metadata = { name: ref.name, namespace: ref.namespace };
  world.wds.apply(ref, { kind: 'CombinedStatus', metadata, results: [] });
};

export const forwarderTrouble: Action = (world) => {
  const forwarder = world.deeds.pick(world.forwarders);
  if (forwarder.running) forwarder.crash();
  else forwarder.start();
};

export const crash: Action = (world) => {
  if (world.running.length > 0) world.crash(world.scheduler.random.pick(world.running));
};

const VISIBILITY_MS = 31_000;

/** What is held becomes visible: a second invocation works on it while the first still does. */
export const overtake: Action = (world) => world.pass(VISIBILITY_MS);

export const time: Action = (world) => world.pass(world.scheduler.random.below(40_000));

export const redrive: Action = (world) => world.redrive();

const ACTIONS: readonly Action[] = [
  setReturned,
  setWorkload,
  setBinding,
  setPolicy,
  setCollector,
  setDefinition,
  setLabels,
  setLabels,
  tamper,
  stray,
  forwarderTrouble,
  crash,
  time,
  longTime,
  forge,
  redrive,
];
const WEIGHTS = [0, 1, 4] as const;

/**
 * What one history is made of: each leaves out some of the things that can happen and has others more often, since what
 * repairs one fault hides another (a forwarder that starts again makes everything be looked at).
 */
function mixture(world: World): readonly Action[] {
  const { random } = world.scheduler;
  if (world.narrow) {
    const users = world.crowded ? [setBinding, setBinding] : [];
    return [setReturned, setReturned, setLabels, ...users, overtake, crash, redrive];
  }
  const mixed = ACTIONS.flatMap((action) => Array<Action>(random.pick(WEIGHTS)).fill(action));
  return [...mixed, setReturned, crash];
}

/** A few objects to begin with, so that short histories reach every stage. */
export function begin(world: World): void {
  for (const ref of workloads(world)) world.wds.apply(ref, manifest(ref, { replicas: 2 }));
  for (const action of [setBinding, setCollector, setCollector]) action(world);
  if (world.crowded) for (const _name of bindings(world)) setBinding(world);
}

/** Lets invocations start, take turns and die. */
export async function work(
  world: World,
  how: { readonly busy: number; readonly crashes: number },
): Promise<void> {
  const { random } = world.scheduler;
  const turns = random.below(60);
  for (let turn = 0; turn < turns; turn += 1) {
    if (world.running.length < how.busy && random.chance(0.4))
      world.invoke(random.pick(world.stages));
    if (random.chance(0.01)) world.sweepStale();
    if (random.chance(0.01)) world.redrive();
    if (random.chance(how.crashes)) crash(world);
    await world.scheduler.advance();
  }
}

/**
 * Nothing changes any more, but what is on its way is handled by invocations that die or are overtaken: a wake-up that
 * is lost now is not made good by a later change.
 */
export async function trouble(world: World): Promise<void> {
  const { random } = world.scheduler;
  const rounds = random.below(400);
  const [crashes, overtakes] = [random.pick([0, 0.02, 0.1]), random.pick([0, 0.01, 0.05])];
  for (let round = 0; round < rounds; round += 1) {
    if (world.running.length < 4) world.invoke(random.pick(world.stages));
    if (random.chance(crashes)) crash(world);
    if (random.chance(overtakes)) overtake(world);
    await world.scheduler.advance();
  }
}

/** What a history is about. */
export interface Plot {
  /** A few objects to begin with, so that short histories reach every stage. */
  readonly begin: Action;
  /** What one history is made of. */
  readonly mixture: (world: World) => readonly Action[];
}

const PLOT: Plot = { begin, mixture };

/** Plays a random history: `actions` things happen, while invocations take their turns, die and are repeated. */
export async function play(world: World, actions: number, plot = PLOT): Promise<void> {
  const { random } = world.scheduler;
  for (const forwarder of world.forwarders) forwarder.start();
  plot.begin(world);
  const mixed = plot.mixture(world);
  const how = { busy: 2 + random.below(10), crashes: random.pick([0, 0.01, 0.05]) };
  for (let action = 0; action < actions; action += 1) {
    random.pick(mixed)(world);
    await work(world, how);
  }
  await trouble(world);
}
