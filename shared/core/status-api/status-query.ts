import { type LabelSelector, parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import { NAME, readLimit, SPEC_MEMBERS } from '#shared/core/collector/collector-spec.ts';
import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { NO_FLAG, NO_OBJECT, NO_STRING, noObjectWith } from '#shared/core/field-messages.ts';
import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { unknownFields } from '#shared/core/known-members.ts';
import type { Labels } from '#shared/core/labels.ts';
import { DEFAULT_QUERY_LIMIT, MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import { longAnswer } from './messages.ts';
import type { WorkloadName } from './status-name.ts';

/** The workload objects that a query names. What is absent is any. */
export interface NamedWorkloads {
  readonly resource?: string;
  /** `''` is the core group. */
  readonly group?: string;
  readonly name?: string;
  /** Only for ClusterStatusQueries: the objects of all namespaces instead of those without a namespace. */
  readonly allNamespaces: boolean;
}

/** The workload objects that a query is about. */
export interface QueriedWorkloads extends NamedWorkloads {
  /** Whether the query is about an object with these labels. */
  matches(labels: Labels): boolean;
}

/** A valid StatusQuery or ClusterStatusQuery. */
export interface StatusQuery {
  /** Its limit is that of one answer. */
  readonly collector: CompiledCollector;
  readonly workloads: QueriedWorkloads;
  /** Absent for the first answer. */
  readonly continueToken?: string;
}

/** What one WEC reports of one workload object, as expressions see it. */
export interface QueriedRow {
  readonly workload: WorkloadName;
  /** Kind of the workload object. */
  readonly kind: string;
  readonly row: CollectorRow;
  /** About how many bytes of JSON were read for it. */
  readonly bytes: number;
  /** Where a query goes on after this row. */
  readonly position: string;
}

/** Something that is wrong with a query. */
export interface QueryFault {
  /** Path of the field, such as `spec.select[0].def`. */
  readonly field: string;
  /** The problem and the remedy. */
  readonly message: string;
}

type QueryReading =
  | { readonly ok: true; readonly query: StatusQuery }
  | { readonly ok: false; readonly faults: readonly QueryFault[] };

type Report = (field: string, message: string) => void;

const OBJECT_MEMBERS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata',
  'spec',
  'status',
]);
const QUERY_MEMBERS: ReadonlySet<string> = new Set([...SPEC_MEMBERS, 'workloads', 'continue']);
const WORKLOADS = 'spec.workloads';
const WORKLOADS_MEMBERS = ['resource', 'group', 'name', 'labelSelector'] as const;
const ALL_NAMESPACES = 'allNamespaces';

/** The path at the beginning of an error of a StatusCollector: it is followed by a colon, or by the place in an expression. */
const PATH = /^(spec(?:\.\w+|\[\d+\])*)(?::|,) (?=.)/;

function faultOf(text: string): QueryFault {
  const [beginning = '', field = 'spec'] = PATH.exec(text) ?? [];
  return { field, message: text.slice(beginning.length) };
}

function textOf(parent: JsonObject, key: string, report: (problem: string) => void) {
  const value = member(parent, key);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  report(NO_STRING);
  return undefined;
}

function selectorOf(value: JsonValue | undefined, report: Report): LabelSelector | undefined {
  if (value === undefined || value === null) return undefined;
  const reading = parseLabelSelector(value, `${WORKLOADS}.labelSelector`);
  if (reading.ok) return reading.selector;
  for (const error of reading.errors) {
    const { field, message } = faultOf(error);
    report(field, message);
  }
  return undefined;
}

function allNamespacesOf(workloads: JsonObject, report: Report): boolean {
  const value = member(workloads, ALL_NAMESPACES);
  if (value === undefined || value === null || value === false) return false;
  if (value !== true) report(`${WORKLOADS}.${ALL_NAMESPACES}`, NO_FLAG);
  return true;
}

