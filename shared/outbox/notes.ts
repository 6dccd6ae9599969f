import * as z from 'zod/mini';
import type { Item, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { readHead } from '#shared/state/head.ts';
import { sortableNumber } from '#shared/state/keys.ts';

/** A note below a subject: of what somebody is notified, and whether the message was sent. */
export interface Note {
  /** Hash of what the message makes its receiver read. */
  readonly hash: string;
  readonly told: boolean;
}

const NOTE = bodyCodec<Note>(
  'note of what was told',
  z.looseObject({ hash: z.string(), told: z.boolean() }),
);

/** The note that an item is. */
export function decodeNote(item: Item): Note {
  return NOTE.decode(item);
}

/** A note to be put, by the rest of its sort key. */
export interface NamedNote {
  readonly name: string;
  readonly hash: string;
}

/** Where the notes of a subject are, and for which revision of its head they are put. */
export interface NotesOf {
  /** Partition of the subject. */
  readonly pk: string;
  /** Prefix of the sort keys. */
  readonly prefix: string;
  readonly revision: number;
}

const UNSENT = 0;
const SENT = 1;
const OF_OLDER_RELEASE = 2;

function noteItem(
  { pk, prefix, revision }: NotesOf,
  { name, hash }: NamedNote,
  progress: number,
): Item {
  return {
    pk,
    sk: `${prefix}${name}`,
    version: `${sortableNumber(revision)}.${progress}`,
    body: NOTE.encode({ hash, told: progress === SENT }),
  };
}

function putNewer(store: ItemStore, items: readonly Item[]): Promise<readonly boolean[]> {
  return store.put(items.map((item): Put => ({ item, condition: { type: 'newer' } })));
}

/**
 * Puts notes as not sent, then reads the head. A later revision puts its head first, then reads the notes. So either the
 * later revision finds these notes, or this one finds the later head.
 *
 * @returns false if the head has a later revision by now: the notes count as not sent, and the later revision sends.
 */
export async function putNotes(
  store: ItemStore,
  of: NotesOf,
  notes: readonly NamedNote[],
): Promise<boolean> {
  await putNewer(
    store,
    notes.map((note) => noteItem(of, note, UNSENT)),
  );
  return (await readHead(store, of.pk)).revision === of.revision;
}

/** Puts notes that are newer than all of this revision and of those before, and not sent: nobody knows what was sent. */
export async function putUnknownNotes(
  store: ItemStore,
  of: NotesOf,
  names: readonly string[],
): Promise<void> {
  await putNewer(
    store,
    names.map((name) => noteItem(of, { name, hash: '' }, OF_OLDER_RELEASE)),
  );
}

/**
 * Notes that messages were sent, each in the place of the note that {@link putNotes} put, unless a later revision has put
 * another one. Removes the notes that are over.
 *
 * @param isOver whether a note says that there is nothing any more of which its receiver has to be notified
 */
export async function markNotesSent(
  store: ItemStore,
  of: NotesOf,
  { notes, isOver }: { readonly notes: readonly NamedNote[]; isOver(note: NamedNote): boolean },
): Promise<undefined> {
  const version = noteItem(of, { name: '', hash: '' }, UNSENT).version ?? '';
  const sent = notes.map((note) => noteItem(of, note, SENT));
  await store.put(sent.map((item): Put => ({ item, condition: { type: 'unchanged', version } })));
  const over = sent.filter((_item, index) => {
    const note = notes[index];
    return note !== undefined && isOver(note);
  });
  await store.delete(
    over.map(({ pk, sk, version: sentVersion = '' }) => ({
      key: { pk, sk },
      version: sentVersion,
    })),
  );
}
