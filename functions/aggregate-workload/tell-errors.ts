import { contentHash } from '#shared/content-hash.ts';
import type { WorkloadError } from '#shared/core/binding/workload-errors.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';
import { reportErrors } from '#shared/outbox/report-errors.ts';
import type { Item, Put } from '#shared/ports/item-store.ts';
import { type Head, readHead } from '#shared/state/head.ts';
import { RANGE, range, sortableNumber } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { TOLD_NOTE, type ToldNote } from '#shared/state/told-note.ts';
import type { AggregateDeps } from './deps.ts';

/** What one aggregation of a workload object has found wrong, by Binding. */
interface FoundErrors {
  readonly workload: WorkloadRef;
  /** The head that it has put. */
  readonly head: Head;
  readonly byBinding: ReadonlyMap<string, readonly WorkloadError[]>;
}

/** So many Bindings are noted and told at a time: what is done of them is not done again after a crash. */
const BATCH = 100;

function hashOf(errors: readonly WorkloadError[]): string {
  return contentHash(JSON.stringify(errors));
}

const NO_ERRORS = hashOf([]);
/** No errors have this hash. */
const UNKNOWN = '';

async function readNotes(deps: AggregateDeps, pk: string): Promise<ReadonlyMap<string, ToldNote>> {
  const notes = new Map<string, ToldNote>();
  for await (const items of pages(deps.store, range(pk, RANGE.told)))
    for (const item of items) notes.set(item.sk.slice(RANGE.told.length), TOLD_NOTE.decode(item));
  return notes;
}

function noteItem(
  pk: string,
  name: string,
  { hash, told, version }: ToldNote & { readonly version: string },
): Item {
  return { pk, sk: `${RANGE.told}${name}`, version, body: TOLD_NOTE.encode({ hash, told }) };
}

/**
 * Makes notes of the Bindings for which an older release may have stored errors: it listed them in the head. Called before a
 * head is put that lists them no more.
 */
export async function noteListed(deps: AggregateDeps, pk: string, head: Head): Promise<void> {
  if (head.errorBindings.length === 0) return;
  // Newer than every note of this revision and those before.
  const note = { hash: UNKNOWN, told: false, version: `${sortableNumber(head.revision)}.2` };
  await deps.store.put(
    head.errorBindings.map((name) => ({
      item: noteItem(pk, name, note),
      condition: { type: 'newer' },
    })),
  );
}

/** What a head says of notes: there may be some from then on, once something has been wrong. */
export function notedIn(
  { noted, errorBindings }: Head,
  byBinding: FoundErrors['byBinding'],
): Pick<Head, 'errorBindings' | 'noted'> {
  const isNoted = noted === true || errorBindings.length > 0 || byBinding.size > 0;
  return { errorBindings: [], ...(isNoted ? { noted: true } : {}) };
}

/** The Bindings whose errors are not those that they have been told, sorted. */
function changedOf(
  { byBinding }: FoundErrors,
  notes: ReadonlyMap<string, ToldNote>,
): readonly string[] {
  const isChanged = (name: string): boolean => {
    const note = notes.get(name);
    const hash = hashOf(byBinding.get(name) ?? []);
    // A note that nothing is wrong was not removed in time.
    return note?.told !== true || note.hash !== hash || hash === NO_ERRORS;
  };
  return [...new Set([...notes.keys(), ...byBinding.keys()])].filter(isChanged).sort();
}

/** Tells some Bindings; false where the head has a later revision by now. */
async function tellBatch(
  deps: AggregateDeps,
  found: FoundErrors,
  names: readonly string[],
): Promise<boolean> {
  const { workload, byBinding } = found;
  const { revision } = found.head;
  const pk = subjectPartition({ type: 'workload', workload });
  const errors = new Map(names.map((name) => [name, byBinding.get(name) ?? []]));
  const untold = `${sortableNumber(revision)}.0`;
  const told = `${sortableNumber(revision)}.1`;
  const notes = [...errors].map(([name, found]) => ({ name, hash: hashOf(found) }));
  const items = (isTold: boolean): readonly Item[] =>
    notes.map(({ name, hash }) =>
      noteItem(pk, name, { hash, told: isTold, version: isTold ? told : untold }),
    );
  await deps.store.put(items(false).map((item): Put => ({ item, condition: { type: 'newer' } })));
  if ((await readHead(deps.store, pk)).revision !== revision) return false;
  await reportErrors(deps, { workload, origin: 'aggregate', revision, byBinding: errors });
  // Not where a later revision has noted something, or has told and removed the note.
  const condition = { type: 'unchanged', version: untold } as const;
  await deps.store.put(items(true).map((item) => ({ item, condition })));
  const over = notes.filter(({ hash }) => hash === NO_ERRORS);
  await deps.store.delete(
    over.map(({ name }) => ({ key: { pk, sk: `${RANGE.told}${name}` }, version: told })),
  );
  return true;
}

/**
 * Tells the Bindings of a workload object what is wrong with it, where that has changed: what does not change costs a read of
 * the notes. The notes are read after the head was put; they are put before the head is read once more, and only then the
 * Bindings are told (design, section 5, "The protocol", "Errors of a workload object"). So a later revision sees what this
 * one has noted, or this one sees that it is outdated: then the later one tells what there is to tell.
 */
export async function tellErrors(deps: AggregateDeps, found: FoundErrors): Promise<void> {
  if (found.head.noted !== true) return;
  const pk = subjectPartition({ type: 'workload', workload: found.workload });
  const changed = changedOf(found, await readNotes(deps, pk));
  for (let first = 0; first < changed.length; first += BATCH)
    if (!(await tellBatch(deps, found, changed.slice(first, first + BATCH)))) return;
}
