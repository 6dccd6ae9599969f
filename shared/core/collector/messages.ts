import { counted } from '#shared/core/counted.ts';
import type { ExpressionError } from '#shared/core/expression/expression.ts';
import { TYPE_REMEDY } from '#shared/core/expression/messages.ts';

// The sentences about StatusCollectors. Those about a field of a spec follow its path and a colon. The others are in
// results, and in the errors of Bindings.

/** The remedies for an expression that cannot be used. The message about an unknown member has its own remedy. */
export const REMEDIES = {
  'too-long': 'shorten the expression',
  'too-deep': 'nest less deeply',
  'too-expensive': 'count, repeat or nest less, or use two StatusCollectors',
  syntax: 'write an expression of the Common Expression Language, such as returned.status.phase',
  type: TYPE_REMEDY,
  pattern: 'write a pattern in RE2 syntax, which has no lookaround and no backreferences',
  'undeclared-reference': 'use the variables inventory, obj, returned and propagation',
} as const satisfies Record<Exclude<ExpressionError['code'], 'unknown-member'>, string>;

/** The message about an expression that cannot be used, with its remedy. */
export function withRemedy({ code, message }: Pick<ExpressionError, 'code' | 'message'>): string {
  return code === 'unknown-member' ? message : `${message}; ${REMEDIES[code]}`;
}

/** In the older form, texts among the arguments are CEL. This remark helps a user who meant a constant. */
export const CONSTANT = `; a constant text has its own quotes: "'Running'"`;

/** A required string, or expression. */
export const MISSING = 'is missing; give a non-empty string';

/** A filter, a column or a subject that is neither a string nor an object. */
export const NO_EXPRESSION =
  'must be a string, such as "returned.status.phase", or an expression {op, path, args}, such as {op: Path, path: $.status.phase}';

/** A selection beside an aggregation. */
export const EXCLUSIVE_SELECT = 'excludes groupBy and combinedFields; use two StatusCollectors';

/** Groups without an aggregation. */
export const GROUPS_ALONE = 'needs combinedFields; add one, such as {name: count, type: COUNT}';

/** A spec without a column. */
export const NO_COLUMN = 'has no output column; add select or combinedFields';

/** A subject beside COUNT. */
export const SUBJECT_OF_COUNT = 'COUNT counts rows and takes no subject; remove it';

/** `fallback` is the limit of a collector that sets none. */
export function invalidLimit(fallback: number): string {
  return `must be a positive integer; leave it out for ${fallback}`;
}

/** One list of the spec has more entries than a collector may have columns. */
export function longList(entries: number, max: number): string {
  return `has ${entries} entries; give at most ${max}, and the others to another StatusCollector`;
}

/** The lists of a spec have too many entries together. */
export function manyColumns(columns: number, max: number): string {
  return `has ${columns} output columns, more than ${max}; use several StatusCollectors`;
}

/** `earlier` is the path of the same name. */
export function repeatedName(name: string, earlier: string): string {
  return `is ${JSON.stringify(name)} as ${earlier}; give each column its own name`;
}

/** `type` is the static type of the filter. */
export function filterType(type: string): string {
  return `the filter is of type ${type}; make it a bool, such as a comparison`;
}

/** `steps` is the fewest steps of a row up to this expression; `max` what a row has. */
export function expensiveRow(steps: number, max: number): string {
  return `takes at least ${steps} steps with the expressions before it, whatever the data; a row has ${max}`;
}

/** Up to this expression, the patterns exceed `max`. */
export function largePatternsOfCollector(size: number, max: number): string {
  return `its patterns and those before it count ${size}; those of a StatusCollector may count ${max}`;
}

/** `type` is the type of the value that the filter has for a row. */
export function filterValue(type: string): string {
  return `the filter returned a value of type ${type} instead of a bool`;
}

/** `value` is the subject of an aggregation: its type or, for a string, its text. */
export function notANumber(value: string): string {
  return `${value} is not a number and counts as 0`;
}

/** Rows cannot be grouped by a list or map. */
export function compositeKey(type: string): string {
  return `a group key must be a single value, but this is a ${type}`;
}

/** The group key is larger than a cell may be. */
export function largeKey(bytes: number): string {
  return `the group key takes more than ${bytes} bytes as JSON`;
}

/** `wecs` is the number of WECs whose errors are not shown. */
export function moreErrors(wecs: number): string {
  return `(and ${wecs} more ${wecs === 1 ? 'WEC has' : 'WECs have'} an error in this column)`;
}

const MORE_ERRORS = / \(and (\d+) more WECs? ha(?:s|ve) an error in this column\)$/;

/** An error without what {@link moreErrors} adds, and the number of WECs that it gives. */
export function splitMoreErrors(error: string): { readonly text: string; readonly more: number } {
  const match = MORE_ERRORS.exec(error);
  return match === null
    ? { text: error, more: 0 }
    : { text: error.slice(0, match.index), more: Number(match[1]) };
}

/** An average without a value. */
export const NO_VALUES = 'no values to average';

/** A value is larger than the cell of a result may be. */
export function largeCell(bytes: number): string {
  return `the value takes more than ${bytes} bytes as JSON, or is nested too deep; select a part of it`;
}

/** The expressions of a row exceed the share of its collector. `reason` is a {@link shareReason}. */
export function expensiveShare(steps: number, reason: string): string {
  return `the expressions take more than ${steps} steps: ${reason}`;
}

/** The engine itself has failed. */
export function notEvaluated(error: unknown): string {
  return `the expression could not be evaluated: ${String(error)}`;
}

/** `rows` is the limit of the collector; `bytes` is what its rows may take. */
export function largeRows(rows: number, bytes: number): string {
  return `its first ${rows} rows take more than ${bytes} bytes: give a lower limit, or select less`;
}

/** The results of a CombinedStatus exceed `bytes` together. */
export function largeResult(bytes: number): string {
  return `its result does not fit into the CombinedStatus, which takes at most ${bytes} bytes: give a lower limit, select less, or name it in a BindingPolicy of its own`;
}

/** Why a collector may use less than the limits of one collector allow. `bindings` share the WECs of the object. */
export function shareReason(collectors: number, bindings: number): string {
  return `this is the share of one of ${counted(collectors, 'collector')} of one of ${counted(bindings, 'Binding')} with collectors for the object in these WECs; name fewer collectors for it`;
}

/** A share of fewer steps than `least`, which the collector takes with any data. */
export function smallShare(steps: number, least: number, reason: string): string {
  return `not evaluated, as it may take ${steps} steps for a WEC and takes ${least} or more: ${reason}`;
}

/** The collectors of one of `bindings` would take more memory than `max`. */
export function largeCompiled(bytes: number, max: number, bindings: number): string {
  return `not evaluated, as it takes ${bytes} bytes compiled, and the collectors of a Binding may take ${max} together for the object (this is the share of one of ${counted(bindings, 'Binding')} with collectors for the object): give it fewer or shorter expressions and patterns, or name fewer collectors for the object`;
}

/** All rows take more than `steps`. `max` is what one row may take. */
export function expensiveCollector(rows: number, steps: number, max: number): string {
  return `evaluating it over ${rows} destinations takes more than ${steps} steps, which are ${Math.floor(steps / rows)} for each on average: make its expressions cheaper (one destination may take up to ${max}), or send the object to fewer WECs`;
}
