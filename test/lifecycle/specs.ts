import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Random } from '#test/simulation/scheduler.ts';
import { KINDS, NAMESPACES, SLOTS, type Slot } from './kinds.ts';

export const COLLECTORS = ['count', 'list', 'sum', 'states'] as const;
export const WECS = ['wec1', 'wec2', 'wec3'] as const;
/** Names of the BindingPolicies. */
export const POLICIES = ['p1', 'p2', 'p3'] as const;
/** Also one that never says anything. */
export const CLUSTERS = [...WECS, 'wec4'] as const;

const OLDER: JsonValue = { op: 'Path', path: '$.inventory.name' };

/** The specs that a collector of the name may have: valid ones, invalid ones, both forms of expressions. */
const SPECS: Readonly<Record<(typeof COLLECTORS)[number], readonly JsonObject[]>> = {
  count: [
    { combinedFields: [{ name: 'count', type: 'COUNT' }], limit: 10 },
    {
      combinedFields: [{ name: 'n', type: 'COUNT' }],
      filter: 'has(returned.status.readyReplicas)',
    },
    { combinedFields: [{ name: 'stale', type: 'COUNT' }], filter: 'propagation.stale' },
    { combinedFields: [{ name: 'count', type: 'COUNTS' }] },
    { combinedFields: [{ name: 'bad', type: 'COUNT' }], filter: 'inventory.' },
  ],
  list: [
    {
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'status', def: 'returned.status' },
      ],
      limit: 2,
    },
    { select: [{ name: 'wec', def: OLDER }] },
    { select: [{ name: 'wec', def: 'inventory' }] },
    { select: [{ name: 'generation', def: 'obj.metadata.generation' }] },
    { select: [{ name: 'labels', def: 'obj.metadata.labels' }] },
    { select: [{ name: 'wec', def: 'inventory.name + ' }] },
    { select: [{ name: 'wec', def: { op: 'Nothing' } }] },
  ],
  sum: [
    {
      groupBy: [{ name: 'wanted', def: 'obj.spec.replicas' }],
      combinedFields: [{ name: 'ready', type: 'SUM', subject: 'returned.status.readyReplicas' }],
    },
    { combinedFields: [{ name: 'words', type: 'SUM', subject: 'inventory.name' }] },
    { combinedFields: [{ name: 'size', type: 'MAX', subject: 'obj.spec.sise' }] },
    { combinedFields: [{ name: 'nothing', type: 'SUM' }] },
  ],
  states: [
    {
      groupBy: [{ name: 'phase', def: "has(returned.status.phase) ? returned.status.phase : ''" }],
      combinedFields: [
        { name: 'count', type: 'COUNT' },
        { name: 'average', type: 'AVG', subject: 'returned.status.count' },
      ],
      limit: 3,
    },
    { select: [{ name: 'time', def: 'propagation.lastReturnedUpdateTimestamp' }] },
    {
      filter: {
        op: 'Equal',
        args: [
          { op: 'Path', path: '$.inventory.name' },
          { op: 'Path', path: '$.spec.colour' },
        ],
      },
      select: [{ name: 'wec', def: OLDER }],
    },
  ],
};

/** Specs that no collector can have. */
const INVALID: readonly JsonObject[] = [
  { combinedFields: [{ name: 'count', type: 'COUNTS' }] },
  { select: [{ name: 'wec', def: 'inventory.name + ' }] },
  { select: [{ name: 'wec', def: { op: 'Nothing' } }] },
];

/** Some invalid spec of a collector. */
export function invalidSpec(random: Random): JsonObject {
  return random.pick(INVALID);
}

/** Some spec of a collector of the name. */
export function collectorSpec(name: string, random: Random): JsonObject {
  // The name is one of COLLECTORS.
  return random.pick(SPECS[name as (typeof COLLECTORS)[number]]);
}

function some<T>(items: readonly T[], random: Random, probability: number): readonly T[] {
  return items.filter(() => random.chance(probability));
}

/** Labels of anything: few keys and values, so that selectors meet them. */
export function labels(random: Random): JsonObject {
  return {
    ...(random.chance(0.6) ? { tier: random.pick(['front', 'back']) } : {}),
    ...(random.chance(0.4) ? { env: random.pick(['prod', 'test']) } : {}),
  };
}

