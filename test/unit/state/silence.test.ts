import { beforeEach, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { versionText } from '#shared/state/keys.ts';
import { putSilence, readSilence, readSilentWecs, type Silence } from '#shared/state/silence.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

function entry(sequence: number, silent: boolean, notified: boolean): Silence {
  return { name: 'wec1', heartbeat: versionText({ epoch: 1, sequence }), silent, notified };
}

/** In the order in which each may replace those before it. */
const IN_ORDER = [
  entry(1, false, false),
  entry(1, false, true),
  entry(1, true, false),
  entry(1, true, true),
  entry(2, false, false),
  entry(10, false, false),
];
const PAIRS = IN_ORDER.flatMap((earlier, index) =>
  IN_ORDER.slice(index + 1).map((later) => [earlier, later] as const),
);

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

it.each(PAIRS)('%o gives way to %o, and does not return', async (earlier, later) => {
  expect(await putSilence(store, [earlier], 0)).toEqual([earlier]);
  expect(await putSilence(store, [later], 0)).toEqual([later]);
  expect(await putSilence(store, [earlier], 0)).toEqual([]);
  expect([...(await readSilence(store)).values()]).toEqual([later]);
  expect((await readSilentWecs(store)).has('wec1')).toBe(later.silent);
});

it.each(IN_ORDER)('%o that exists already counts as stored', async (one) => {
  await putSilence(store, [one], 0);
  expect(await putSilence(store, [one], 0)).toEqual([one]);
});
