import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createInventory,
  targetCluster,
  targetGroup,
} from '#shared/core/fleet/cluster-inventory.ts';
import { bundleTargets } from '#shared/core/fleet/targets.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  DISPLAY_NAME,
  type Entry,
  isWanted,
  type Labels,
  type Metadata,
  NAMESPACE,
  type Selector,
  type World,
} from './targets-naive.ts';

const value = fc.constantFrom('1', '2');
const labels: fc.Arbitrary<Labels> = fc.dictionary(fc.constantFrom('k', 'l', DISPLAY_NAME), value);
const expression = fc.oneof(
  fc.record({
    key: fc.constantFrom('k', 'l'),
    operator: fc.constantFrom<'In' | 'NotIn'>('In', 'NotIn'),
    values: fc.array(value, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    key: fc.constantFrom('k', 'l'),
    operator: fc.constantFrom<'Exists' | 'DoesNotExist'>('Exists', 'DoesNotExist'),
  }),
);
const selector: fc.Arbitrary<Selector> = fc.oneof(
  fc.constant({}),
  fc.record({ matchLabels: fc.dictionary(fc.constantFrom('k', 'l'), value, { maxKeys: 1 }) }),
  fc.record({ matchExpressions: fc.array(expression, { minLength: 1, maxLength: 2 }) }),
);
const name = fc.constantFrom('a', 'b', 'c', '1');
const groupCriteria = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  fc.record({ clusterGroup: name }),
  fc.record({ clusterGroupSelector: fc.option(selector, { freq: 8 }) }),
);
const entry: fc.Arbitrary<Entry> = fc
  .tuple(
    fc.oneof(fc.record({ clusterName: fc.oneof(fc.constant(''), name) }), {
      weight: 3,
      arbitrary: fc.record({ clusterSelector: fc.option(selector, { freq: 8 }) }),
    }),
    groupCriteria,
    fc.record({
      doNotDeploy: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, fc.constant(true)),
      source: fc.constantFrom('', '', 'customization', 'gitrepo'),
    }),
  )
  .map(([ofCluster, ofGroup, other]) => ({ ...ofCluster, ...ofGroup, ...other }));
const metadata = {
  namespace: fc.oneof({ weight: 5, arbitrary: fc.constant(NAMESPACE) }, fc.constant('other')),
  name,
  labels,
};
const byId = ({ namespace, name: own }: Metadata) => `${namespace}/${own}`;
const deleted = { deletionTimestamp: '2026-08-22T10:00:00Z' };
const cluster: fc.Arbitrary<Metadata> = fc
  .tuple(
    fc.record(metadata),
    fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, fc.constant(deleted)),
  )
  .map(([own, deletion]) => ({ ...own, ...deletion }));
const group = fc.record({ ...metadata, selector: fc.option(selector, { freq: 8 }) });
const world: fc.Arbitrary<World> = fc.record({
  mode: fc.constantFrom('', 'FirstMatch', 'AllMatches'),
  targets: fc.array(entry, { minLength: 1, maxLength: 4 }),
  restrictions: fc.array(entry, { maxLength: 2 }),
  clusters: fc.uniqueArray(cluster, { selector: byId, minLength: 1, maxLength: 4 }),
  groups: fc.uniqueArray(group, { selector: byId, maxLength: 3 }),
});

/** What the API server stores: the generated values are plain JSON. */
function asJson(generated: unknown): JsonObject {
  return JSON.parse(JSON.stringify(generated));
}

function targetsIn({ mode, targets, restrictions, clusters, groups }: World) {
  const spec = { targetCustomizationMode: mode, targets, targetRestrictions: restrictions };
  const inventory = createInventory(
    clusters.map((own) => targetCluster(asJson({ metadata: own }))),
    groups.map(({ selector: own, ...rest }) =>
      targetGroup(asJson({ metadata: rest, spec: { selector: own } })),
    ),
  );
  return bundleTargets(asJson({ metadata: { namespace: NAMESPACE }, spec }), inventory);
}

