import { operatorColumnName } from '#shared/core/expression/operator-expression.ts';
import { NO_LIST, NO_OBJECT, NO_STRING, noneOf } from '#shared/core/field-messages.ts';
import { isArray, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { unknownFields, unknownMembers } from '#shared/core/known-members.ts';
import { MAX_COLUMNS } from '#shared/core/limits.ts';
import { AGGREGATIONS, type Aggregation } from './aggregator.ts';
import {
  EXCLUSIVE_SELECT,
  GROUPS_ALONE,
  invalidLimit,
  longList,
  MISSING,
  manyColumns,
  NO_COLUMN,
  NO_EXPRESSION,
  repeatedName,
  SUBJECT_OF_COUNT,
} from './messages.ts';

/** CEL text, or an expression in the older form `{op, path, args}` (docs/architecture.md, section 9.9). */
export type Expression = string | JsonObject;

/** A named expression of a collector, as in its `spec`. */
export interface NamedExpression {
  readonly name: string;
  readonly def: Expression;
  /** Path of `def` in the spec, for messages. */
  readonly field: string;
}

/** A named aggregation of a collector. `subject` is absent for COUNT. */
export interface NamedAggregator {
  readonly name: string;
  readonly type: Aggregation;
  readonly subject?: Expression;
}

/** The `spec` of a StatusCollector that satisfies the structural rules. Its expressions are not compiled yet. */
export interface CollectorSpec {
  readonly filter?: Expression;
  readonly select: readonly NamedExpression[];
  readonly groupBy: readonly NamedExpression[];
  readonly combinedFields: readonly NamedAggregator[];
  readonly limit: number;
}

type CollectorSpecReading =
  | { readonly ok: true; readonly spec: CollectorSpec }
  | { readonly ok: false; readonly errors: readonly string[] };

/** The limit of a collector that sets none (KubeStellar, `StatusCollectorSpec.limit`). */
const DEFAULT_LIMIT = 20;

/** The maximum length of the name of a column. */
const MAX_COLUMN_NAME = 253;
/** The largest number that the field can hold in KubeStellar's type: int64. */
const MAX_LIMIT = 2n ** 63n - 1n;

/** In the first proposal, the name of a collector is beside its columns and equals `metadata.name`. */
export const NAME = 'name';
/** The members of a spec, besides {@link NAME}. */
export const SPEC_MEMBERS: ReadonlySet<string> = new Set([
  'filter',
  'groupBy',
  'combinedFields',
  'select',
  'limit',
]);
const EXPRESSION_MEMBERS: ReadonlySet<string> = new Set(['name', 'def']);
const AGGREGATOR_MEMBERS: ReadonlySet<string> = new Set(['name', 'type', 'subject']);

type Report = (field: string, problem: string) => void;

/** A member of the spec: its value, and its path for messages. */
interface Field {
  readonly path: string;
  readonly value: JsonValue | undefined;
}

/** An output column: the path of its name, for messages, and the name. */
type NamedColumn = readonly [path: string, name: string];

/**
 * Reads the `spec` of a StatusCollector and checks the structural rules (KubeStellar, combined status, "Detailed
 * Relation with SQL"; docs/architecture.md, section 9.2). Every error names its field and the remedy. Null and empty
 * members count as absent. An unknown member is an error. If it were ignored, a misspelt filter would let every WEC
 * count.
 */
export function readCollectorSpec(spec: JsonValue | undefined): CollectorSpecReading {
  if (!isObject(spec)) return { ok: false, errors: [`spec: ${NO_OBJECT}`] };
  const { [NAME]: _name, ...members } = spec;
  const errors: string[] = [...unknownMembers(members, 'spec', SPEC_MEMBERS)];
  const report: Report = (path, problem) => {
    errors.push(`${path}: ${problem}`);
  };
  const field = fieldOf({ path: 'spec', value: spec });
  const filter = optionalExpression(field('filter'), report);
  const select = selection(field('select'), report);
  const groupBy = namedExpressions(field('groupBy'), report);
  const combinedFields = list(field('combinedFields'), AGGREGATOR_MEMBERS, report).map((entry) =>
    namedAggregator(entry, report),
  );
  const read: CollectorSpec = {
    ...(filter !== undefined && { filter }),
    select,
    groupBy,
    combinedFields,
    limit: readLimit(field('limit'), DEFAULT_LIMIT, report),
  };
  if (errors.length === 0) {
    checkForm(read, report);
    checkNames(read, report);
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, spec: read };
}

function fieldOf(parent: Field): (key: string) => Field {
  return (key) => ({ path: `${parent.path}.${key}`, value: member(parent.value, key) });
}

function isAbsent({ value }: Field): boolean {
  return value === undefined || value === null || value === '';
}

function optionalText(field: Field, report: Report): string | undefined {
  if (isAbsent(field)) return undefined;
  if (typeof field.value === 'string') return field.value;
  report(field.path, NO_STRING);
  return undefined;
}

/** A required text. If it is missing, this is reported, and the result is `''`. */
function requiredText(field: Field, report: Report): string {
  if (isAbsent(field)) report(field.path, MISSING);
  return optionalText(field, report) ?? '';
}

function optionalExpression(field: Field, report: Report): Expression | undefined {
  if (isObject(field.value)) return field.value;
  if (isAbsent(field) || typeof field.value === 'string') return optionalText(field, report);
  report(field.path, NO_EXPRESSION);
  return undefined;
}

/** A required expression. If it is missing, this is reported, and the result is `''`. */
function requiredExpression(field: Field, report: Report): Expression {
  if (isAbsent(field)) report(field.path, MISSING);
  return optionalExpression(field, report) ?? '';
}

/** The selected columns. The older form also allows a single expression, which is one column. */
function selection(field: Field, report: Report): readonly NamedExpression[] {
  const { value, path } = field;
  if (isObject(value) && member(value, 'op') !== undefined)
    return [{ name: operatorColumnName(value), def: value, field: path }];
  return namedExpressions(field, report);
}

function namedExpressions(field: Field, report: Report): readonly NamedExpression[] {
  return list(field, EXPRESSION_MEMBERS, report).map((entry) => namedExpression(entry, report));
}

/** The entries of a list that are objects. Other entries and unknown members are reported. */
function list(field: Field, known: ReadonlySet<string>, report: Report): readonly Field[] {
  if (isAbsent(field)) return [];
  if (!isArray(field.value)) {
    report(field.path, NO_LIST);
    return [];
  }
  if (field.value.length > MAX_COLUMNS) {
    report(field.path, longList(field.value.length, MAX_COLUMNS));
    return [];
  }
  const entries = field.value.map((value, index) => ({ path: `${field.path}[${index}]`, value }));
  return entries.filter(({ path, value }) => {
    if (!isObject(value)) {
      report(path, NO_OBJECT);
      return false;
    }
    for (const unknown of unknownFields(value, path, known)) report(unknown.path, unknown.problem);
    return true;
  });
}

function namedExpression(entry: Field, report: Report): NamedExpression {
  const field = fieldOf(entry);
  return {
    name: requiredText(field('name'), report),
    def: requiredExpression(field('def'), report),
    field: field('def').path,
  };
}

function namedAggregator(entry: Field, report: Report): NamedAggregator {
  const field = fieldOf(entry);
  const name = requiredText(field('name'), report);
  const type = AGGREGATIONS.find((known) => known === field('type').value);
  const subject = field('subject');
  if (type === undefined) {
    report(field('type').path, noneOf(AGGREGATIONS.join(', ')));
    return { name, type: 'COUNT' };
  }
  if (type !== 'COUNT') return { name, type, subject: requiredExpression(subject, report) };
  if (subject.value !== undefined && subject.value !== null) report(subject.path, SUBJECT_OF_COUNT);
  return { name, type };
}

/** The limit of a spec: `fallback` if it sets none. */
export function readLimit({ path, value }: Field, fallback: number, report: Report): number {
  // A Go client writes 0 if its user set nothing.
  if (value === undefined || value === null || value === 0) return fallback;
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) return value;
  if (typeof value === 'bigint' && value > 0n && value <= MAX_LIMIT) return Number(value);
  report(path, invalidLimit(fallback));
  return fallback;
}

