import { beforeEach, expect, it } from 'vitest';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  nextTryMs,
  noteInputs,
  noteLargestRows,
  putSetAside,
  putTrying,
  readSetAsideOf,
  readTrying,
  removeSetAside,
  type SetAside,
} from '#shared/state/set-aside.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const PK = 'W#wds1/apps/deployments/shop/web';
const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const END = { pk: PK, nowMs: START_MS, bindings: ['b1'], present: 'one' };

let store: ItemStore;
beforeEach(() => {
  store = createMemoryItemStore();
});

/** Sets it aside so many times. */
async function setAside(times: number, end: typeof END = END): Promise<SetAside> {
  let entry: SetAside | undefined;
  for (let time = 0; time < times; time += 1) entry = await putSetAside(store, end, entry);
  if (entry === undefined) throw new Error('it is not set aside');
  return entry;
}

function pauseMinutes(entry: SetAside): number {
  return (nextTryMs(entry) - entry.lastMs) / MINUTE_MS;
}

it('has pauses that double up to an hour, and up to five minutes if the inputs have changed', () => {
  const entry = { pk: PK, sinceMs: 0, lastMs: 0, bindings: [] };
  const times = [1, 2, 3, 4, 5, 6, 7, 8];
  expect(times.map((one) => pauseMinutes({ ...entry, times: one }))).toEqual([
    1, 2, 4, 8, 16, 32, 60, 60,
  ]);
  expect(times.map((one) => pauseMinutes({ ...entry, times: one, changed: true }))).toEqual([
    1, 2, 4, 5, 5, 5, 5, 5,
  ]);
});

it('has a shorter pause once other inputs are noted, and keeps it if they are as before again', async () => {
  const entry = await setAside(8);
  expect(await noteInputs(store, entry, 'one')).toBe(entry);
  const noted = await noteInputs(store, entry, 'other');
  expect(noted).toEqual({ ...entry, changed: true });
  expect(await readSetAsideOf(store, PK)).toEqual(noted);
  expect(noted && (await noteInputs(store, noted, 'one'))).toEqual(noted);
});

it('has its long pause where the inputs are not known, then or now', async () => {
  const entry = await setAside(8);
  expect(await noteInputs(store, entry, undefined)).toBe(entry);
  const { inputs: _inputs, ...older } = entry;
  expect(await noteInputs(store, older, 'other')).toBe(older);
  expect(await readSetAsideOf(store, PK)).toEqual(entry);
});

it('notes nothing in an entry that another process has replaced or removed', async () => {
  const entry = await setAside(1);
  const later = await putSetAside(store, END, entry);
  expect(await noteInputs(store, entry, 'other')).toBeUndefined();
  expect(await readSetAsideOf(store, PK)).toEqual(later);
  if (later !== undefined) await removeSetAside(store, later);
  expect(later && (await noteInputs(store, later, 'other'))).toBeUndefined();
  expect(await readSetAsideOf(store, PK)).toBeUndefined();
});

it('is removed by an attempt that has read it before the change was noted', async () => {
  const entry = await setAside(1);
  await noteInputs(store, entry, 'other');
  await removeSetAside(store, entry);
  expect(await readSetAsideOf(store, PK)).toBeUndefined();
});

it('counts as changed at once if the attempt had other inputs than there are at its end', async () => {
  const changed = await putSetAside(store, { ...END, tried: 'former' }, undefined);
  expect(changed).toMatchObject({ inputs: 'former', changed: true });
  const again = await putSetAside(store, { ...END, tried: 'one' }, changed);
  expect(again).toMatchObject({ inputs: 'one', times: 2 });
  expect(again?.changed).toBeUndefined();
});

it('has no inputs if it is no workload object', async () => {
  const end = { pk: 'C#wds1/c1', nowMs: START_MS, bindings: [], tried: undefined };
  const entry = await putSetAside(store, end, undefined);
  expect(Object.keys(entry ?? {}).sort()).toEqual(['bindings', 'lastMs', 'pk', 'sinceMs', 'times']);
});

it('has a mark that keeps the inputs of the attempt with the largest rows', async () => {
  const mark = await putTrying(store, { pk: PK, nowMs: START_MS, inputs: 'one' }, undefined);
  expect(await readTrying(store, PK)).toEqual({ pk: PK, sinceMs: START_MS, inputs: 'one' });
  const largest = [{ wec: 'wec1', bytes: 9 }];
  if (mark !== undefined) await noteLargestRows(store, mark, largest);
  expect(await readTrying(store, PK)).toEqual({ ...mark, largest });
});
