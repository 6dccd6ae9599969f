import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JournaledKeys } from '#shared/ports/change-journal.ts';
import type { JournaledStore } from '#test/fakes/memory-journal.ts';

/** The keys that the journals of the suite record. */
export const KEYS: readonly JournaledKeys[] = [
  { pk: "W#it's/", sk: 'R#' },
  { pk: "W#it's/", sk: 'OBJECT' },
  { pk: 'HEARTBEATS', sk: 'wec/', lives: true },
];
/** So many entries they keep. */
export const KEPT = 10;
const PK = "W#it's/apps";

/** The promises of the journal port, as tests. The journal has {@link KEYS} and keeps {@link KEPT} entries. */
export function describeChangeJournal(name: string, make: () => JournaledStore): void {
  describe(`${name} as a journal`, () => {
    let made: JournaledStore;
    beforeAll(() => {
      made = make();
    });
    const ended: (() => void)[] = [];
    afterAll(() => {
      for (const end of ended) end();
    });
    const put = (pk: string, sk: string, version = '1') =>
      made.store.put([{ item: { pk, sk, version }, condition: { type: 'newer' } }]);
    /** What is recorded of some work. */
    const recorded = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
      const before = await made.journal.revision();
      await work();
      const found = await made.journal.after(before);
      expect(found?.revision).toBe(await made.journal.revision());
      const revisions = found?.entries.map(({ revision }) => revision) ?? [];
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(revisions.every((revision) => revision > before)).toBe(true);
      expect(revisions.at(-1) ?? before).toBe(found?.revision);
      return found?.entries.map(({ pk, sk }) => `${pk} ${sk}`) ?? ['none'];
    };

    it('records puts, replacements and deletions in their order', async () => {
      const entries = await recorded(async () => {
        await put(PK, 'R#1');
        await made.store.put([{ item: { pk: PK, sk: 'OBJECT' } }, { item: { pk: PK, sk: 'R#2' } }]);
        await put(PK, 'R#1', '2');
        await made.store.delete([{ key: { pk: PK, sk: 'R#2' } }]);
      });
      const keys = ['R#1', 'OBJECT', 'R#2', 'R#1', 'R#2'];
      expect(entries).toEqual(keys.map((sk) => `${PK} ${sk}`));
    });

    it('records nothing of a write that did not take effect', async () => {
      await put(PK, 'R#3', '5');
      const entries = await recorded(async () => {
        await put(PK, 'R#3', '4');
        await made.store.delete([
          { key: { pk: PK, sk: 'R#3' }, version: '4' },
          { key: { pk: PK, sk: 'R#missing' } },
        ]);
      });
      expect(entries).toEqual([]);
    });

    it('records nothing of other keys', async () => {
      const entries = await recorded(async () => {
        await put(PK, 'PART#1');
        await put(PK, 'r#1');
        await put('W#its/apps', 'R#1');
        await put('X#HEARTBEATS', 'wec/a');
      });
      expect(entries).toEqual([]);
    });

    it('records only the beginning and the end of an item of which only these matter', async () => {
      const entries = await recorded(async () => {
        await put('HEARTBEATS', 'wec/a', '1');
        await put('HEARTBEATS', 'wec/a', '2');
        await made.store.delete([{ key: { pk: 'HEARTBEATS', sk: 'wec/a' } }]);
      });
      expect(entries).toEqual(['HEARTBEATS wec/a', 'HEARTBEATS wec/a']);
    });

    it('has nothing after the last revision', async () => {
      expect(await recorded(async () => undefined)).toEqual([]);
    });

    it('has exactly the last entries, and says so of what is before them', async () => {
      await put(PK, 'R#old');
      const before = await made.journal.revision();
      for (let index = 0; index < KEPT; index += 1) await put(PK, 'R#many', `${index}`);
      expect((await made.journal.after(before))?.entries).toHaveLength(KEPT);
      expect(await made.journal.after(before - 1)).toBeUndefined();
      expect(await made.journal.after(0)).toBeUndefined();
    });

    it('calls each subscriber after a change, until its subscription ends', async () => {
      const [first, second] = [vi.fn(), vi.fn()];
      const endFirst = made.journal.subscribe(first);
      ended.push(made.journal.subscribe(second));
      await put(PK, 'R#told', '1');
      await vi.waitFor(() => expect(first).toHaveBeenCalled());
      endFirst();
      first.mockClear();
      await vi.waitFor(() => expect(second).toHaveBeenCalled());
      second.mockClear();
      await put(PK, 'R#told', '2');
      await vi.waitFor(() => expect(second).toHaveBeenCalled());
      expect(first).not.toHaveBeenCalled();
    });
  });
}
