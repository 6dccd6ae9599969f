import { beforeEach, expect, it } from 'vitest';
import { settleSilentAfter } from '#functions/sweep-stale/silent-after.ts';
import { KeptEntries } from '#functions/sweep-stale/workloads-of.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore, Query } from '#shared/ports/item-store.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { putTimedSubject } from '#shared/state/silent-after.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const MINUTE_MS = 60_000;
const TIMES = [1, 2, 3, 4, 5].map((minutes) => minutes * MINUTE_MS);
const WECS = ['wec1', 'wec2'];

let store: ItemStore;
let queries: Query[];

/** A workload object, by its place in the partition of a WEC's entries. */
function partitionOf(name: string): string {
  return `W#wds1/apps/deployments/shop/${name}`;
}

/** WECs with rows of `names`, which have been silent for longer than each of the times. */
async function silentWecs(names: readonly string[]): Promise<void> {
  for (const wec of WECS) {
    await store.put([
      { item: heartbeatItem({ type: 'wec', name: wec }, { epoch: 1, sequence: 1 }, 0) },
    ]);
    await store.put(
      names.map((name) => ({
        item: { pk: `E#wec/${wec}`, sk: `SEEN#${partitionOf(name)}|R#0#${wec}`, version: '1' },
      })),
    );
  }
}

beforeEach(() => {
  queries = [];
  const inner = createMemoryItemStore();
  store = {
    ...inner,
    query: (query) => {
      queries.push(query);
      return inner.query(query);
    },
  };
});

/** Settles, and returns the names of the workload objects that were notified, one for each message. */
async function settle(): Promise<readonly string[]> {
  const dirty = new SentMessages();
  await settleSilentAfter({ store, dirty, clock: () => 10 * MINUTE_MS });
  return dirty.bodies.map((body) => {
    const message = parseDirty(body);
    return message.type === 'subject' && message.subject.type === 'workload'
      ? message.subject.workload.name
      : body;
  });
}

function readsOfWecs(): readonly string[] {
  return queries.map(({ pk }) => pk).filter((pk) => pk.startsWith('E#wec/'));
}

it('reads the entries of each WEC once for all times, and notifies the subjects of each time', async () => {
  const names = TIMES.map((_time, index) => `web${index}`);
  await silentWecs(names);
  for (const [index, silentAfterMs] of TIMES.entries())
    await putTimedSubject(store, { partition: partitionOf(`web${index}`), silentAfterMs }, 1);
  queries = [];
  expect(await settle()).toEqual(names);
  expect(readsOfWecs()).toEqual(['E#wec/wec1', 'E#wec/wec2']);
  expect(await settle()).toEqual([]);
});

it('reads no entries of WECs for a time that only Bindings have', async () => {
  await silentWecs(['web']);
  await putTimedSubject(store, { partition: 'B#wds1/a', silentAfterMs: MINUTE_MS }, 1);
  queries = [];
  expect(await settle()).toHaveLength(1);
  expect(readsOfWecs()).toEqual([]);
});

it('reads nothing but the times if no subject has one', async () => {
  await silentWecs(['web']);
  queries = [];
  expect(await settle()).toEqual([]);
  expect(queries.map(({ pk }) => pk)).toEqual(['SILENT-AFTER']);
});

it('keeps the entries of as many WECs as there is room for, and reads those of the others again', async () => {
  await silentWecs(['a', 'b', 'c']);
  queries = [];
  const entries = new KeptEntries(store, 5);
  const wecs = WECS.map((name) => ({ name }));
  for (let question = 0; question < 3; question += 1)
    expect([...(await entries.of(wecs)).keys()]).toEqual(['a', 'b', 'c'].map(partitionOf));
  expect(readsOfWecs()).toEqual(['E#wec/wec1', 'E#wec/wec2', 'E#wec/wec2', 'E#wec/wec2']);
});
