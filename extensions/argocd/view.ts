import type { Explanation } from '#shared/core/explanation/explanation.ts';
import type { Problem } from './problem.ts';
import type { BoundReading, Reading } from './read-object.ts';

/** What the tab shows. */
export interface View {
  /** What was read last. Absent until something has been read. */
  readonly reading?: Reading;
  /** Whether the reading goes on, and `reading` has the first WECs. */
  readonly isPart: boolean;
  /** Why the last attempt to read failed. What was read before it is still shown. */
  readonly problem?: Problem;
  /** When `reading` was read whole, in milliseconds since 1970. */
  readonly readAt?: number;
}

/** Before anything has been read. */
export const LOADING: View = { isPart: false };

/** An event of reading. */
export type ViewEvent =
  | { readonly type: 'part'; readonly reading: BoundReading }
  | { readonly type: 'whole'; readonly reading: Reading; readonly at: number }
  | { readonly type: 'failed'; readonly problem: Problem }
  | { readonly type: 'reset' };

function hasAllWecs({ reading, isPart }: View): boolean {
  return reading?.type === 'bound' && !isPart;
}

/** The view after an event. A part replaces no whole, so the table does not shrink while it is read again. */
export function viewAfter(view: View, event: ViewEvent): View {
  switch (event.type) {
    case 'part':
      return hasAllWecs(view) ? view : { ...view, reading: event.reading, isPart: true };
    case 'whole':
      return { reading: event.reading, isPart: false, readAt: event.at };
    case 'failed':
      return { ...view, problem: event.problem };
    case 'reset':
      return LOADING;
  }
}

/** The link to a rule in Starfold's documents. */
export function documentLink(
  documents: string | undefined,
  documentation: Explanation['fields'][number]['documentation'],
): string | undefined {
  return documents === undefined ? undefined : `${documents}${documentation}`;
}
