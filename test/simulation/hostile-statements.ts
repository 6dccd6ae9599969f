import { epochAt, MAX_SEQUENCE, maxEpochAt } from '#shared/core/epoch.ts';
import type { EventContent, EventSubject, EventVersion } from '#shared/core/event.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { COLLECTORS, SPECS } from './collectors.ts';
import { BINDINGS, CONTROL, controlRef, DEFINITION, manifest, workloads } from './objects.ts';
import type { Random } from './scheduler.ts';
import { WDS, type World } from './world.ts';

/** The WDS of the hostile tenants. */
export const HOSTILE_WDS = 'wds2';

function nested(levels: number): JsonValue {
  let value: JsonValue = 1;
  for (let level = 0; level < levels; level += 1) value = { a: value };
  return value;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_number, index) => index);
}

function conditions(count: number): readonly JsonObject[] {
  return numbers(count).map((index) => ({
    type: index === 0 ? 'Available' : `T${index}`,
    status: 'False',
    reason: 'Hostile',
    message: 'x'.repeat(100),
    lastTransitionTime: '2999-01-01T00:00:00Z',
  }));
}

/** What a WEC may say that is: as honest ones do, of other types than these, too dear to evaluate, too large, too deep. */
const STATUSES: readonly (() => JsonValue)[] = [
  () => ({ observedGeneration: 1, replicas: 3, updatedReplicas: 3, readyReplicas: 3 }),
  () => ({ observedGeneration: 2 ** 53 - 1, replicas: -7, readyReplicas: 1e308 }),
  () => ({ replicas: 'many', readyReplicas: 'x'.repeat(10_000), conditions: 'none' }),
  () => ({ conditions: conditions(200), readyReplicas: 1 }),
  () => ({ readyReplicas: numbers(5_000) }),
  () => ({ readyReplicas: null, text: 'x'.repeat(300_000) }),
  () => ({ text: '\u0001'.repeat(45_000) }),
  () => ({ readyReplicas: 1, keys: Object.fromEntries(numbers(3_000).map((i) => [`k${i}`, i])) }),
  () => ({ deep: nested(400), readyReplicas: 2 }),
  () => nested(600),
  () => 'x'.repeat(100_000),
  () => [[], [{}], null],
  () => null,
  () => ({}),
];
/** Statuses are made once: of what is large a history says much. */
const MADE = STATUSES.map((status) => status());

/** Epochs and sequences: old, of now, at the limits and beyond them. */
export function anyVersion(random: Random, nowMs: number): EventVersion {
  const epoch = random.pick([
    0,
    1 + random.below(5),
    epochAt(nowMs) + random.below(5),
    epochAt(nowMs) + random.below(5),
    maxEpochAt(nowMs),
    maxEpochAt(nowMs) + 1 + random.below(2 ** 30),
    Number.MAX_SAFE_INTEGER,
  ]);
  const sequence = random.pick([0, random.below(10), MAX_SEQUENCE, MAX_SEQUENCE + 1]);
  return { epoch, sequence };
}

/** An object that an honest source has, or one that nobody has. */
function anySubject(random: Random, world: World): EventSubject {
  const { group, resource, namespace, name } = random.pick(workloads(world));
  const known = { group, resource, namespace, name };
  return random.pick([
    known,
    known,
    known,
    { ...known, name: `ghost-${random.below(3)}` },
    { ...known, name: `${name}|R#00000000#wec1` },
    { ...CONTROL, resource: 'bindings', namespace: '', name: random.pick(BINDINGS) },
    { group: '', resource: 'namespaces', namespace: '', name: 'shop' },
  ]);
}

/** An object that nobody has, sometimes gone again. */
export function inventedObject(random: Random): EventContent {
  const name = `invented-${random.below(200)}`;
  const subject = { group: 'apps', resource: 'deployments', namespace: 'shop', name };
  const said = { type: 'wec-object', wds: WDS, subject, first: random.chance(0.8) } as const;
  if (random.chance(0.1)) return said;
  return { ...said, returned: { uid: name, generation: 1, status: { readyReplicas: 1 } } };
}

