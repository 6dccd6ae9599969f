import { contentHash } from '#shared/content-hash.ts';
import type { WorkloadError } from '#shared/core/binding/workload-errors.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import {
  decodeNote,
  markNotesSent,
  type Note,
  type NotesOf,
  putNotes,
  putUnknownNotes,
} from '#shared/outbox/notes.ts';
import { reportErrors } from '#shared/outbox/report-errors.ts';
import type { Head } from '#shared/state/head.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import type { AggregateDeps } from './deps.ts';

/** The errors that one aggregation of a workload object has found, by Binding. */
interface FoundErrors {
  readonly workload: WorkloadRef;
  /** The head that the aggregation has put. */
  readonly head: Head;
  readonly byBinding: ReadonlyMap<string, readonly WorkloadError[]>;
}

/** The number of Bindings that are noted and notified at a time. A completed batch is not repeated after a crash. */
const BATCH = 100;

function hashOf(errors: readonly WorkloadError[]): string {
  return contentHash(JSON.stringify(errors));
}

const NO_ERRORS = hashOf([]);

async function readNotes(deps: AggregateDeps, pk: string): Promise<ReadonlyMap<string, Note>> {
  const notes = new Map<string, Note>();
  for await (const items of pages(deps.store, range(pk, RANGE.errorNote)))
    for (const item of items) notes.set(item.sk.slice(RANGE.errorNote.length), decodeNote(item));
  return notes;
}

function notesOf(pk: string, { revision }: Head): NotesOf {
  return { pk, prefix: RANGE.errorNote, revision };
}

/**
 * Stores notes for the Bindings for which an older release may have stored errors. That release listed the Bindings in the
 * head. This is called before a head without the list is put.
 */
export async function noteListed(deps: AggregateDeps, pk: string, head: Head): Promise<void> {
  if (head.errorBindings.length === 0) return;
  await putUnknownNotes(deps.store, notesOf(pk, head), head.errorBindings);
}

/** The fields of a head about notes. Once there has been an error, there may be notes. */
export function notedIn(
  { noted, errorBindings }: Head,
  byBinding: FoundErrors['byBinding'],
): Pick<Head, 'errorBindings' | 'noted'> {
  const isNoted = noted === true || errorBindings.length > 0 || byBinding.size > 0;
  return { errorBindings: [], ...(isNoted ? { noted: true } : {}) };
}

/** The Bindings whose errors differ from those that they were notified of, sorted. */
function changedOf(
  { byBinding }: FoundErrors,
  notes: ReadonlyMap<string, Note>,
): readonly string[] {
  const isChanged = (name: string): boolean => {
    const note = notes.get(name);
    const hash = hashOf(byBinding.get(name) ?? []);
    // A note of no errors was not removed in time.
    return note?.sent !== true || note.hash !== hash || hash === NO_ERRORS;
  };
  return [...new Set([...notes.keys(), ...byBinding.keys()])].filter(isChanged).sort();
}

/** Notifies some Bindings; false if the head has a later revision by now. */
async function notifyBatch(
  deps: AggregateDeps,
  { workload, byBinding, head }: FoundErrors,
  names: readonly string[],
): Promise<boolean> {
  const of = notesOf(subjectPartition({ type: 'workload', workload }), head);
  const errors = new Map(names.map((name) => [name, byBinding.get(name) ?? []]));
  const notes = [...errors].map(([name, found]) => ({ name, hash: hashOf(found) }));
  const { revision } = head;
  const delivered = await deliver({
    note: async () => ((await putNotes(deps.store, of, notes)) ? notes : 'outdated'),
    send: () => reportErrors(deps, { workload, origin: 'aggregate', revision, byBinding: errors }),
    markSent: () =>
      markNotesSent(deps.store, of, { notes, isOver: ({ hash }) => hash === NO_ERRORS }),
  });
  return delivered !== 'outdated';
}

/**
 * Notifies the Bindings of a workload object of its errors, if the errors have changed. If they have not changed, this costs
 * one read of the notes. The notes are read after the head was put. New notes are put before the head is read once more, and
 * only then are the Bindings notified (docs/architecture.md, section 5, "The protocol", "Errors of a workload object"). So
 * either a later revision sees the notes of this one, or this one sees that it is outdated and the later revision notifies the
 * Bindings.
 */
export async function notifyOfErrors(deps: AggregateDeps, found: FoundErrors): Promise<void> {
  if (found.head.noted !== true) return;
  const pk = subjectPartition({ type: 'workload', workload: found.workload });
  const changed = changedOf(found, await readNotes(deps, pk));
  for (let first = 0; first < changed.length; first += BATCH)
    if (!(await notifyBatch(deps, found, changed.slice(first, first + BATCH)))) return;
}
