import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { Changes, StatusWrite } from './status-write.ts';

/** First and last index, or undefined if the text is not an interval below the number of completions. */
type Interval = readonly [first: number, last: number] | undefined;

const INTERVAL = /^(\d+)(?:-(\d+))?$/;

function intervalsOf(text: string, completions: number): readonly Interval[] {
  if (text === '') return [];
  return text.split(',').map((interval): Interval => {
    const [, from, to] = INTERVAL.exec(interval) ?? [];
    if (from === undefined) return undefined;
    const [first, last] = [Number(from), Number(to ?? from)];
    const isInOrder = to === undefined || first < last;
    return isInOrder && last < completions ? [first, last] : undefined;
  });
}

function isWellFormed(intervals: readonly Interval[]): boolean {
  let last = -1;
  for (const interval of intervals) {
    if (interval === undefined || interval[0] <= last) return false;
    [, last] = interval;
  }
  return true;
}

function meet(a: Interval, b: Interval): boolean {
  return a !== undefined && b !== undefined && a[0] <= b[1] && b[0] <= a[1];
}

function textOf(status: JsonObject, field: string): string {
  const value = status[field];
  return typeof value === 'string' ? value : '';
}

function isSame(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  return (a ?? null) === (b ?? null);
}

/**
 * The indexes of an Indexed Job that can be written. A changed list must only have indexes that the Job in the WDS has
 * (its spec may have changed since a WEC counted), and failed indexes must not have succeeded (Kubernetes,
 * ValidateJobStatusUpdate). A list that cannot be written is left out, which is always allowed.
 */
export function writableIndexes({ spec, desired, stored }: StatusWrite): Changes {
  // An Indexed Job has completions.
  const completions = typeof spec['completions'] === 'number' ? spec['completions'] : 0;
  const isIndexed = spec['completionMode'] === 'Indexed';
  const countsFailed = isIndexed && typeof spec['backoffLimitPerIndex'] === 'number';
  const read = (field: string): readonly Interval[] =>
    intervalsOf(textOf(desired, field), completions);
  const isWritable = (field: string, isCounted: boolean): boolean =>
    isSame(desired[field], stored[field]) || (isCounted && isWellFormed(read(field)));
  const hasNone = textOf(desired, 'completedIndexes') === '';
  const completed =
    hasNone || isWritable('completedIndexes', isIndexed) ? desired['completedIndexes'] : undefined;
  const isUnchanged =
    isSame(completed, stored['completedIndexes']) &&
    isSame(desired['failedIndexes'], stored['failedIndexes']);
  const succeeded = completed === undefined ? [] : read('completedIndexes');
  const overlaps = read('failedIndexes').some((one) => succeeded.some((other) => meet(one, other)));
  const failed =
    isWritable('failedIndexes', countsFailed) && (isUnchanged || !overlaps)
      ? desired['failedIndexes']
      : undefined;
  return { completedIndexes: completed, failedIndexes: failed };
}
