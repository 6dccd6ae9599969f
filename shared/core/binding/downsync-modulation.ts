import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { readMembers } from '#shared/core/known-members.ts';
import { isPathSegment } from '#shared/core/names.ts';
import { NO_COLLECTOR_NAME, outdatedCollection } from './messages.ts';
import { readBoundedList, readFlag } from './policy-field.ts';

/** What is requested for one workload object, as far as the return of status needs it. */
export interface Modulation {
  /** Names of StatusCollectors, sorted, each once. */
  readonly statusCollectors: readonly string[];
  readonly wantSingletonReportedState: boolean;
  readonly wantMultiWECReportedState: boolean;
}

/** What a clause of a BindingPolicy requests for the objects that it matches (KubeStellar, `DownsyncModulation`). */
export interface DownsyncModulation extends Modulation {
  /** Create the object in a WEC if it is missing there, but never update it. */
  readonly createOnly: boolean;
}

/** The members of a clause that define how objects are sent, not which objects. */
export const MODULATION_MEMBERS = [
  'createOnly',
  'statusCollectors',
  'wantSingletonReportedState',
  'wantMultiWECReportedState',
] as const;

/** Each text once, sorted. */
export function distinct(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort();
}

/** How many StatusCollectors of one list count. Each makes a result of its own for each object. */
export const MAX_LISTED_COLLECTORS = 100;

/** Names of StatusCollectors, sorted, each once. Entries that are not names are reported in `errors`. */
export function readCollectorNames(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly string[] {
  const names: string[] = [];
  const limit = { path, max: MAX_LISTED_COLLECTORS, remedy: 'name fewer StatusCollectors' };
  for (const [index, name] of readBoundedList(value, limit, errors).entries()) {
    if (typeof name === 'string' && isPathSegment(name)) names.push(name);
    else errors.push(`${path}[${index}]: ${NO_COLLECTOR_NAME}`);
  }
  return distinct(names);
}

/** Errors and remarks about what was read. */
export interface ModulationFindings {
  readonly errors: string[];
  /** Outdated spellings that are still read: the field, and what to write instead. */
  readonly outdated: string[];
}

const NESTED_MEMBERS: ReadonlySet<string> = new Set(['statusCollectors']);

/**
 * The collectors in the outdated spelling `statusCollection: {statusCollectors: [...]}`, which is one level deeper than
 * today's spelling (combined-status document; docs/architecture.md, section 9.1).
 *
 * @param path the path of the object that has the member
 */
export function readNestedCollectors(
  value: JsonValue | undefined,
  path: string,
  { errors, outdated }: ModulationFindings,
): readonly string[] {
  if (value === undefined || value === null) return [];
  const field = `${path}.statusCollection`;
  outdated.push(outdatedCollection(path));
  const nested = readMembers(value, { path: field, members: NESTED_MEMBERS }, errors);
  return readCollectorNames(nested['statusCollectors'], `${field}.statusCollectors`, errors);
}

/** Reads the modulation of a clause. Errors are reported in `errors`. */
export function readModulation(
  clause: JsonObject,
  path: string,
  errors: string[],
): DownsyncModulation {
  const flag = (name: (typeof MODULATION_MEMBERS)[number]): boolean =>
    readFlag(clause[name], `${path}.${name}`, errors);
  return {
    createOnly: flag('createOnly'),
    statusCollectors: readCollectorNames(
      clause['statusCollectors'],
      `${path}.statusCollectors`,
      errors,
    ),
    wantSingletonReportedState: flag('wantSingletonReportedState'),
    wantMultiWECReportedState: flag('wantMultiWECReportedState'),
  };
}

/** Combines two requests for one object: flags by OR, collectors by union. */
export function mergeWants(a: Modulation, b: Modulation): Modulation {
  return {
    statusCollectors: distinct([...a.statusCollectors, ...b.statusCollectors]),
    wantSingletonReportedState: a.wantSingletonReportedState || b.wantSingletonReportedState,
    wantMultiWECReportedState: a.wantMultiWECReportedState || b.wantMultiWECReportedState,
  };
}

/** Combines the modulations of two clauses that match the same object (KubeStellar, `DownsyncPolicyClause`). */
export function mergeModulations(a: DownsyncModulation, b: DownsyncModulation): DownsyncModulation {
  return { ...mergeWants(a, b), createOnly: a.createOnly || b.createOnly };
}