/** Labels that count how often a value of them is read. */
function countedLabels(own: Labels, reads: { count: number }): Labels {
  return new Proxy(own, {
    get: (target, key) => {
      reads.count += 1;
      return Reflect.get(target, key);
    },
  });
}

describe('bundleTargets', () => {
  it('selects the Clusters that a naive reading of the rules selects', () => {
    const seen = { none: 0, some: 0, all: 0 };
    fc.assert(
      fc.property(world, (given) => {
        const wanted = given.clusters.filter((own) => isWanted(given, own)).map(byId);
        const { clusters, errors } = targetsIn(given);
        expect(errors).toEqual([]);
        expect(clusters).toEqual(wanted.sort());
        if (wanted.length === 0) seen.none += 1;
        else if (wanted.length === given.clusters.length) seen.all += 1;
        else seen.some += 1;
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(50);
  });

  it('does not depend on the order of the Clusters, ClusterGroups and restrictions', () => {
    const permuted = world.chain((given) =>
      fc.record({
        given: fc.constant(given),
        clusters: fc.shuffledSubarray([...given.clusters], { minLength: given.clusters.length }),
        groups: fc.shuffledSubarray([...given.groups], { minLength: given.groups.length }),
        restrictions: fc.shuffledSubarray([...given.restrictions], {
          minLength: given.restrictions.length,
        }),
      }),
    );
    fc.assert(
      fc.property(permuted, ({ given, ...order }) => {
        expect(targetsIn({ ...given, ...order })).toEqual(targetsIn(given));
      }),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the objects are, and selects nothing if there are errors', () => {
    // What fast-check calls a JSON value is one: null, texts, numbers, booleans, lists and objects of them.
    const json = (maxDepth: number) => fc.jsonValue({ maxDepth }) as fc.Arbitrary<JsonValue>;
    const anything: fc.Arbitrary<JsonValue> = fc.oneof(
      fc.constant(null),
      fc.constant('clusterSelector'),
      json(2),
      fc.dictionary(
        fc.constantFrom('clusterSelector', 'clusterName', 'doNotDeploy', 'matchLabels'),
        json(1),
      ),
    );
    const list = fc.oneof(anything, fc.array(anything, { maxLength: 3 }));
    const spec = fc.record({ targets: list, targetRestrictions: list, selector: anything });
    fc.assert(
      fc.property(
        fc.record({ metadata: anything, spec: fc.oneof(anything, spec) }),
        (object: JsonObject) => {
          const inventory = createInventory([targetCluster(object)], [targetGroup(object)]);
          const { clusters, errors } = bundleTargets(object, inventory);
          expect(errors.length > 0 && clusters.length > 0).toBe(false);
        },
      ),
    );
  });

  it('tests a clusterSelector once for a Cluster, and the ClusterGroups not for each Bundle', () => {
    const reads = { count: 0 };
    const clusters = Array.from({ length: 50 }, (_, index) => ({
      namespace: NAMESPACE,
      name: `c-${index}`,
      labels: countedLabels({ env: 'prod' }, reads),
      deleting: false,
    }));
    const groups = ['east', 'west'].map((own) =>
      targetGroup({
        metadata: { name: own, namespace: NAMESPACE },
        spec: { selector: { matchLabels: { env: 'prod' } } },
      }),
    );
    const inventory = createInventory(clusters, groups);
    expect(reads.count).toBe(2 * clusters.length);
    const targetsOf = (target: JsonObject) =>
      bundleTargets({ metadata: { namespace: NAMESPACE }, spec: { targets: [target] } }, inventory);
    reads.count = 0;
    targetsOf({ clusterSelector: { matchLabels: { env: 'prod' } } });
    expect(reads.count).toBe(clusters.length);
    targetsOf({ clusterGroup: 'west' });
    expect(reads.count).toBe(clusters.length);
  });
});
