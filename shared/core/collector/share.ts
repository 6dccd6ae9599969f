import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import {
  MAX_COMBINED_STATUS_BYTES,
  MAX_ERROR_CHARACTERS,
  MAX_ERRORS_OF_COLUMN,
  MAX_OBJECT_ROWS_BYTES,
  MAX_OBJECT_STEPS,
} from '#shared/core/limits.ts';
import { shareReason, smallShare } from './messages.ts';

/** What one collector of a Binding may use for a workload object. */
export interface CollectorShare {
  /** The steps that its expressions may take together for one WEC. */
  readonly steps: number;
  /** The bytes that its rows may take as JSON. */
  readonly bytes: number;
  /** Why the collector may use less than a single collector may, and the remedy. Absent if it may use as much. */
  readonly reason?: string;
}

/** A collector with fewer steps is not evaluated, because setting it up takes as long. */
const LEAST_STEPS = 10;

/** The share of a collector that is the only one of its object (docs/cel.md, "Limits"). */
export const WHOLE_SHARE: CollectorShare = { steps: MAX_STEPS, bytes: MAX_COMBINED_STATUS_BYTES };

/**
 * The share of each collector of a Binding. All Bindings that share a WEC of an object have the same share, regardless
 * of who wrote them, and so do all collectors of a Binding. No collector takes from the share of another. The share
 * depends only on the numbers, not on what the others use, so a result does not change with the data of another
 * collector.
 *
 * @param bindings the number of Bindings that name valid collectors for the object and share a WEC with this one
 * @param collectors the number of collectors that the Binding names
 */
export function shareOf(bindings: number, collectors: number): CollectorShare {
  const parts = bindings * collectors;
  const steps = Math.floor(MAX_OBJECT_STEPS / parts);
  const bytes = Math.floor(MAX_OBJECT_ROWS_BYTES / parts);
  if (steps >= WHOLE_SHARE.steps && bytes >= WHOLE_SHARE.bytes) return WHOLE_SHARE;
  return {
    steps: Math.min(steps, WHOLE_SHARE.steps),
    bytes: Math.min(bytes, WHOLE_SHARE.bytes),
    reason: shareReason(collectors, bindings),
  };
}

/**
 * Why a collector with this number of columns is not evaluated with a share. Each column takes a step or more with any
 * data.
 */
export function tooSmall({ steps, reason }: CollectorShare, columns: number): string | undefined {
  const least = Math.max(columns, LEAST_STEPS);
  if (reason === undefined || steps >= least) return undefined;
  return smallShare(steps, least, reason);
}

/** How many WECs keep the text of their error in each column. All texts together take half as much as the rows. */
export function errorTexts({ bytes }: CollectorShare, columns: number): number {
  const most = Math.floor(bytes / 2 / MAX_ERROR_CHARACTERS / columns);
  return Math.min(Math.max(most, 1), MAX_ERRORS_OF_COLUMN);
}
