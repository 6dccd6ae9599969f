import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import {
  MAX_COMBINED_STATUS_BYTES,
  MAX_ERROR_CHARACTERS,
  MAX_ERRORS_OF_COLUMN,
  MAX_OBJECT_ROWS_BYTES,
  MAX_OBJECT_STEPS,
} from '#shared/core/limits.ts';

/** What one collector of a Binding may take of a workload object. */
export interface CollectorShare {
  /** The steps that its expressions may take together for one WEC. */
  readonly steps: number;
  /** What its rows may take as JSON. */
  readonly bytes: number;
  /** Why it may not take what a collector may that is alone, and what to do; absent: it may. */
  readonly reason?: string;
}

/** A collector with a smaller share is not evaluated: setting it up takes as long. */
const LEAST_STEPS = 10;

/** What a collector may take that is the only one of its object (docs/cel.md, "Limits"). */
export const WHOLE_SHARE: CollectorShare = { steps: MAX_STEPS, bytes: MAX_COMBINED_STATUS_BYTES };

/**
 * What each collector of a Binding may take. The Bindings that share a WEC of an object have the same share, whoever wrote
 * them, and so has every collector of a Binding: none takes from what others have. The share follows from the numbers
 * alone, not from what the others take, so a result does not change with the data of another's.
 *
 * @param bindings how many Bindings name valid collectors for the object, and a WEC of this one
 * @param collectors how many the Binding names
 */
export function shareOf(bindings: number, collectors: number): CollectorShare {
  const parts = bindings * collectors;
  const steps = Math.floor(MAX_OBJECT_STEPS / parts);
  const bytes = Math.floor(MAX_OBJECT_ROWS_BYTES / parts);
  if (steps >= WHOLE_SHARE.steps && bytes >= WHOLE_SHARE.bytes) return WHOLE_SHARE;
  return {
    steps: Math.min(steps, WHOLE_SHARE.steps),
    bytes: Math.min(bytes, WHOLE_SHARE.bytes),
    reason: `this is the share of one of ${numberOf(collectors, 'collector')} of one of ${numberOf(bindings, 'Binding')} with collectors for the object in these WECs; name fewer collectors for it`,
  };
}

/** Why a collector of so many columns is not evaluated with a share: each takes a step or more, whatever the data. */
export function tooSmall({ steps, reason }: CollectorShare, columns: number): string | undefined {
  const least = Math.max(columns, LEAST_STEPS);
  if (reason === undefined || steps >= least) return undefined;
  return `not evaluated, as it may take ${steps} steps for a WEC and takes ${least} or more: ${reason}`;
}

/** How many WECs keep the text of their error in each of so many columns: together they take half as much as the rows. */
export function errorTexts({ bytes }: CollectorShare, columns: number): number {
  const most = Math.floor(bytes / 2 / MAX_ERROR_CHARACTERS / columns);
  return Math.min(Math.max(most, 1), MAX_ERRORS_OF_COLUMN);
}

function numberOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
