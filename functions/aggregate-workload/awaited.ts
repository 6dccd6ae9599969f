import type { EventSource } from '#shared/core/event.ts';
import { sourceText } from '#shared/core/source-text.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import type { ChangeTime } from '#shared/messages/change-time.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import { type Head, readApplied } from '#shared/state/head.ts';
import { markWdsListed } from '#shared/state/listings.ts';
import { putWait, takeWaits } from '#shared/state/waits.ts';
import type { AggregateDeps } from './deps.ts';
import { uncheckedCollector } from './messages.ts';

/** The part of a head that describes the sources that have not reported everything yet. */
type HeldHead = Pick<Head, 'awaits' | 'awaited' | 'whole'>;

/** The maximum number of sources that a head names. */
const MAX_NAMED = 10;

/**
 * Whether a result was never applied for a subject in this state. If so, the inputs may be only a part of what was known
 * before, because state can be lost. This is checked until it is known that all sources have reported everything, or until a
 * result is applied.
 */
export async function isUnsettled(
  deps: AggregateDeps,
  subject: Subject,
  head: Head,
): Promise<boolean> {
  if (head.whole === true) return false;
  return (await readApplied(deps.store, subjectPartition(subject))).revision === 0;
}

/** The fields of the head of a subject that waits for no source. */
function settledHead({ awaits }: Head): HeldHead {
  return awaits === undefined ? { whole: true } : { whole: true, awaits: [], awaited: 0 };
}

/** The fields of the head of a subject for which this is not checked, or no longer checked. */
export function notAsked(head: Head): HeldHead {
  return head.whole === true ? {} : settledHead(head);
}

/** A {@link HeldHead}. `again`: a missing source has reported everything meanwhile. */
export type Awaiting = HeldHead | 'again';

/** A subject that may wait. */
interface AwaitingSubject {
  readonly subject: Subject;
  readonly head: Head;
  /** Names of the StatusCollectors that are not checked yet. The subject is sent again when they are (`checkLater`). */
  readonly unchecked?: readonly string[];
}

/**
 * The fields of the head of a subject while sources have not reported everything. The subject waits for one of these sources.
 * When the subject is notified, it looks for the next one. The wait is stored before the source is checked once more. A process
 * that records that a source has reported everything reads the waits afterwards. So at least one of the two sees the other.
 */
export async function awaiting(
  deps: AggregateDeps,
  { subject, head, unchecked = [] }: AwaitingSubject,
  missing: readonly EventSource[],
): Promise<Awaiting> {
  const collectors = unchecked.map(uncheckedCollector);
  const heldFor = (sources: readonly string[]): HeldHead => ({
    awaits: [...sources, ...collectors].slice(0, MAX_NAMED),
    awaited: sources.length + collectors.length,
  });
  const [first] = missing;
  if (first === undefined) return collectors.length > 0 ? heldFor([]) : settledHead(head);
  await putWait(deps.store, sourcePartition(first), subject);
  if ((await deps.listings.missing([first])).length === 0) return 'again';
  return heldFor(missing.map(sourceText));
}

/** Notifies the subjects that wait for a source that the source has reported everything. */
export async function notifyWaiting(
  deps: AggregateDeps,
  source: EventSource,
  change: ChangeTime,
): Promise<void> {
  for await (const subjects of takeWaits(deps.store, sourcePartition(source)))
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
 * Checks whether a WDS has reported everything and all its Bindings have been followed, and notifies the subjects that wait for
 * the WDS. Once this is known and the subjects have been notified, a process does not check again.
 */
export async function lookAtWds(
  deps: AggregateDeps,
  wds: string,
  change: ChangeTime,
): Promise<void> {
  if (deps.followedWdses.has(wds) || !(await markWdsListed(deps.store, wds))) return;
  await notifyWaiting(deps, { type: 'wds', name: wds }, change);
  deps.followedWdses.add(wds);
}
