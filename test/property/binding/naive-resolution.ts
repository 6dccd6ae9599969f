import type { DownsyncModulation } from '#shared/core/binding/downsync-modulation.ts';
import type { DownsyncObject } from '#shared/core/binding/downsync-object.ts';
import type { Labels } from '#shared/core/labels.ts';

/** A label selector as it is written; it may be faulty. */
export type WrittenSelector = {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
  /** Stands for a misspelt member. */
  readonly matchLabel?: Labels;
};

/** A clause as it is written; it may be faulty. */
export type WrittenClause = {
  readonly apiGroup?: string;
  readonly resources?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly objectNames?: readonly string[];
  readonly objectSelectors?: readonly WrittenSelector[];
  readonly namespaceSelectors?: readonly WrittenSelector[];
  readonly createOnly?: boolean | 'yes';
  readonly statusCollectors?: readonly string[];
  readonly wantSingletonReportedState?: boolean;
  readonly wantMultiWECReportedState?: boolean;
};

/** The spec of a BindingPolicy as it is written. */
export type WrittenSpec = {
  readonly clusterSelectors: readonly WrittenSelector[];
  readonly downsync: readonly WrittenClause[];
};

/** Everything that a resolution can depend on. */
export interface World {
  readonly policies: ReadonlyMap<string, WrittenSpec>;
  readonly objects: readonly DownsyncObject[];
  readonly clusters: ReadonlyMap<string, Labels>;
}

const EXCLUDED = [
  'flowcontrol.apiserver.k8s.io/*',
  'discovery.k8s.io/*',
  'apiregistration.k8s.io/*',
  'coordination.k8s.io/*',
  'control.kubestellar.io/*',
  '/events',
  'events.k8s.io/events',
  '/nodes',
  '/endpoints',
  'storage.k8s.io/csistoragecapacities',
  'storage.k8s.io/csinodes',
];
const TESTS = [
  'apiGroup',
  'resources',
  'namespaces',
  'objectNames',
  'objectSelectors',
  'namespaceSelectors',
] as const;

function isFaulty(selector: WrittenSelector): boolean {
  if (selector.matchLabel !== undefined) return true;
  return (selector.matchExpressions ?? []).some(({ operator, values = [] }) => {
    if (operator === 'In' || operator === 'NotIn') return values.length === 0;
    return (operator !== 'Exists' && operator !== 'DoesNotExist') || values.length > 0;
  });
}

function requirementHolds(operator: string, values: readonly string[], value?: string): boolean {
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const isListed = value !== undefined && values.includes(value);
  return operator === 'In' ? isListed : !isListed;
}

function selectorMatches(selector: WrittenSelector, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    !isFaulty(selector) &&
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) =>
      requirementHolds(operator, values, labels[key]),
    )
  );
}

function isEverything(selector: WrittenSelector): boolean {
  const { matchLabels = {}, matchExpressions = [], matchLabel } = selector;
  return (
    matchLabel === undefined &&
    Object.keys(matchLabels).length === 0 &&
    matchExpressions.length === 0
  );
}

/** Whether a list of names lets a name pass. */
export function nameMatches(names: readonly string[] = [], name: string): boolean {
  return names.length === 0 || names.includes('*') || names.includes(name);
}

/** Whether a clause can be read and lets the names of an object pass. */
export function admitsNames(clause: WrittenClause, object: DownsyncObject): boolean {
  return (
    clause.createOnly !== 'yes' &&
    TESTS.some((test) => clause[test] !== undefined) &&
    (clause.apiGroup === undefined || clause.apiGroup === object.group) &&
    nameMatches(clause.resources, object.resource) &&
    nameMatches(clause.namespaces, object.namespace) &&
    nameMatches(clause.objectNames, object.name)
  );
}

function namespaceMatches(
  selectors: readonly WrittenSelector[],
  object: DownsyncObject,
  namespaces: ReadonlyMap<string, Labels>,
): boolean {
  if (selectors.length === 0 || selectors.some(isEverything)) return true;
  const labels = namespaces.get(object.namespace);
  return labels !== undefined && selectors.some((selector) => selectorMatches(selector, labels));
}

function clauseMatches(
  clause: WrittenClause,
  object: DownsyncObject,
  namespaces: ReadonlyMap<string, Labels>,
): boolean {
  const { objectSelectors = [], namespaceSelectors = [] } = clause;
  return (
    admitsNames(clause, object) &&
    (objectSelectors.length === 0 ||
      objectSelectors.some((selector) => selectorMatches(selector, object.labels))) &&
    namespaceMatches(namespaceSelectors, object, namespaces)
  );
}

function askedBy(clauses: readonly WrittenClause[]): DownsyncModulation {
  return {
    createOnly: clauses.some(({ createOnly }) => createOnly === true),
    statusCollectors: [
      ...new Set(clauses.flatMap(({ statusCollectors = [] }) => statusCollectors)),
    ].sort(),
    wantSingletonReportedState: clauses.some((clause) => clause.wantSingletonReportedState),
    wantMultiWECReportedState: clauses.some((clause) => clause.wantMultiWECReportedState),
  };
}

/** An object of a {@link World} that a policy sends somewhere, and what it asks for it. */
export interface NaiveMatch {
  readonly object: DownsyncObject;
  readonly modulation: DownsyncModulation;
}

function order({ object }: NaiveMatch): string {
  return [object.group, object.resource, object.namespace, object.name].join('\0');
}

/**
 * What a policy means, by the words of KubeStellar's types alone: every object through every clause, every cluster
 * through every selector, no index and nothing remembered.
 */
export function naiveResolution(
  spec: WrittenSpec,
  world: World,
): { readonly destinations: readonly string[]; readonly matches: readonly NaiveMatch[] } {
  const namespaces = new Map<string, Labels>();
  for (const { group, resource, name, labels } of world.objects)
    if (group === '' && resource === 'namespaces') namespaces.set(name, labels);
  const matches: NaiveMatch[] = [];
  for (const object of world.objects) {
    const kinds = [`${object.group}/*`, `${object.group}/${object.resource}`];
    if (object.deleting || kinds.some((kind) => EXCLUDED.includes(kind))) continue;
    const clauses = spec.downsync.filter((clause) => clauseMatches(clause, object, namespaces));
    if (clauses.length > 0) matches.push({ object, modulation: askedBy(clauses) });
  }
  const destinations = [...world.clusters].flatMap(([name, labels]) =>
    spec.clusterSelectors.some((selector) => selectorMatches(selector, labels)) ? [name] : [],
  );
  return {
    destinations: destinations.sort(),
    matches: matches.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
  };
}
