import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import { AGGREGATIONS, type Aggregation } from '#shared/core/collector/aggregator.ts';
import { isArray, isObject, type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { GroupColumn } from '#shared/core/status-api/merge-groups.ts';

/** A column: a name, and what it is. */
export interface NamedLine {
  /** `''`: the name is taken from the expression. */
  readonly name: string;
  readonly def: string;
}

/** An aggregated column. COUNT has no subject. */
export interface CombinedLine {
  readonly name: string;
  readonly type: Aggregation;
  readonly subject: string;
}

/** A question as it stands in the editor, valid or not. */
export interface Query {
  /** `deployments.apps`; `''`: objects of any resource. */
  readonly resource: string;
  /** `''`: all namespaces. `-`: objects without a namespace. */
  readonly namespace: string;
  /** `''`: objects of any name. */
  readonly name: string;
  /** A label selector as kubectl has it. */
  readonly labels: string;
  readonly filter: string;
  readonly select: readonly NamedLine[];
  readonly groupBy: readonly NamedLine[];
  readonly combined: readonly CombinedLine[];
  /** `''`: as many as one answer has by default. */
  readonly limit: string;
}

/** A question about everything, without a column. */
export const EMPTY: Query = {
  resource: '',
  namespace: '',
  name: '',
  labels: '',
  filter: '',
  select: [],
  groupBy: [],
  combined: [],
  limit: '',
};

/** The namespace of objects without one, as in the addresses of the page. */
export const NO_NAMESPACE = '-';

/** Something that is wrong in a field of the editor. */
export interface FieldProblem {
  /** `filter`, `select.0.def`, `combined.1.subject`, `limit`; `''`: the whole question. */
  readonly field: string;
  readonly message: string;
}

/** A question as it is sent. */
export interface SentQuery {
  readonly kind: 'StatusQuery' | 'ClusterStatusQuery';
  /** Absent for a ClusterStatusQuery. */
  readonly namespace?: string;
  readonly spec: JsonObject;
  readonly columns: readonly GroupColumn[] | undefined;
  /** Each list of the spec, and the line of the editor that each of its entries is. */
  readonly lines: Readonly<Record<'select' | 'groupBy' | 'combinedFields', readonly number[]>>;
}

const PATH_END = /([A-Za-z_]\w*)\s*(?:\[\d+\]\s*)?(?:\)\s*)*(?::.*)?$/s;

/** The name of a column: that which was given, or else the last name of its expression. */
export function columnName({ name, def }: NamedLine): string {
  if (name.trim() !== '') return name.trim();
  return PATH_END.exec(def.trim())?.[1] ?? 'value';
}

/** The name of an aggregated column. */
export function combinedName({ name, type, subject }: CombinedLine): string {
  if (name.trim() !== '') return name.trim();
  const of = type === 'COUNT' ? '' : columnName({ name: '', def: subject });
  return of === '' ? 'count' : `${type.toLowerCase()}_${of}`;
}

function isWritten({ def }: NamedLine): boolean {
  return def.trim() !== '';
}

function isComplete({ type, subject }: CombinedLine): boolean {
  return type === 'COUNT' || subject.trim() !== '';
}

function places<Line>(
  lines: readonly Line[],
  isSent: (line: Line) => boolean,
): readonly (readonly [number, Line])[] {
  return lines.flatMap((line, index) => (isSent(line) ? [[index, line] as const] : []));
}

/** Whether a question has a column. */
export function hasColumns(query: Query): boolean {
  return (
    query.select.some(isWritten) || query.groupBy.some(isWritten) || query.combined.some(isComplete)
  );
}

function selectorOf(text: string): JsonObject | string | undefined {
  if (text.trim() === '') return undefined;
  const reading = parseSelectorText(text);
  if (!reading.ok) return reading.fault;
  const ordered = reading.requirements.find(
    ({ operator }) => operator === 'Gt' || operator === 'Lt',
  );
  if (ordered !== undefined)
    return `${ordered.text}: a query has no < and >; filter by obj.metadata.labels`;
  return {
    matchExpressions: reading.requirements.map(({ key, operator, values }) => ({
      ...{ key, operator },
      ...(values.length === 0 ? {} : { values }),
    })),
  };
}

/** `deployments.apps` in its parts; a resource without a group is one of the core group, as in the addresses of the page. */
function resourceParts(text: string): JsonObject {
  if (text === '') return {};
  const dot = text.indexOf('.');
  if (dot < 0) return { resource: text, group: '' };
  return { resource: text.slice(0, dot), group: text.slice(dot + 1) };
}

function limitOf(text: string): JsonObject {
  const limit = text.trim();
  if (limit === '') return {};
  // What is no number is sent as it is: the API says what is wrong with it.
  return { limit: /^\d{1,15}$/.test(limit) ? Number(limit) : limit };
}

