import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { ApiConflictError, ApiNotFoundError } from '#shared/errors.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import type { HintMessage } from '#shared/messages/dirty.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import { isListed } from '#shared/state/fleet/listed.ts';
import {
  type Applied,
  type Head,
  isPartial,
  putApplied,
  readApplied,
  readHead,
  readHeadAndApplied,
  readResult,
} from '#shared/state/head.ts';
import { hasEndedListing } from '#shared/state/listings.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { forgetStrays, putStrays, readStrays } from '#shared/state/strays.ts';
import { bindingTarget } from './binding-target.ts';
import { collectorTarget } from './collector-target.ts';
import type { Upstream, WriteDeps, WriteResultsDeps } from './deps.ts';
import { fleetTarget } from './fleet-target.ts';
import type { Assignment, Target } from './target.ts';
import { workloadTarget } from './workload-target.ts';
import { WriteJournal } from './write-journal.ts';

/** What was read before a target is written. */
interface Reading {
  readonly pk: string;
  readonly head: Head;
  readonly applied: Applied;
}

async function isStillDesired(deps: WriteDeps, { pk, head }: Reading): Promise<boolean> {
  return (await readHead(deps.store, pk)).hash === head.hash;
}

/**
 * Records that a write begins, before the objects are read. A process that reads the record from now on takes nothing for
 * applied, and a process that read it before fails when it records. A first write is recorded too while sources have not
 * reported everything: otherwise what it has begun to write would count as older, and be left as it is.
 *
 * @returns the new record, or `undefined` if another writer was faster.
 */
async function announce(deps: WriteDeps, reading: Reading): Promise<Applied | undefined> {
  const { pk, head, applied } = reading;
  if (applied.hash === '' && !isPartial(head, applied)) return applied;
  const pending: Applied = { ...applied, hash: '', revision: applied.revision + 1 };
  return (await putApplied(deps.store, pk, pending)) ? pending : undefined;
}

async function writeTarget<Current>(
  deps: WriteDeps,
  target: Target<Current>,
  reading: Reading,
): Promise<boolean> {
  const { pk, head, applied } = reading;
  if (applied.hash === head.hash && target.isAsApplied(await target.read())) {
    if (!(await isStillDesired(deps, reading))) return false;
    await target.settled?.(applied);
    return true;
  }
  const pending = await announce(deps, reading);
  if (pending === undefined) return false;
  const current = await target.read();
  // The result was still the desired one after the objects were read.
  if (!(await isStillDesired(deps, reading))) return false;
  const outcome = await target.write(current);
  const next: Applied = {
    ...outcome,
    hash: head.hash ?? '',
    revision: pending.revision + 1,
    writtenMs: deps.clock(),
  };
  if (!(await putApplied(deps.store, pk, next))) return false;
  // The writer records, then reads the head again. The aggregator puts the head, then reads the record, and sends no hint if
  // they agree. So one of the two sees the other.
  if (!(await isStillDesired(deps, reading))) return false;
  await target.settled?.(next);
  return true;
}

/** @param hash hash of the desired result */
function targetOf(assignment: Assignment<Subject>, hash: string): Target<unknown> {
  const { subject } = assignment;
  switch (subject.type) {
    case 'workload':
      return workloadTarget({ ...assignment, subject }) as Target<unknown>;
    case 'binding':
      return bindingTarget({ ...assignment, subject }) as Target<unknown>;
    case 'collector':
      return collectorTarget({ ...assignment, subject }) as Target<unknown>;
    case 'fleet':
      return fleetTarget({ ...assignment, subject, hash }) as Target<unknown>;
  }
}

/**
 * Whether the WDS of a workload object has completed a listing in this state. Until then, it is not known which CombinedStatuses
 * the object has. This is only checked for a result that may be incomplete.
 */
async function hasWdsListed(
  deps: WriteDeps,
  subject: Subject,
  { head, applied }: Reading,
): Promise<boolean> {
  if (subject.type !== 'workload' || !isPartial(head, applied)) return true;
  return hasEndedListing(deps.store, { type: 'wds', name: subject.workload.wds });
}

