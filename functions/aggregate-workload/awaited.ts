import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { type ChangeTime, encodeDirty } from '#shared/messages/dirty.ts';
import { type Head, readApplied } from '#shared/state/head.ts';
import { markWdsListed } from '#shared/state/listings.ts';
import { putWait, takeWaits } from '#shared/state/waits.ts';
import type { AggregateDeps } from './deps.ts';

/** What a head says of the sources that have still to tell everything. */
type HeldHead = Pick<Head, 'awaits' | 'awaited' | 'whole'>;

/** So many sources are named in a head. */
const MAX_NAMED = 10;

/**
 * Whether nothing has ever been applied for a subject in this state, so what it is computed from may be a part of what was
 * known before: state can be lost. Asked until it is known that all is there, or that something was applied.
 */
export async function isUnsettled(
  deps: AggregateDeps,
  subject: Subject,
  head: Head,
): Promise<boolean> {
  if (head.whole === true) return false;
  return (await readApplied(deps.store, subjectPartition(subject))).revision === 0;
}

/** What the head of a subject says that waits for nothing. */
function settledHead({ awaits }: Head): HeldHead {
  return awaits === undefined ? { whole: true } : { whole: true, awaits: [], awaited: 0 };
}

/** What the head says of a subject of which that is not asked (any more). */
export function notAsked(head: Head): HeldHead {
  return head.whole === true ? {} : settledHead(head);
}

/** As {@link HeldHead}; `again`: one has done so meanwhile. */
export type Awaiting = HeldHead | 'again';

/**
 * What the head of a subject says while sources have not told everything. The subject waits for one of them: when it is
 * told it looks for the next. It waits before it is looked once more, and whoever notes that a source has told everything
 * looks for those that wait afterwards; so one of the two sees the other.
 */
export async function awaiting(
  deps: AggregateDeps,
  { subject, head }: { readonly subject: Subject; readonly head: Head },
  missing: readonly EventSource[],
): Promise<Awaiting> {
  const [first] = missing;
  if (first === undefined) return settledHead(head);
  await putWait(deps.store, first, subject);
  if ((await deps.listings.missing([first])).length === 0) return 'again';
  return { awaits: missing.slice(0, MAX_NAMED).map(sourceText), awaited: missing.length };
}

/** Tells the subjects that wait for a source that it has told everything. */
export async function tellWaiting(
  deps: AggregateDeps,
  source: EventSource,
  change: ChangeTime,
): Promise<void> {
  for await (const subjects of takeWaits(deps.store, source))
    await deps.dirty.send(
      subjects.map((subject) =>
        encodeDirty(
          { type: 'subject', subject, ...change },
          `${sourceText(source)} has told everything ${deps.clock()}`,
        ),
      ),
    );
}

/**
 * Looks whether all of a WDS has been told and followed, and tells those that wait for it. Once that is known, and they
 * have been told, a process does not ask again.
 */
export async function lookAtWds(
  deps: AggregateDeps,
  wds: string,
  change: ChangeTime,
): Promise<void> {
  if (deps.followedWdses.has(wds) || !(await markWdsListed(deps.store, wds))) return;
  await tellWaiting(deps, { type: 'wds', name: wds }, change);
  deps.followedWdses.add(wds);
}