/** The members of a StatusCollector's spec, without its limit, and the lines that they come from. */
export function collectorParts({ filter, select, groupBy, combined }: Query): {
  readonly spec: JsonObject;
  readonly lines: SentQuery['lines'];
} {
  const [selected, keys] = [places(select, isWritten), places(groupBy, isWritten)];
  const fields = places(combined, isComplete);
  const named = (lines: readonly (readonly [number, NamedLine])[]) =>
    lines.map(([, line]) => ({ name: columnName(line), def: line.def }));
  const spec: JsonObject = {
    ...(filter.trim() === '' ? {} : { filter }),
    ...(selected.length === 0 ? {} : { select: named(selected) }),
    ...(keys.length === 0 ? {} : { groupBy: named(keys) }),
    ...(fields.length === 0
      ? {}
      : {
          combinedFields: fields.map(([, line]) => ({
            ...{ name: combinedName(line), type: line.type },
            ...(line.type === 'COUNT' ? {} : { subject: line.subject }),
          })),
        }),
  };
  const lines = {
    select: selected.map(([index]) => index),
    groupBy: keys.map(([index]) => index),
    combinedFields: fields.map(([index]) => index),
  };
  return { spec, lines };
}

/** The question as it is sent, or what the page itself finds wrong with it. */
export function sentQuery(query: Query): SentQuery | FieldProblem {
  const selector = selectorOf(query.labels);
  if (typeof selector === 'string') return { field: 'labels', message: selector };
  const { spec, lines } = collectorParts(query);
  const isInNamespace = query.namespace !== '' && query.namespace !== NO_NAMESPACE;
  const workloads: JsonObject = {
    ...resourceParts(query.resource.trim()),
    ...(query.name.trim() === '' ? {} : { name: query.name.trim() }),
    ...(selector === undefined ? {} : { labelSelector: selector }),
    ...(query.namespace === '' ? { allNamespaces: true } : {}),
  };
  const fields = query.combined.filter(isComplete);
  return {
    kind: isInNamespace ? 'StatusQuery' : 'ClusterStatusQuery',
    ...(isInNamespace ? { namespace: query.namespace.trim() } : {}),
    spec: { ...spec, workloads, ...limitOf(query.limit) },
    columns:
      fields.length === 0
        ? undefined
        : [...lines.groupBy.map(() => 'key' as const), ...fields.map(({ type }) => type)],
    lines,
  };
}

const LIST = /^spec\.(select|groupBy|combinedFields)\[(\d+)\](?:\.(\w+))?/;
const WORKLOADS: Readonly<Record<string, string>> = {
  'spec.workloads.resource': 'resource',
  'spec.workloads.group': 'resource',
  'spec.workloads.name': 'name',
  'spec.filter': 'filter',
  'spec.limit': 'limit',
};

/** The field of the editor that a field of the API is. */
export function editorField(field: string, { lines }: Pick<SentQuery, 'lines'>): string {
  const known = WORKLOADS[field];
  if (known !== undefined) return known;
  if (field.startsWith('spec.workloads.labelSelector')) return 'labels';
  const [, list, index, part] = LIST.exec(field) ?? [];
  if (list === undefined) return '';
  const line = lines[list as keyof SentQuery['lines']][Number(index)];
  if (line === undefined) return '';
  const name = list === 'combinedFields' ? 'combined' : list;
  return `${name}.${line}.${part ?? (name === 'combined' ? 'subject' : 'def')}`;
}

function texts(value: JsonValue, keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, textAt(value, key)]));
}

function listOf(value: JsonValue, key: string): readonly JsonValue[] {
  const list = isObject(value) ? value[key] : undefined;
  return isArray(list) ? list.filter(isObject) : [];
}

const TEXTS = ['resource', 'namespace', 'name', 'labels', 'filter', 'limit'] as const;

/** The question in a value that came from outside. What it does not have is empty; what is no question at all is undefined. */
export function readQuery(value: JsonValue): Query | undefined {
  if (!isObject(value)) return undefined;
  const named = (key: string): readonly NamedLine[] =>
    listOf(value, key).map((line) => texts(line, ['name', 'def']) as unknown as NamedLine);
  return {
    ...EMPTY,
    ...texts(value, TEXTS),
    select: named('select'),
    groupBy: named('groupBy'),
    combined: listOf(value, 'combined').map((line) => ({
      ...(texts(line, ['name', 'subject']) as { name: string; subject: string }),
      type: AGGREGATIONS.find((one) => one === textAt(line, 'type')) ?? 'COUNT',
    })),
  };
}

/** A question without what is empty, for an address. */
export function shortQuery(query: Query): JsonObject {
  const entries = Object.entries(query).filter(([, value]) => value.length > 0);
  return Object.fromEntries(entries) as JsonObject;
}

/** Whether two questions are the same. */
export function isSame(a: Query, b: Query): boolean {
  return JSON.stringify(readQuery(shortQuery(a))) === JSON.stringify(readQuery(shortQuery(b)));
}
