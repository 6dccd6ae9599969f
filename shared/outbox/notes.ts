import * as z from 'zod/mini';
import type { Item, ItemStore, Put } from '#shared/ports/item-store.ts';
import { bodyCodec } from '#shared/state/body.ts';
import { readHead } from '#shared/state/head.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { looseObject } from '#shared/state/loose-object.ts';

/** A note below a subject: what a receiver is notified of, and whether the message was sent. */
export interface Note {
  /** The hash of what the receiver of the message reads. */
  readonly hash: string;
  readonly sent: boolean;
}

// Bodies store "sent" as `told`, the name of release 0.1.
const NOTE = bodyCodec<Pick<Note, 'hash'> & { readonly told: boolean }>(
  'note of a notification',
  looseObject({ hash: z.string(), told: z.boolean() }),
);

/** Decodes the note of an item. */
export function decodeNote(item: Item): Note {
  const { told, ...note } = NOTE.decode(item);
  return { ...note, sent: told };
}

/** A note to put, with the rest of its sort key. */
export interface NamedNote {
  readonly name: string;
  readonly hash: string;
}

/** Where the notes of a subject are, and the revision of its head for which they are put. */
export interface NotesOf {
  /** The partition of the subject. */
  readonly pk: string;
  /** The prefix of the sort keys. */
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
 * Puts notes as not sent, then reads the head. A later revision puts its head first, then reads the notes. So either the later
 * revision finds these notes, or this one finds the later head.
 *
 * @returns false if the head now has a later revision: the notes stay as not sent, and the later revision sends.
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

/**
 * Puts notes that are newer than all notes of this revision and of earlier ones, as not sent, because it is unknown what was
 * sent.
 */
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
 * Stores that messages were sent. Each note replaces the one that {@link putNotes} put, unless a later revision has put another
 * one. Removes the notes that are no longer needed.
 *
 * @param isOver whether there is no longer anything of which the receiver of a note has to be notified
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