/** What the forwarder of a WEC may say. */
export function wecContent(random: Random, world: World): EventContent {
  const { now } = world.scheduler;
  if (random.chance(0.15)) return { type: 'snapshot', since: anyVersion(random, now) };
  if (random.chance(0.1)) return { type: 'heartbeat' };
  const subject = anySubject(random, world);
  const wds = random.chance(0.8) ? WDS : random.pick([HOSTILE_WDS, 'nowhere']);
  const said = { type: 'wec-object', wds, subject, first: random.chance(0.5) } as const;
  if (random.chance(0.15)) return said;
  const status = random.pick(MADE);
  const spec = random.chance(0.5) ? { spec: { replicas: random.below(5) } } : {};
  const generation = random.pick([0, 1, 2, 2 ** 53 - 1]);
  return { ...said, returned: { uid: 'hostile', generation, ...spec, status } };
}

/** Collectors that are meant to stop whoever evaluates them. */
export const DEAR: readonly JsonObject[] = [
  { select: [{ name: 'c', def: `"x".matches("${'a{1000}'.repeat(580)}")` }] },
  { select: [{ name: 'c', def: `[[1]]${'.map(a, [a, a])'.repeat(60)}` }] },
  { combinedFields: [{ name: 'c', type: 'SUM', subject: 'returned.status' }], limit: 1e9 },
];

function control(kind: string, name: string, spec: JsonObject): JsonObject {
  return { apiVersion: `${CONTROL.group}/${CONTROL.version}`, kind, metadata: { name }, spec };
}

/** A Binding to the WECs of the honest ones, and to WECs that there are not. */
function anyBinding(random: Random, world: World): JsonObject {
  const namespaceScope = workloads(world).map((ref) => ({
    ...ref,
    statusCollectors: [...COLLECTORS],
    wantSingletonReportedState: random.chance(0.5),
    wantMultiWECReportedState: random.chance(0.5),
  }));
  const destinations = [...world.destinations, 'nobody'].map((clusterId) => ({ clusterId }));
  return { destinations, workload: { namespaceScope } };
}

/** A CombinedStatus that says it belongs to a workload object. */
function labelledStray({ group, resource, namespace, name }: EventSubject): JsonObject {
  const entries = Object.entries({ 'api-group': group, resource, namespace, name });
  const labels = Object.fromEntries(
    entries.map(([key, value]) => [`status.kubestellar.io/${key}`, value]),
  );
  return { kind: 'CombinedStatus', metadata: { name: 'stray', namespace, labels }, results: [] };
}

/** An object of a WDS, and where it is. */
export type WdsObject = readonly [ref: ObjectRef, object: JsonObject];

/** What a hostile WDS may have: much that is called like what the honest one has. */
export function wdsObject(random: Random, world: World): WdsObject {
  const ref = random.pick(workloads(world));
  const [collector, binding] = [random.pick(COLLECTORS), random.pick(BINDINGS)];
  const stray = { ...CONTROL, resource: 'combinedstatuses', namespace: 'shop', name: 'stray' };
  return random.pick<WdsObject>([
    [ref, { ...manifest(ref, { replicas: random.below(5) }), status: random.pick(MADE) }],
    [ref, manifest(ref, { replicas: random.below(5) })],
    [controlRef('bindings', binding), control('Binding', binding, anyBinding(random, world))],
    [controlRef('bindings', binding), control('Binding', binding, { destinations: 7 })],
    [
      controlRef('statuscollectors', collector),
      control('StatusCollector', collector, random.pick([...DEAR, ...SPECS[collector]])),
    ],
    [stray, labelledStray(ref)],
    [DEFINITION, control('CustomResourceDefinition', DEFINITION.name, { versions: [{}] })],
  ]);
}
