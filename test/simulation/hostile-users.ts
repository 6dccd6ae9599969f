import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { HOSTILE_EXPRESSIONS } from '#test/hostile/expressions.ts';
import { HOSTILE_RESULTS } from '#test/hostile/results.ts';
import { COLLECTORS, SPECS } from './collectors.ts';
import { DEAR } from './hostile-statements.ts';
import { controlRef, find, manifest, workloads } from './objects.ts';
import { Random } from './scheduler.ts';
import type { World } from './world.ts';

/** What the names of all objects of hostile users begin with. */
const PREFIX = 'hostile-';
const OWN_COLLECTORS = ['hostile-c1', 'hostile-c2', 'hostile-c3'] as const;
const OWN_BINDINGS = ['hostile-b1', 'hostile-b2', 'hostile-b3'] as const;
const OWN_OBJECTS: readonly ObjectRef[] = ['hostile-web', 'hostile-api'].map((name) => ({
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name,
}));
/** The partition of one of their workload objects. */
export const HOSTILE_OBJECT = 'W#wds1/apps/deployments/shop/hostile-web';

/** Whether an object of this name is one of theirs. */
export function isOfHostileUser(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** What is not even a spec of a StatusCollector. */
const MALFORMED: readonly JsonValue[] = [
  {},
  7,
  { select: 'all' },
  { select: [{ name: 'c' }], combinedFields: [{ name: 'c', type: 'COUNT' }] },
  { select: [{ name: 'c', def: '' }], limit: -1 },
  { select: Array.from({ length: 500 }, (_, column) => ({ name: `c${column}`, def: '1' })) },
  { filter: '('.repeat(5_000), select: [{ name: 'c', def: '1' }] },
];

const RESULTS = HOSTILE_RESULTS.flatMap(({ collectors }) => Object.values(collectors));

function collectorSpec(random: Random): JsonValue {
  const { expression } = random.pick(HOSTILE_EXPRESSIONS);
  const column = { name: 'c', def: expression };
  const fields = { combinedFields: [{ name: 'n', type: 'COUNT' }] };
  return random.pick<JsonValue>([
    { select: [column], limit: 1e9 },
    { select: [column, { name: 'd', def: 'returned.status' }] },
    { filter: expression, ...fields },
    { groupBy: [column], ...fields },
    { combinedFields: [{ name: 'n', type: 'SUM', subject: expression }] },
    random.pick(DEAR),
    random.pick(RESULTS),
    random.pick(SPECS[random.pick(COLLECTORS)]),
    random.pick(MALFORMED),
  ]);
}

/**
 * Users of the WDS of the honest ones who write StatusCollectors and Bindings: dear, wrong, edited again and again, deleted and
 * made anew. Their Bindings name the objects of the honest ones, too, with collectors. They want statuses back of their own
 * objects only: whoever may bind an object has a say in its status. What they do comes from a seed of their own.
 */
export class HostileUsers {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** They do something. */
  act(world: World): void {
    const random = this.#random;
    const ref = random.pick([
      ...OWN_COLLECTORS.map((name) => controlRef('statuscollectors', name)),
      ...OWN_BINDINGS.map((name) => controlRef('bindings', name)),
      random.pick(OWN_OBJECTS),
    ]);
    const before = find(world.wds, ref);
    if (before !== undefined && random.chance(0.3)) world.wds.remove(ref);
    // Deleted and made anew, or only deleted.
    if (random.chance(0.15)) return;
    const edits = random.pick([1, 1, 2, 6]);
    for (let edit = 0; edit < edits; edit += 1) this.#write(world, ref);
  }

  #write(world: World, ref: ObjectRef): void {
    const random = this.#random;
    const before = find(world.wds, ref);
    if (ref.resource === 'deployments') {
      const spec = { replicas: random.below(5) };
      world.wds.apply(ref, before === undefined ? manifest(ref, spec) : { ...before, spec });
      return;
    }
    const isBinding = ref.resource === 'bindings';
    const made = {
      apiVersion: `${ref.group}/${ref.version}`,
      kind: isBinding ? 'Binding' : 'StatusCollector',
      // As old as can be: who is older counts more.
      metadata: { name: ref.name, creationTimestamp: '2020-01-01T00:00:00Z' },
    };
    const spec = isBinding ? this.#bindingSpec(world) : collectorSpec(random);
    world.wds.apply(ref, { ...made, ...before, spec });
  }

  #bindingSpec(world: World): JsonValue {
    const random = this.#random;
    // A WEC that never reports may hold an object of all who bind it (docs/security.md): they name none for those of others.
    const invents = random.chance(0.4);
    const others = invents ? [] : workloads(world);
    const named = [...others, ...OWN_OBJECTS].filter(() => random.chance(0.7));
    const wants = { wantSingletonReportedState: true, wantMultiWECReportedState: true };
    const bound = named.map(
      (ref): JsonObject => ({
        ...ref,
        resourceVersion: '1',
        statusCollectors: [...OWN_COLLECTORS, ...COLLECTORS].filter(() => random.chance(0.6)),
        ...(isOfHostileUser(ref.name) && random.chance(0.7) ? wants : {}),
      }),
    );
    const ghosts = Array.from({ length: random.pick([0, 1, 40]) }, (_, index) => ({
      ...OWN_OBJECTS[0],
      name: `hostile-ghost-${index}`,
      statusCollectors: [...OWN_COLLECTORS, 'hostile-missing'],
    }));
    const nobodies = invents ? random.pick([1, 200]) : 0;
    const invented = Array.from({ length: nobodies }, (_, wec) => `nobody-${wec}`);
    const destinations = [...world.destinations, ...invented].filter(() => random.chance(0.8));
    const spec = {
      destinations: destinations.map((clusterId) => ({ clusterId })),
      workload: { namespaceScope: [...bound, ...ghosts] },
    };
    return random.pick<JsonValue>([
      spec,
      spec,
      spec,
      { ...spec, destinations: [...spec.destinations, ...spec.destinations] },
      { ...spec, destinations: 7 },
      { ...spec, workload: { namespaceScope: [...bound, 'x', { name: 7 }], clusterScope: {} } },
      {},
    ]);
  }
}
