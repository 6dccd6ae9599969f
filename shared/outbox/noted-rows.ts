import type { JsonValue } from '#shared/core/json.ts';
import type { ItemKey, ItemStore, Put } from '#shared/ports/item-store.ts';
import type { BodyCodec } from '#shared/state/body.ts';
import { compareAndPut } from '#shared/state/compare-and-put.ts';
import { fleetRowItem } from '#shared/state/fleet/fleet-rows.ts';
import { sortableNumber } from '#shared/state/keys.ts';
import { deliver } from './deliver.ts';

/** A row that an aggregation puts below another subject. */
export interface ChangedRow {
  readonly key: ItemKey;
  /** undefined for a tombstone. */
  readonly body: JsonValue | undefined;
}

/** The changes that follow from the note that was read. */
export interface RowChanges<Note> {
  readonly rows: readonly ChangedRow[];
  /** The note that is put before the rows. */
  readonly pending: Note;
  /** The note that is put after the messages were sent. */
  readonly done: Note;
}

/** The rows that an aggregation has below other subjects, and the one note below its own subject that lists them. */
export interface NotedRows<Note> {
  /** The key of the note. */
  readonly key: ItemKey;
  readonly codec: BodyCodec<Note>;
  /** The revision that the aggregation has stored. Rows contain it, so an older one does not replace them. */
  readonly revision: number;
  readonly nowMs: number;
  /**
   * Returns what has to change.
   *
   * @param noted undefined if there is no note yet
   * @returns `none` if nothing has to change; `outdated` if something that it needs was removed meanwhile
   */
  changes(
    noted: Note | undefined,
  ): Promise<RowChanges<Note> | 'none' | 'outdated'> | RowChanges<Note> | 'none' | 'outdated';
  /** Notifies the subjects whose rows may have changed. */
  readonly notify: (keys: readonly ItemKey[]) => Promise<void>;
}

/**
 * Puts the rows that have changed and notifies their subjects. The note is replaced by compare-and-set. So either a slower
 * aggregation finds the note of a later revision, or the later one finds these rows in the note.
 *
 * @returns false if another aggregation does the same: start again.
 */
export async function deliverRows<Note>(
  store: ItemStore,
  { key, codec, revision, nowMs, changes, notify }: NotedRows<Note>,
): Promise<boolean> {
  const [stored] = await store.get([key]);
  const found = await changes(stored && codec.decode(stored));
  if (found === 'none') return true;
  const before = stored?.version ?? '';
  const version = sortableNumber(revision);
  const unsent = `${version}.0`;
  if (found === 'outdated' || unsent <= before) return false;
  const { rows, pending, done } = found;
  const put = (note: Note, of: { readonly version: string; readonly before: string }) =>
    compareAndPut(store, { ...key, version: of.version, body: codec.encode(note) }, of.before);
  const outcome = await deliver<ChangedRow>({
    note: async () => ((await put(pending, { version: unsent, before })) ? rows : 'outdated'),
    put: () =>
      store.put(
        rows.map(
          (row): Put => ({
            item: fleetRowItem(row.key, row.body, { version, nowMs }),
            condition: { type: 'newer' },
          }),
        ),
      ),
    send: () => notify(rows.map((row) => row.key)),
    markSent: async () =>
      (await put(done, { version: `${version}.1`, before: unsent })) ? undefined : 'outdated',
  });
  return outcome !== 'outdated';
}
