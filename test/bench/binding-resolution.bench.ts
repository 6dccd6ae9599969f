import { measure } from 'mitata';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { BindingResolver, resolveOnce } from '#shared/core/binding/binding-resolver.ts';
import type { DownsyncObject } from '#shared/core/binding/downsync-object.ts';
import type { Labels } from '#shared/core/labels.ts';
import {
  naiveResolution,
  type World,
  type WrittenClause,
  type WrittenSpec,
} from '#test/property/binding/naive-resolution.ts';
import { type Figure, quantile, rounded } from './figure.ts';

const OBJECTS = 10_000;
const NAMESPACES = 100;
const CLUSTERS = 1000;
const POLICIES = 100;
const APPS = 200;
const TEAMS = 20;
const CHANGES = 300;
const KINDS = [
  { group: 'apps', version: 'v1', resource: 'deployments' },
  { group: '', version: 'v1', resource: 'configmaps' },
  { group: '', version: 'v1', resource: 'services' },
  { group: 'apps', version: 'v1', resource: 'statefulsets' },
] as const;

function kindOf(index: number): (typeof KINDS)[number] {
  return KINDS[index % KINDS.length] ?? KINDS[0];
}

function objectOf(index: number): DownsyncObject {
  const name = `${index < NAMESPACES ? 'namespace' : 'object'}-${index}`;
  const isNamespace = index < NAMESPACES;
  return {
    ...(isNamespace ? { group: '', version: 'v1', resource: 'namespaces' } : kindOf(index)),
    namespace: isNamespace ? '' : `namespace-${index % NAMESPACES}`,
    name,
    uid: `uid-${index}`,
    resourceVersion: String(index),
    labels: isNamespace
      ? { team: `team-${index % TEAMS}`, stage: index % 2 === 0 ? 'live' : 'test' }
      : { app: `app-${(index * 7) % APPS}`, stage: index % 10 === 0 ? 'test' : 'live' },
    contentKey: `content-${index}`,
    deleting: false,
  };
}

function clusterLabels(index: number): Labels {
  return { region: `region-${index % 10}`, tier: `tier-${index % 7}`, size: `size-${index % 3}` };
}

/** In turn: one application, a namespace by name, a team's namespaces, a kind outside of tests. */
function clauseOf(index: number): WrittenClause {
  const clauses: readonly WrittenClause[] = [
    { objectSelectors: [{ matchLabels: { app: `app-${index}` } }], statusCollectors: ['count'] },
    {
      apiGroup: 'apps',
      namespaces: [`namespace-${index}`],
      objectSelectors: [
        { matchExpressions: [{ key: 'stage', operator: 'In', values: ['live', 'test'] }] },
      ],
    },
    {
      resources: ['deployments', 'configmaps'],
      namespaceSelectors: [{ matchLabels: { team: `team-${index % TEAMS}` } }],
      wantMultiWECReportedState: true,
    },
    {
      resources: ['statefulsets'],
      namespaceSelectors: [{ matchLabels: { stage: 'test', team: `team-${index % TEAMS}` } }],
      objectSelectors: [
        { matchExpressions: [{ key: 'stage', operator: 'NotIn', values: ['test'] }] },
      ],
    },
  ];
  return clauses[index % clauses.length] ?? {};
}

function specOf(index: number): WrittenSpec {
  return {
    clusterSelectors: [
      { matchLabels: { region: `region-${index % 10}`, tier: `tier-${index % 7}` } },
      {
        matchExpressions: [
          { key: 'region', operator: 'In', values: [`region-${(index + 1) % 10}`] },
          { key: 'size', operator: 'Exists' },
        ],
      },
    ],
    downsync: [clauseOf(index), clauseOf(index + 1)],
  };
}

function createWorld(): World {
  const listed = <Value>(length: number, create: (index: number) => Value): readonly Value[] =>
    Array.from({ length }, (_value, index) => create(index));
  return {
    policies: new Map(listed(POLICIES, (index) => [`policy-${index}`, specOf(index)])),
    objects: listed(OBJECTS, objectOf),
    clusters: new Map(listed(CLUSTERS, (index) => [`wec-${index}`, clusterLabels(index)])),
  };
}

function resolve(world: World): unknown {
  const policies = [...world.policies].map(([name, spec]) =>
    parseBindingPolicy({ metadata: { name }, spec }),
  );
  return resolveOnce(policies, world.objects, world.clusters);
}

function resolveNaively(world: World): unknown {
  return [...world.policies.values()].map((spec) => naiveResolution(spec, world));
}

function filled(world: World): BindingResolver {
  const resolver = new BindingResolver();
  for (const [name, labels] of world.clusters) resolver.setCluster(name, labels);
  for (const object of world.objects) resolver.setObject(object);
  for (const [name, spec] of world.policies)
    resolver.setPolicy(parseBindingPolicy({ metadata: { name }, spec }));
  resolver.takeChanged();
  return resolver;
}