/**
 * Leaves what was written earlier as it is until all sources have reported. The aggregation that is notified of that then sends
 * a hint. That hint names no strays, so the strays are stored first, and then the head is read again.
 *
 * @returns undefined if there is nothing to leave, or if all sources have reported; false if they have reported since the
 * objects were read: start again
 */
async function leave<Current>(
  deps: WriteDeps,
  target: Target<Current>,
  work: {
    readonly reading: Reading;
    readonly objects: HintMessage['objects'];
    /** See {@link hasWdsListed}. */
    readonly hasListed: boolean;
  },
): Promise<boolean | undefined> {
  const { reading, objects, hasListed } = work;
  const { pk, head, applied } = reading;
  if (!isPartial(head, applied)) return undefined;
  const current = await target.read();
  if (target.isLeft?.(current, hasListed) !== true) return undefined;
  if (objects.length === 0 && target.hold === undefined) return true;
  await putStrays(deps.store, { pk }, objects);
  const now = await readHeadAndApplied(deps.store, pk);
  if (!isPartial(now.head, now.applied)) return false;
  await target.hold?.(current, now.head);
  return true;
}

/** What has to be written, and the journal of it. */
interface Work {
  readonly subject: Subject;
  readonly objects: HintMessage['objects'];
  readonly journal: WriteJournal;
}

async function attempt(deps: WriteDeps, work: Work): Promise<boolean> {
  const { subject, objects, journal } = work;
  // Until the management cluster is known completely, nothing is written. Then every object is compared.
  if (subject.type === 'fleet' && !(await isListed(deps.store, subject.upstream))) return true;
  const pk = subjectPartition(subject);
  const applied = await readApplied(deps.store, pk);
  const head = await readHead(deps.store, pk);
  // Never aggregated. The first aggregation will send a hint.
  if (head.hash === undefined) return true;
  const desired = await readResult(deps.store, pk, head);
  if (desired === undefined) return false;
  const noting = (api: ObjectApi): ObjectApi => journal.noting(api, head.revision);
  const wds = (name: string): ObjectApi => noting(deps.wds(name));
  const fleet = (name: string): Upstream => {
    const { api, mode } = deps.fleet(name);
    return { api: noting(api), mode };
  };
  const reading = { pk, head, applied };
  // This is checked before the strays are read, because they are stored before the listing ends.
  const hasListed = await hasWdsListed(deps, subject, reading);
  const strays = await readStrays(deps.store, reading);
  const target = targetOf(
    {
      deps: { ...deps, wds, fleet },
      subject,
      desired,
      applied,
      objects: [...objects, ...strays],
    },
    head.hash,
  );
  try {
    const left = await leave(deps, target, { reading, objects, hasListed });
    if (left !== undefined) return left;
    if (!(await writeTarget(deps, target, reading))) return false;
    await forgetStrays(deps.store, { pk }, strays);
    return true;
  } catch (error) {
    if (error instanceof ApiConflictError || error instanceof ApiNotFoundError) return false;
    throw error;
  }
}

/**
 * Writes the desired result of a subject to its cluster (docs/architecture.md, section 5, "The protocol", rule 3). Hints of one
 * subject are one piece of work. After a conflict, or if the desired result has changed meanwhile, the work starts again.
 *
 * @throws ContentionError if that happened too often; ApiUnavailableError, ApiForbiddenError from the API server.
 */
export async function writeResults(
  deps: WriteResultsDeps,
  hints: readonly HintMessage[],
): Promise<void> {
  const subject = hints[0]?.subject;
  if (subject === undefined) return;
  const objects = hints.flatMap((hint) => hint.objects);
  const journal = new WriteJournal(deps, subject, earliestChange(hints));
  try {
    await retryContention(subjectPartition(subject), async () => {
      const isDone = await attempt(deps, { subject, objects, journal });
      if (!isDone) journal.conflict();
      return isDone;
    });
  } finally {
    // Even if the work fails later: what was written stays.
    journal.report();
  }
}
