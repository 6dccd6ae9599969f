import { beforeEach, describe, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putSilence, readSilence, readSilentWecs, silenceKey } from '#shared/state/silence.ts';
import {
  putRecentRows,
  putTimedSubject,
  readOverRows,
  readSilentAfterTimes,
  readTimedSubjects,
  removeOverRows,
  removeTimedSubject,
} from '#shared/state/silent-after.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const MINUTE = 60_000;
const WEB = 'W#wds1/apps/deployments/shop/we|b';
const BINDING = 'B#wds1/b';

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

async function subjects(silentAfterMs: number): Promise<readonly string[]> {
  return [...(await readTimedSubjects(store, silentAfterMs)).keys()];
}

describe('the times that are in use', () => {
  it('are none at first', async () => {
    expect(await readSilentAfterTimes(store)).toEqual([]);
  });

  it('are those of subjects, of silent WECs and of rows that count for a while, each once and in order', async () => {
    for (const [index, partition] of [WEB, BINDING].entries())
      await putTimedSubject(store, { partition, silentAfterMs: 10 * MINUTE }, index + 1);
    const entry = { name: 'wec1', heartbeat: '1', silent: true, notified: true };
    await putSilence(store, [{ ...entry, silentAfterMs: MINUTE }], 0);
    const row = { partition: WEB, silentAfterMs: 168 * 60 * MINUTE, wec: 'wec1', untilMs: 1 };
    await putRecentRows(store, [row], 1);
    const expected = [MINUTE, 10 * MINUTE, 168 * 60 * MINUTE];
    expect(await readSilentAfterTimes(store)).toEqual(expected);
    const empty = { ...store, query: () => Promise.resolve({ items: [] }) };
    expect(await readSilentAfterTimes(empty)).toEqual([]);
  });

  it('have silent WECs of their own', async () => {
    const entry = { name: 'wec1', heartbeat: '1', silent: true, notified: true };
    await putSilence(store, [{ ...entry, silentAfterMs: MINUTE }], 0);
    expect([...(await readSilentWecs(store, MINUTE)).keys()]).toEqual(['wec1']);
    expect((await readSilentWecs(store, 2 * MINUTE)).size).toBe(0);
    expect((await readSilence(store)).size).toBe(0);
    await store.delete([{ key: silenceKey('wec1', { silentAfterMs: MINUTE }) }]);
    expect(await readSilentAfterTimes(store)).toEqual([]);
  });
});

describe('the note that a subject has a time', () => {
  const timed = { partition: WEB, silentAfterMs: MINUTE };

  it('is found by its time, and goes with a later head', async () => {
    await putTimedSubject(store, timed, 3);
    expect(await subjects(MINUTE)).toEqual([WEB]);
    expect(await subjects(2 * MINUTE)).toEqual([]);
    await removeTimedSubject(store, timed, 4);
    expect(await subjects(MINUTE)).toEqual([]);
    await removeTimedSubject(store, timed, 4);
  });

  it('stays if a later aggregation has put it again', async () => {
    await putTimedSubject(store, timed, 3);
    await putTimedSubject(store, timed, 5);
    await removeTimedSubject(store, timed, 4);
    expect(await subjects(MINUTE)).toEqual([WEB]);
  });

  it('stays if one puts it again while it is being removed', async () => {
    await putTimedSubject(store, timed, 3);
    const slow: ItemStore = {
      ...store,
      delete: async (deletes) => {
        await putTimedSubject(store, timed, 5);
        return store.delete(deletes);
      },
    };
    await removeTimedSubject(slow, timed, 4);
    expect(await subjects(MINUTE)).toEqual([WEB]);
  });
});

describe('the note that a row counts for a while', () => {
  const row = { partition: WEB, silentAfterMs: MINUTE, wec: 'wec1', untilMs: 1_000 };
  const over = (nowMs: number) => readOverRows(store, { silentAfterMs: MINUTE, nowMs });

  it('is over after its time, and not before', async () => {
    await putRecentRows(store, [], 7);
    await putRecentRows(store, [row], 7);
    expect(await over(1_000)).toEqual([]);
    expect(await over(1_001)).toMatchObject([{ wec: 'wec1', partition: WEB }]);
    await removeOverRows(store, await over(1_001));
    expect(await over(1_001)).toEqual([]);
  });

  it('stays if an aggregation has put it again since', async () => {
    await putRecentRows(store, [row], 7);
    const found = await over(1_001);
    await putRecentRows(store, [row], 8);
    await removeOverRows(store, found);
    expect(await over(1_001)).toHaveLength(1);
  });
});
