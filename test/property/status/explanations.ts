import { foldRows } from '#shared/core/fold/fold.ts';
import { equalJson, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { allSlices } from '#shared/core/slices.ts';
import {
  type ExplainedObject,
  explainAggregate,
  type FieldExplanation,
} from '#shared/core/status/kinds/explain-status.ts';
import { ruleOf, statusFold } from '#shared/core/status/kinds/rules.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import type { KindSet } from './kind-sets.ts';

/** Among so few WECs, every choice of them is folded. */
const FEW = 4;

/** An object in the WDS, and what the WECs return of it. */
export interface Explained extends ExplainedObject {
  readonly rows: readonly PerWecRow[];
}

/** A random set, as far as explanations read it. */
export function explainedSet({ workload, specsByHash, wecs }: KindSet): Explained {
  return { workload, specsByHash, rows: wecs.map(({ perWec }) => perWec) };
}

type Fields = ReadonlyMap<string, JsonValue>;

function isDeep({ workload }: Explained): boolean {
  return ruleOf(workload) === undefined;
}

/** The fields of the aggregate of some WECs. */
function aggregated(one: Explained, rows: readonly PerWecRow[]): Fields {
  const fold = statusFold(one.workload, one.specsByHash);
  return statusPaths(fold.finish(foldRows(fold, rows)) ?? {}, isDeep(one));
}

function isByAll({ decidedBy = [] }: FieldExplanation): boolean {
  return decidedBy.some((one) => 'all' in one);
}

/** The rules that need all WECs, although one alone may give the same: "all say True", the same text in all. */
function needsAll({ rule, value }: FieldExplanation): boolean {
  if (rule === 'condition') return member(value, 'status') === 'True';
  return value !== undefined && ['true-in-all', 'same-in-all'].includes(rule);
}

function properSubsets<T>(all: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: 2 ** all.length - 2 }, (_none, index) =>
    all.filter((_one, place) => ((index + 1) >> place) % 2 === 1),
  );
}

/** All decide a field although fewer do. */
function wronglyByAll(one: Explained, field: FieldExplanation, whole: Fields): readonly string[] {
  if (one.rows.length > FEW || needsAll(field)) return [];
  const { path, rule } = field;
  const smaller = properSubsets(one.rows).find((some) =>
    equalJson(aggregated(one, some).get(path), whole.get(path)),
  );
  return smaller ? [`${path} (${rule}): ${smaller.map(({ wec }) => wec)} would do`] : [];
}

/** The WECs that decide a field give another value alone. */
function wrongNames(one: Explained, field: FieldExplanation): readonly string[] {
  const { path, rule, value, decidedBy = [] } = field;
  const names = decidedBy.flatMap((decider) => ('wec' in decider ? [decider.wec] : []));
  const some = one.rows.filter(({ wec }) => names.includes(wec));
  const isNamed = some.length > 0 && some.length === names.length;
  return isNamed && equalJson(aggregated(one, some).get(path), value)
    ? []
    : [`${path} (${rule}): ${names} give another value`];
}

function wrongField(one: Explained, field: FieldExplanation, whole: Fields): readonly string[] {
  const { path, rule, value, omitted = false, decidedBy } = field;
  if (!equalJson(value, whole.get(path)) || omitted !== (value === undefined))
    return [`${path} (${rule}): another value`];
  if (rule === 'not-aggregated')
    return omitted && decidedBy === undefined ? [] : [`${path}: is aggregated`];
  return isByAll(field) ? wronglyByAll(one, field, whole) : wrongNames(one, field);
}

function isReported(value: JsonValue): boolean {
  return value !== null && !equalJson(value, []);
}

/** The fields that the aggregate has, or that a WEC reports, and that the explanation does not have. */
function missingFields(
  one: Explained,
  fields: readonly FieldExplanation[],
  whole: Fields,
): readonly string[] {
  const paths = fields.map(({ path }) => path);
  const reported = one.rows.flatMap(({ row }) => {
    const status: JsonObject = isObject(row?.status) ? row.status : {};
    const all = [...statusPaths(status, isDeep(one))];
    return all.flatMap(([path, value]) => (isReported(value) ? [path] : []));
  });
  const isThere = (path: string): boolean =>
    paths.some((own) => own.startsWith(path) || (isDeep(one) && path.startsWith(own)));
  return [
    ...[...whole.keys()].filter((path) => !paths.includes(path)),
    ...reported.filter((path) => !isThere(path)),
  ].map((path) => `${path}: missing`);
}

/**
 * What is wrong with the explanation of the aggregate of some WECs, in words: it lacks a field of the aggregate or one
 * that a WEC reports, has one twice or with another value; the WECs that decide a field give another value alone; all
 * decide a field although fewer do (if there are few WECs). With the number of fields, and of those that all decide.
 */
export function wrongExplanations(one: Explained): {
  readonly wrong: readonly string[];
  readonly fields: number;
  readonly byAll: number;
} {
  const explanation = allSlices(explainAggregate(one, one.rows));
  const whole = aggregated(one, one.rows);
  const { fields = [] } = explanation ?? {};
  const isTwice = new Set(fields.map(({ path }) => path)).size !== fields.length;
  const wrong = [
    ...(isTwice ? ['a path is there twice'] : []),
    ...(explanation === undefined ? [] : missingFields(one, fields, whole)),
    ...(explanation === undefined && whole.size > 0 ? ['there is no explanation'] : []),
    ...fields.flatMap((field) => wrongField(one, field, whole)),
  ];
  return { wrong, fields: fields.length, byAll: fields.filter(isByAll).length };
}