function checkForm({ select, groupBy, combinedFields }: CollectorSpec, report: Report): void {
  if (select.length > 0 && groupBy.length + combinedFields.length > 0)
    report('spec.select', EXCLUSIVE_SELECT);
  if (groupBy.length > 0 && combinedFields.length === 0) report('spec.groupBy', GROUPS_ALONE);
  if (select.length + groupBy.length + combinedFields.length === 0) report('spec', NO_COLUMN);
  const columns = select.length + groupBy.length + combinedFields.length;
  if (columns > MAX_COLUMNS) report('spec', manyColumns(columns, MAX_COLUMNS));
}

function checkNames(spec: CollectorSpec, report: Report): void {
  const columns: readonly NamedColumn[] = (
    ['select', 'groupBy', 'combinedFields'] as const
  ).flatMap((key) =>
    spec[key].map(({ name }, index): NamedColumn => [`spec.${key}[${index}].name`, name]),
  );
  const first = new Map<string, string>();
  for (const [path, name] of columns) {
    if (name.length > MAX_COLUMN_NAME)
      report(path, `has ${name.length} characters; give at most ${MAX_COLUMN_NAME}`);
    const earlier = first.get(name);
    if (earlier !== undefined) report(path, repeatedName(name, earlier));
    else first.set(name, path);
  }
}