/** The texts of `workloads`. An empty resource or name is any; an empty group is the core group. */
function namesOf(workloads: JsonObject, isNamespaced: boolean, report: Report): NamedWorkloads {
  const entries = (['resource', 'group', 'name'] as const).flatMap((key) => {
    const text = textOf(workloads, key, (problem) => report(`${WORKLOADS}.${key}`, problem));
    return text === undefined || (text === '' && key !== 'group') ? [] : [[key, text] as const];
  });
  const allNamespaces = !isNamespaced && allNamespacesOf(workloads, report);
  return { ...Object.fromEntries(entries), allNamespaces };
}

function readWorkloads(
  value: JsonValue | undefined,
  isNamespaced: boolean,
  report: Report,
): QueriedWorkloads {
  const given = value ?? {};
  const workloads = isObject(given) ? given : {};
  if (!isObject(given)) report(WORKLOADS, noObjectWith(WORKLOADS_MEMBERS.join(', ')));
  const known = new Set([...WORKLOADS_MEMBERS, ...(isNamespaced ? [] : [ALL_NAMESPACES])]);
  for (const unknown of unknownFields(workloads, WORKLOADS, known))
    report(unknown.path, unknown.problem);
  const selector = selectorOf(member(workloads, 'labelSelector'), report);
  return {
    ...namesOf(workloads, isNamespaced, report),
    matches: (labels) => selector?.matches(labels) !== false,
  };
}

function queryLimit(spec: JsonObject, report: Report): number {
  const field = { path: 'spec.limit', value: member(spec, 'limit') };
  const limit = readLimit(field, DEFAULT_QUERY_LIMIT, report);
  if (limit > MAX_QUERY_LIMIT) report(field.path, longAnswer(limit, MAX_QUERY_LIMIT));
  return limit;
}

/** The members of a query that are those of a StatusCollector, with the limit of an answer. */
function collectorSpecOf(spec: JsonObject, limit: number): JsonObject {
  const own = Object.entries(spec).filter(([key]) => key === NAME || SPEC_MEMBERS.has(key));
  return { ...Object.fromEntries(own), limit: Math.min(limit, MAX_QUERY_LIMIT) };
}

/**
 * Reads which workload objects a StatusQuery names, and nothing else: for a user who may not read the objects, nothing is compiled.
 * What is not valid is left out here, and {@link readStatusQuery} reports it.
 *
 * @param isNamespaced whether it is a StatusQuery, or a ClusterStatusQuery
 */
export function readNamedWorkloads(object: JsonObject, isNamespaced: boolean): NamedWorkloads {
  const value = at(object, 'spec', 'workloads');
  return namesOf(isObject(value) ? value : {}, isNamespaced, () => undefined);
}

/**
 * Reads a StatusQuery. Its expressions are those of a StatusCollector: the rules, the prices and the messages are the same. An
 * unknown member is an error. If it were ignored, a misspelt filter would let every row count.
 *
 * @param isNamespaced whether it is a StatusQuery, or a ClusterStatusQuery
 */
export function readStatusQuery(object: JsonObject, isNamespaced: boolean): QueryReading {
  const faults: QueryFault[] = [];
  const report: Report = (field, message) => {
    faults.push({ field, message });
  };
  for (const unknown of unknownFields(object, '', OBJECT_MEMBERS))
    report(unknown.path, unknown.problem);
  const spec = member(object, 'spec') ?? {};
  if (!isObject(spec)) {
    report('spec', NO_OBJECT);
    return { ok: false, faults };
  }
  const { [NAME]: _name, ...members } = spec;
  for (const unknown of unknownFields(members, 'spec', QUERY_MEMBERS))
    report(unknown.path, unknown.problem);
  const workloads = readWorkloads(member(spec, 'workloads'), isNamespaced, report);
  const token = textOf(spec, 'continue', (problem) => report('spec.continue', problem));
  const compilation = compileStatusCollector(collectorSpecOf(spec, queryLimit(spec, report)));
  if (!compilation.ok) faults.push(...compilation.errors.map(faultOf));
  if (!compilation.ok || faults.length > 0) return { ok: false, faults };
  const { collector } = compilation;
  return {
    ok: true,
    query: { collector, workloads, ...(token ? { continueToken: token } : {}) },
  };
}
