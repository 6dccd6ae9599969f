import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';
import type { DownsyncObjectRef } from './downsync-object.ts';
import { type LabelSelector, parseLabelSelector } from './label-selector.ts';
import { ANY_GROUP, CORE_GROUP, noTest } from './messages.ts';
import { readList, readTexts } from './policy-field.ts';

/** The names that identify an object, the most selective first. */
export const DIMENSIONS = ['name', 'namespace', 'resource', 'group'] as const;
/** One of the names of an object. */
export type Dimension = (typeof DIMENSIONS)[number];

/** The six tests of a clause of a BindingPolicy. An object must pass all of them. */
export interface DownsyncTest {
  /** The tests as canonical text. Two tests are equal if their texts are equal. */
  readonly text: string;
  /** The names that pass. If `undefined`, every name passes. */
  readonly exact: Readonly<Record<Dimension, ReadonlySet<string> | undefined>>;
  /** One of these must match the labels of the object. If `undefined`, any labels pass. */
  readonly objectSelectors: readonly LabelSelector[] | undefined;
  /**
   * One of these must match the labels of the object's Namespace, which must exist. If `undefined`, objects of any
   * namespace pass, and cluster-scoped objects too.
   */
  readonly namespaceSelectors: readonly LabelSelector[] | undefined;
}

/** The members of a clause that define which objects are sent, not how. */
export const TEST_MEMBERS = [
  'apiGroup',
  'resources',
  'namespaces',
  'objectNames',
  'objectSelectors',
  'namespaceSelectors',
] as const;

/**
 * The errors of a clause. An error of a selector affects only that selector. The other errors affect the whole clause.
 */
export interface ClauseErrors {
  readonly clause: string[];
  readonly selectors: string[];
}

/** Whether the names of an object pass. */
export function admits(test: DownsyncTest, ref: DownsyncObjectRef): boolean {
  return DIMENSIONS.every((dimension) => test.exact[dimension]?.has(ref[dimension]) ?? true);
}

/** Whether one of the selectors matches. If there are no selectors to apply, everything matches. */
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

/** The valid selectors of a list. Errors of the invalid selectors are reported in `errors.selectors`. */
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

/**
 * Like {@link readSelectors}, but returns `undefined` if everything matches. Invalid selectors never match everything.
 */
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
  if (value !== undefined && value !== null) errors.push(`${path}: ${CORE_GROUP}${ANY_GROUP}`);
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
 * Reads the six tests of a clause (KubeStellar, `DownsyncPolicyClause`). If a list is absent, empty, or contains `*`,
 * everything passes. Other names must be equal. An absent `apiGroup` means any group. If an error is reported in
 * `errors.clause`, the returned test must not be used.
 */
export function readDownsyncTest(
  clause: JsonObject,
  path: string,
  errors: ClauseErrors,
): DownsyncTest {
  if (TEST_MEMBERS.every((member) => (clause[member] ?? null) === null))
    errors.clause.push(`${path}: ${noTest(TEST_MEMBERS.join(', '))}`);
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
