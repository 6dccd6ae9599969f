import { counted } from '#shared/core/counted.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';

// What `starfold query` says of its command line, of the errors of rows, and of a StatusCollector that it is to print.

/** The value of `--select`, `--group-by` and the aggregations. */
export const PAIR_FORM = 'Write NAME=CEL, such as ready=returned.status.readyReplicas.';

/** `--count` with an expression: the count would not be of what it says. */
export const COUNT_FORM =
  'Write the name of the column alone, such as wecs; --filter says which rows are counted.';

/** The value of `--limit`. */
export const LIMIT_FORM = 'Write a positive whole number.';

/** A query without columns. */
export const NO_COLUMN =
  'give at least one column: --select, or --count, --sum, --avg, --min, --max';

/** `-l`. */
export function invalidSelector(selector: string, fault: string): string {
  return `-l ${selector}: ${fault}`;
}

/** Follows {@link invalidSelector}: a list has these, a query does not. */
export const NO_COMPARISON = 'a query has no < and >: filter by obj.metadata.labels';

/** `--save` with a name that no object can have. */
export function notAName(given: string): string {
  return `--save ${given}: write a name of lower-case letters, digits, - and ., such as stale-wecs`;
}

/** An error of the whole answer. `column` is `''` if it is about none. */
export function answerError(column: string, fault: string): string {
  return column === '' ? fault : `column ${column}: ${fault}`;
}

/** An error of one row. `column` is `''` if the filter has it. */
export function rowError(
  object: string,
  wec: string,
  { column, fault }: { readonly column: string; readonly fault: string },
): string {
  return `${object} in ${wec}, ${column === '' ? 'filter' : `column ${column}`}: ${fault}`;
}

/** Errors that are not printed. `listed` is the number of those that the answers list. */
export function moreErrors(others: number, listed: number): string {
  const shown = others === listed ? 'them' : `${listed} of them`;
  const hint = listed === 0 ? '' : `: -o json prints ${shown}`;
  return `and ${counted(others, 'more error')}${hint}`;
}

/** The answers have no rows. */
export const NO_ROWS = 'no rows found';

const OF_BINDING = 'it computes this for each object of a BindingPolicy that names it';

/** What a StatusCollector does not do as the query that it is saved from. */
export const SAVED = {
  /** `selected` are the arguments that select objects, `''` if there are none. */
  selects: (selected: string): string =>
    selected === ''
      ? `the StatusCollector selects no objects: ${OF_BINDING}`
      : `the StatusCollector does not select ${selected}: ${OF_BINDING}`,
  groups: 'the StatusCollector has the groups of each object alone, the query those of all objects',
  /** `limit` is that of the query, if it has one. */
  limit: (limit: number | undefined): string =>
    limit === undefined
      ? `the StatusCollector has a limit of ${MAX_QUERY_LIMIT} rows for each object, the query none: --limit sets another one`
      : `--limit ${limit} is for each object in the StatusCollector, and for all objects in the query`,
  noWec: 'the rows of the StatusCollector do not name the WEC: add --select wec=inventory.name',
} as const;