interface Cost {
  /** Milliseconds until the resolutions of all policies that it touches are there; median. */
  readonly ms: number;
  /** Means. */
  readonly evaluations: number;
  readonly policies: number;
}

/** What one change costs: changes of one sort, one after the other. */
function costOf(resolver: BindingResolver, change: (index: number) => void): Cost {
  const times: number[] = [];
  const before = resolver.evaluations;
  let policies = 0;
  for (let index = 0; index < CHANGES; index += 1) {
    const start = performance.now();
    change(index);
    for (const name of resolver.takeChanged()) {
      resolver.resolved(name);
      policies += 1;
    }
    times.push(performance.now() - start);
  }
  return {
    ms: quantile(times, 0.5),
    evaluations: (resolver.evaluations - before) / CHANGES,
    policies: policies / CHANGES,
  };
}

async function milliseconds(work: () => unknown): Promise<number> {
  const { p50 } = await measure(work, { min_samples: 5, max_samples: 9, min_cpu_time: 5e8 });
  return p50 / 1e6;
}

type Unplaced = Omit<Figure, 'section'>;

/** A sort of change. */
interface Change {
  readonly what: string;
  /** How many pairs would have to be looked at if nothing told which clauses and selectors can be affected. */
  readonly pairs: number;
  apply(index: number): void;
}

const CLAUSES = POLICIES * 2;
const SELECTORS = POLICIES * 2;
const IN_NAMESPACE = OBJECTS / NAMESPACES;

/** No two sorts change the same object in the same way. */
function changesIn(resolver: BindingResolver): readonly Change[] {
  const label = (object: DownsyncObject, labels: Labels): void =>
    resolver.setObject({ ...object, labels: { ...object.labels, ...labels } });
  return [
    {
      what: 'a label of an object that clauses read',
      pairs: CLAUSES,
      apply: (index) =>
        label(objectOf(NAMESPACES + index * 31), { app: `app-${index % POLICIES}` }),
    },
    {
      what: 'a label of an object that nobody reads',
      pairs: CLAUSES,
      apply: (index) => label(objectOf(OBJECTS - 1 - index), { seen: 'yes' }),
    },
    {
      what: 'the status of an object',
      pairs: CLAUSES,
      apply: (index) => {
        const object = objectOf(OBJECTS - 1 - CHANGES - index);
        resolver.setObject({ ...object, resourceVersion: 'later' });
      },
    },
    {
      what: 'a label of a Namespace that clauses read',
      pairs: CLAUSES * IN_NAMESPACE,
      apply: (index) => {
        const team = (index + 1 + Math.floor(index / NAMESPACES)) % TEAMS;
        label(objectOf(index % NAMESPACES), { team: `team-${team}` });
      },
    },
    {
      what: 'a label of a cluster that selectors read',
      pairs: SELECTORS,
      apply: (index) => {
        const labels = { ...clusterLabels(index), region: `region-${(index + 5) % 10}` };
        resolver.setCluster(`wec-${index}`, labels);
      },
    },
  ];
}

function changeFigure(resolver: BindingResolver, { what, pairs, apply }: Change): Unplaced {
  const { ms, evaluations, policies } = costOf(resolver, apply);
  const instead = `${rounded(evaluations)} evaluations, of ${rounded(pairs)} without an index`;
  return {
    what: `one change: ${what}`,
    value: ms,
    unit: 'ms',
    beside: `${instead}; ${rounded(policies)} policies resolved again`,
  };
}

/**
 * Resolution of policies to Bindings, in memory, on one core. The naive peer is the oracle of the property test: it reads
 * the same policies as they are written and looks at every pair.
 */
export async function benchBindingResolution(): Promise<readonly Figure[]> {
  const world = createWorld();
  const full = await milliseconds(() => resolve(world));
  const naive = await milliseconds(() => resolveNaively(world));
  const resolver = filled(world);
  const pairs = rounded(OBJECTS * CLAUSES + CLUSTERS * SELECTORS);
  const section = `Binding resolution: ${rounded(OBJECTS)} objects, ${rounded(CLUSTERS)} WECs, ${POLICIES} policies (median)`;
  const figures: Unplaced[] = [
    {
      what: 'everything, from nothing',
      value: full,
      unit: 'ms',
      beside: `${rounded(resolver.evaluations)} evaluations; naive peer: ${rounded(naive / full)} times as long`,
    },
    {
      what: 'peer: every object through every clause, no index',
      value: naive,
      unit: 'ms',
      beside: `${pairs} pairs of a clause and an object or of a selector and a WEC`,
    },
    ...changesIn(resolver).map((change) => changeFigure(resolver, change)),
  ];
  return figures.map((figure) => ({ section, ...figure }));
}
