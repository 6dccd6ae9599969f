import { UsageError } from '#local/cli/terminal/cli-error.ts';
import { parseSelectorText } from '#shared/core/binding/label-selector-text.ts';
import type { Aggregation } from '#shared/core/collector/aggregator.ts';
import { type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { GroupColumn } from '#shared/core/status-api/merge-groups.ts';
import { resourceText } from '#shared/core/status-api/status-name.ts';
import { answerError, invalidSelector, NO_COMPARISON, rowError } from './messages.ts';

/** A named expression of the command line. */
export interface NamedText {
  readonly name: string;
  readonly def: string;
}

/** An aggregated column of the command line. COUNT has no subject. */
export interface Aggregated {
  readonly name: string;
  readonly type: Aggregation;
  readonly subject?: string;
}

/** What a user asks, in the language of StatusCollectors. */
export interface QueryOptions {
  readonly filter?: string;
  readonly select?: readonly NamedText[];
  readonly groupBy?: readonly NamedText[];
  /** In the order of the command line. */
  readonly aggregated: readonly Aggregated[];
  /** The most rows in all. Absent: all. */
  readonly limit?: number;
}

/** The part of a query that is a StatusCollector's spec, without its limit. */
export function collectorSpec(options: QueryOptions): JsonObject {
  const { filter, select = [], groupBy = [], aggregated } = options;
  return {
    ...(filter === undefined ? {} : { filter }),
    ...(select.length === 0 ? {} : { select: select.map((one) => ({ ...one })) }),
    ...(groupBy.length === 0 ? {} : { groupBy: groupBy.map((one) => ({ ...one })) }),
    ...(aggregated.length === 0 ? {} : { combinedFields: aggregated.map((one) => ({ ...one })) }),
  };
}

/** What the columns of groups are. Undefined if a query selects rows. */
export function groupColumns({
  groupBy = [],
  aggregated,
}: QueryOptions): readonly GroupColumn[] | undefined {
  if (aggregated.length === 0) return undefined;
  return [...groupBy.map(() => 'key' as const), ...aggregated.map(({ type }) => type)];
}

/**
 * A label selector in kubectl's syntax as an object.
 *
 * @throws UsageError if it is invalid, or compares with `<` or `>`, which only lists can
 */
export function labelSelector(text: string): JsonObject {
  const reading = parseSelectorText(text);
  if (!reading.ok) throw new UsageError(invalidSelector(text, reading.fault));
  const expressions = reading.requirements.map(({ key, operator, values, text: part }) => {
    if (operator === 'Gt' || operator === 'Lt')
      throw new UsageError(invalidSelector(part, NO_COMPARISON));
    return { key, operator, ...(values.length === 0 ? {} : { values }) };
  });
  return { matchExpressions: expressions };
}

/** `deployments.apps/web`: the object of a row, or of an error. */
export function objectText(row: JsonValue): string {
  const [group = '', resource = '', name = ''] = ['group', 'resource', 'name'].map((key) =>
    textAt(row, 'workload', key),
  );
  return `${resourceText({ group, resource })}/${name}`;
}

/** The message of an error: `deployments.apps/web in east, column x: no such key: x`. */
export function errorText(error: JsonValue): string {
  const wec = textAt(error, 'wec');
  const column = textAt(error, 'columnName');
  const fault = textAt(error, 'error');
  if (wec === '') return answerError(column, fault);
  return rowError(objectText(error), wec, { column, fault });
}
