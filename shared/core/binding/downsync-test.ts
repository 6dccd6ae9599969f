import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { DownsyncObjectRef } from './downsync-object.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import type { Labels } from './labels.ts';
import { readList, readTexts } from './policy-field.ts';

/** What names an object, the most telling first. */
export const DIMENSIONS = ['name', 'namespace', 'resource', 'group'] as const;
/** One of the names of an object. */
export type Dimension = (typeof DIMENSIONS)[number];

/** The six tests of a clause of a BindingPolicy, all of which an object has to pass. */
export interface DownsyncTest {
  /** The tests as canonical text: equal texts, equal tests. */
  readonly text: string;
  /** The names that pass; `undefined`: every name does. */
  readonly exact: Readonly<Record<Dimension, ReadonlySet<string> | undefined>>;
  /** One of them has to match the labels of the object; `undefined`: whatever its labels. */
  readonly objectSelectors: readonly LabelSelector[] | undefined;
  /**
   * One of them has to match the labels of the object's Namespace, which has to exist; `undefined`: whatever its
   * namespace, and cluster-scoped objects too.
   */
  readonly namespaceSelectors: readonly LabelSelector[] | undefined;
}

/** The members of a clause that say what, not how. */
export const TEST_MEMBERS = [
  'apiGroup',
  'resources',
  'namespaces',
  'objectNames',
  'objectSelectors',
  'namespaceSelectors',
] as const;

/** Where the faults of a clause go: those of a selector concern that selector alone, the others the whole clause. */
export interface ClauseErrors {
  readonly clause: string[];
  readonly selectors: string[];
}

/** Whether the names of an object pass. */
export function admits(test: DownsyncTest, ref: DownsyncObjectRef): boolean {
  return DIMENSIONS.every((dimension) => test.exact[dimension]?.has(ref[dimension]) ?? true);
}

/** Whether one of the selectors matches; everything does where there is none to apply. */
export function anyMatches(
  selectors: readonly LabelSelector[] | undefined,
  labels: Labels,
): boolean {
  return selectors === undefined || selectors.some((selector) => selector.matches(labels));
}

/** The labels that selectors read. */
export function keysOf(selectors: readonly LabelSelector[] | undefined): ReadonlySet<string> {
  return new Set(selectors?.flatMap(({ keys }) => [...keys]));
}

/** The selectors of a list that have no fault; those that have one are told in `errors.selectors`. */
export function readSelectors(
  value: JsonValue | undefined,
  path: string,
  errors: ClauseErrors,
): readonly LabelSelector[] {
  return readList(value, path, errors.clause).flatMap((entry, index) => {
    const reading = parseLabelSelector(entry, `${path}[${index}]`);
    if (reading.ok) return [reading.selector];
    errors.selectors.push(...reading.errors);
    return [];
  });
}

/** As {@link readSelectors}; `undefined` where everything matches. Faulty selectors never come to mean everything. */
function readOptionalSelectors(
  value: JsonValue | undefined,
  path: string,
  errors: ClauseErrors,
): readonly LabelSelector[] | undefined {
  const selectors = readSelectors(value, path, errors);
  const isGiven = readList(value, path, []).length > 0;
  return isGiven && !selectors.some(({ isEmpty }) => isEmpty) ? selectors : undefined;
}

function readNames(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): ReadonlySet<string> | undefined {
  const names = readTexts(value, path, errors);
  return names.length === 0 || names.includes('*') ? undefined : new Set(names);
}

function readApiGroup(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): ReadonlySet<string> | undefined {
  if (typeof value === 'string') return new Set([value]);
  if (value !== undefined && value !== null)
    errors.push(`${path}: must be a string; write "" for the core group, leave it out for any`);
  return undefined;
}

function textOf(test: Omit<DownsyncTest, 'text'>): string {
  const texts = (selectors: readonly LabelSelector[] | undefined): readonly string[] | null =>
    selectors?.map(({ text }) => text).sort() ?? null;
  const { exact, objectSelectors, namespaceSelectors } = test;
  const names = DIMENSIONS.map((dimension) => {
    const passing = exact[dimension];
    return passing === undefined ? null : [...passing].sort();
  });
  return stringifyJson([...names, texts(objectSelectors), texts(namespaceSelectors)]);
}

/**
 * Reads the six tests of a clause (KubeStellar, `DownsyncPolicyClause`): an absent or empty list and one that holds
 * `*` let everything pass, other names have to be equal; an absent `apiGroup` is any group. When a fault is told in
 * `errors.clause`, what is returned is of no use.
 */
export function readDownsyncTest(
  clause: JsonObject,
  path: string,
  errors: ClauseErrors,
): DownsyncTest {
  if (TEST_MEMBERS.every((member) => (clause[member] ?? null) === null))
    errors.clause.push(`${path}: needs at least one of ${TEST_MEMBERS.join(', ')}`);
  const names = (member: string): ReadonlySet<string> | undefined =>
    readNames(clause[member], `${path}.${member}`, errors.clause);
  const selectors = (member: string): readonly LabelSelector[] | undefined =>
    readOptionalSelectors(clause[member], `${path}.${member}`, errors);
  const test = {
    exact: {
      name: names('objectNames'),
      namespace: names('namespaces'),
      resource: names('resources'),
      group: readApiGroup(clause['apiGroup'], `${path}.apiGroup`, errors.clause),
    },
    objectSelectors: selectors('objectSelectors'),
    namespaceSelectors: selectors('namespaceSelectors'),
  };
  return { text: textOf(test), ...test };
}
