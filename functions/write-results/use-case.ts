import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { ApiConflictError, ApiNotFoundError } from '#shared/errors.ts';
import { earliestChange, type HintMessage } from '#shared/messages/dirty.ts';
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
import { retryContention } from '#shared/state/retry-contention.ts';
import { forgetStrays, putStrays, readStrays } from '#shared/state/strays.ts';
import { bindingTarget } from './binding-target.ts';
import { collectorTarget } from './collector-target.ts';
import type { Upstream, WriteDeps, WriteResultsDeps } from './deps.ts';
import { fleetTarget } from './fleet-target.ts';
import type { Assignment, Target } from './target.ts';
import { workloadTarget } from './workload-target.ts';
import { WriteJournal } from './write-journal.ts';

/** What the writing of one target goes by: what was read first. */
interface Reading {
  readonly pk: string;
  readonly head: Head;
  readonly applied: Applied;
}

async function isStillDesired(deps: WriteDeps, { pk, head }: Reading): Promise<boolean> {
  return (await readHead(deps.store, pk)).hash === head.hash;
}

/**
 * Says that what was applied is being changed, before the objects are read: whoever reads it from now on takes nothing
 * for applied, and whoever read it before fails when it records. It is said of a first write too while sources have still
 * to tell everything: what it has begun to write is not to be taken for something that stood there before, and left.
 *
 * @returns what stands there then, or `undefined` when another writer was faster.
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
  // The result that is written was the desired one after the objects were read.
  if (!(await isStillDesired(deps, reading))) return false;
  const outcome = await target.write(current);
  const next: Applied = { ...outcome, hash: head.hash ?? '', revision: pending.revision + 1 };
  if (!(await putApplied(deps.store, pk, next))) return false;
  // Recorded first, then read again: the aggregator stores the head first, then reads what was applied and sends no hint
  // if that is it. So one of the two sees the other.
  if (!(await isStillDesired(deps, reading))) return false;
  await target.settled?.(next);
  return true;
}

/** @param hash names what is wanted */
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
 * What stands is left as it is until all is known: the aggregation that is told of it then sends a hint. That hint names no
 * strays, so these are noted, and only then it is looked whether it has been sent meanwhile.
 *
 * @returns `undefined`: there is nothing to be left, or all is known; false: since the objects were read it is: start again
 */
async function leave<Current>(
  deps: WriteDeps,
  target: Target<Current>,
  work: { readonly reading: Reading; readonly objects: HintMessage['objects'] },
): Promise<boolean | undefined> {
  const { reading, objects } = work;
  const { pk, head, applied } = reading;
  if (!isPartial(head, applied)) return undefined;
  const current = await target.read();
  if (target.isLeft?.(current) !== true) return undefined;
  if (objects.length === 0 && target.hold === undefined) return true;
  await putStrays(deps.store, { pk }, objects);
  const now = await readHeadAndApplied(deps.store, pk);
  if (!isPartial(now.head, now.applied)) return false;
  await target.hold?.(current, now.head);
  return true;
}

/** What is to be written, and where that is noted. */
interface Work {
  readonly subject: Subject;
  readonly objects: HintMessage['objects'];
  readonly journal: WriteJournal;
}

async function attempt(deps: WriteDeps, work: Work): Promise<boolean> {
  const { subject, objects, journal } = work;
  // What is known of the management cluster is a part: once it is all, every object is looked at.
  if (subject.type === 'fleet' && !(await isListed(deps.store, subject.upstream))) return true;
  const pk = subjectPartition(subject);
  const applied = await readApplied(deps.store, pk);
  const head = await readHead(deps.store, pk);
  // Never aggregated: the aggregation that is to come sends a hint of its own.
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
    const left = await leave(deps, target, { reading, objects });
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
 * Makes the cluster say what is desired of a subject (design, section 5, "The protocol", rule 3). Hints of one subject are
 * one piece of work. A conflict, or a desired result that changed meanwhile, starts it again.
 *
 * @throws ContentionError when that happened too often; ApiUnavailableError, ApiForbiddenError from the API server.
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
    // Also of what fails later: what has been written stands there.
    journal.tell();
  }
}