/** They match nothing, and are told. */
const FAULTY_SELECTORS: readonly JsonObject[] = [
  { matchExpressions: [{ key: 'env', operator: 'Matches', values: ['prod'] }] },
  { matchLabel: { tier: 'front' } },
];

function selector(random: Random): JsonObject {
  const choices: readonly (() => JsonObject)[] = [
    () => ({ matchLabels: { tier: random.pick(['front', 'back']) } }),
    () => ({ matchLabels: { tier: random.pick(['front', 'back']) } }),
    () => ({ matchExpressions: [{ key: 'env', operator: 'In', values: ['prod', 'stage'] }] }),
    () => ({ matchExpressions: [{ key: 'env', operator: 'NotIn', values: ['prod'] }] }),
    () => ({ matchExpressions: [{ key: 'tier', operator: 'Exists' }] }),
    () => ({ matchExpressions: [{ key: 'env', operator: 'DoesNotExist' }] }),
    () => ({}),
  ];
  return random.pick(choices)();
}

/** What is asked for an object: collectors and wanted statuses. */
function modulation(random: Random): JsonObject {
  return {
    ...(random.chance(0.7)
      ? { statusCollectors: [...some(COLLECTORS, random, 0.6), ...some(['never'], random, 0.2)] }
      : {}),
    ...(random.chance(0.35) ? { wantSingletonReportedState: true } : {}),
    ...(random.chance(0.5) ? { wantMultiWECReportedState: true } : {}),
    ...(random.chance(0.1) ? { createOnly: true } : {}),
  };
}

/** Each of the six tests that an object may have to pass. */
const TESTS: readonly ((random: Random) => JsonObject)[] = [
  (random) => {
    const { apiVersion } = random.pick(KINDS);
    return { apiGroup: apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : '' };
  },
  (random) => {
    const resources = some(KINDS, random, 0.5).map(({ resource }) => resource);
    return { resources: [...resources, ...some(['namespaces', '*'], random, 0.1)] };
  },
  (random) => ({ namespaces: [random.pick([...NAMESPACES, ...NAMESPACES, '*'])] }),
  (random) => ({ namespaceSelectors: [selector(random)] }),
  (random) => ({ objectSelectors: [selector(random), ...some([{}], random, 0.1)] }),
  (random) => ({ objectNames: [random.pick(['web', 'api', '*'])] }),
];

/** One to three of the tests. */
function tests(random: Random): JsonObject {
  const count = random.pick([1, 1, 2, 2, 3]);
  const made = Array.from({ length: count }, () => random.pick(TESTS)(random));
  return Object.assign({}, ...made) as JsonObject;
}

const FAULTY_CLAUSES: readonly JsonObject[] = [
  { resources: 'deployments' },
  { colour: 'red', resources: ['deployments'] },
  { resources: ['jobs'], objectSelectors: [{ matchLabel: { tier: 'front' } }] },
  {},
];

/** The spec of a BindingPolicy: several clauses; now and then a clause or a selector is faulty. */
export function policySpec(random: Random): JsonObject {
  const several = <T>(most: number, make: () => T): readonly T[] =>
    Array.from({ length: 1 + random.below(most) }, make);
  const selectors = several(2, () => selector(random));
  const clauses = several(3, () => ({ ...tests(random), ...modulation(random) }));
  const clause = { ...random.pick(FAULTY_CLAUSES), ...modulation(random) };
  return {
    clusterSelectors: [...selectors, ...(random.chance(0.08) ? FAULTY_SELECTORS : [])],
    downsync: [...clauses, ...(random.chance(0.12) ? [clause] : [])],
  };
}

/** The spec of a Binding that somebody wrote by hand. */
export function bindingSpec(random: Random): JsonObject {
  const entry = ({ ref }: Slot): JsonObject => {
    const { namespace, ...rest } = ref;
    const place = namespace === '' ? {} : { namespace };
    return { ...rest, ...place, resourceVersion: '1', ...modulation(random) };
  };
  const slots = some(SLOTS, random, 0.25);
  const scope = (isNamespaced: boolean): JsonValue[] =>
    slots.filter(({ kind }) => kind.namespaced === isNamespaced).map(entry);
  return {
    destinations: some(CLUSTERS, random, 0.5).map((clusterId) => ({ clusterId })),
    workload: { clusterScope: scope(false), namespaceScope: scope(true) },
  };
}
