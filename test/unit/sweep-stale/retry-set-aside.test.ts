import { expect, it } from 'vitest';
import { retrySetAside } from '#functions/sweep-stale/retry-set-aside.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import {
  nextTryMs,
  noteInputs,
  putSetAside,
  readSetAside,
  type SetAside,
} from '#shared/state/set-aside.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

/** Sets so many workload objects aside at the start, each so many times. */
async function withSetAside(count: number, times = 1) {
  const store = createMemoryItemStore();
  for (let index = 0; index < count; index += 1) {
    const pk = `W#wds1/apps/deployments/shop/web${index}`;
    let entry: SetAside | undefined;
    for (let time = 1; time <= times; time += 1) {
      // Each end is a millisecond later than the one before.
      const nowMs = START_MS - times;
      entry = await putSetAside(store, { pk, nowMs, bindings: [], present: 'one' }, entry);
    }
  }
  let now = START_MS;
  const sent: string[] = [];
  const dirty = {
    send: async (messages: readonly { readonly body: string }[]) => {
      for (const { body } of messages) {
        const message = parseDirty(body);
        if (message.type === 'subject' && message.subject.type === 'workload')
          sent.push(message.subject.workload.name);
      }
    },
  };
  return {
    /** Notes that the inputs of the first one have changed. */
    change: async () => {
      const [entry] = await readSetAside(store);
      if (entry !== undefined) await noteInputs(store, entry, 'other');
    },
    /** One run in the given minute. Returns the subjects that it sends. */
    run: async (minute: number): Promise<readonly string[]> => {
      now = START_MS + minute * MINUTE_MS;
      sent.length = 0;
      expect(await retrySetAside({ store, dirty, clock: () => now })).toBe(count);
      return [...sent];
    },
  };
}

it('sends at most five subjects a minute, however many are due, and each of them in turn', async () => {
  const aside = await withSetAside(52);
  const all = new Set<string>();
  for (let minute = 1; minute <= 11; minute += 1) {
    const sent = await aside.run(minute);
    expect(sent.length).toBeLessThanOrEqual(5);
    for (const name of sent) all.add(name);
  }
  expect(all.size).toBe(52);
});

it('sends all that are due if they are five', async () => {
  const aside = await withSetAside(5);
  for (const minute of [1, 2]) expect(await aside.run(minute)).toHaveLength(5);
});

it('sends a subject whose inputs have changed five minutes after the last end', async () => {
  const aside = await withSetAside(2, 8);
  expect(await aside.run(30)).toEqual([]);
  await aside.change();
  expect(await aside.run(4)).toEqual([]);
  expect(await aside.run(5)).toEqual(['web0']);
  expect(await aside.run(60)).toEqual(['web0', 'web1']);
});

it('sends nothing before the pause is over', async () => {
  const aside = await withSetAside(3);
  expect(await aside.run(0)).toEqual([]);
  const entry = { pk: '', sinceMs: START_MS, lastMs: START_MS, times: 1, bindings: [] };
  expect(nextTryMs(entry)).toBe(START_MS + MINUTE_MS);
});
