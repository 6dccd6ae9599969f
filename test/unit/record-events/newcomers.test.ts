import { expect, it } from 'vitest';
import { recordEvents } from '#functions/record-events/use-case.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { RANGE, range, rowKey } from '#shared/state/keys.ts';
import { decodeRow } from '#shared/state/rows.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const SUBJECT = { group: 'batch', resource: 'jobs', namespace: 'shop', name: 'import' };
const SOURCE = { type: 'wec', name: 'wec1' } as const;
const ROW = rowKey({ wds: 'wds1', ...SUBJECT }, 'wec1');

/** An event of an object that its forwarder has told of before. */
function said(sequence: number): ForwarderEvent {
  const returned = { uid: 'u', generation: 1, status: { succeeded: sequence } };
  return {
    source: SOURCE,
    version: { epoch: 1, sequence },
    time: '2026-01-01T00:00:00Z',
    content: { type: 'wec-object', wds: 'wds1', subject: SUBJECT, first: false, returned },
  };
}

async function record(store: ItemStore, sequence: number): Promise<SentMessages> {
  const dirty = new SentMessages();
  const deps = { store, specs: createSpecStore(store), dirty, hints: new SentMessages() };
  await recordEvents({ ...deps, clock: () => 0 }, [said(sequence)]);
  return dirty;
}

/** A store in which something happens once, right after a put that refused something. */
function afterRefusal(store: ItemStore, happens: () => Promise<unknown>): ItemStore {
  let pending = true;
  return {
    ...store,
    put: async (puts) => {
      const took = await store.put(puts);
      if (pending && took.includes(false)) {
        pending = false;
        await happens();
      }
      return took;
    },
  };
}

it('a new row is put and reported if another invocation puts an older one in the meantime', async () => {
  const store = createMemoryItemStore();
  const racing = afterRefusal(store, () => record(store, 1));
  const dirty = await record(racing, 2);
  const [item] = await store.get([ROW]);
  expect(item && decodeRow(item).row?.status).toEqual({ succeeded: 2 });
  expect(dirty.bodies).toHaveLength(1);
  const { items } = await store.query(range(sourcePartition(SOURCE), RANGE.reported));
  expect(items).toHaveLength(1);
});

it('a new row is dropped if another invocation puts a newer one in the meantime', async () => {
  const store = createMemoryItemStore();
  const racing = afterRefusal(store, () => record(store, 3));
  const dirty = await record(racing, 2);
  const [item] = await store.get([ROW]);
  expect(item && decodeRow(item).row?.status).toEqual({ succeeded: 3 });
  expect(dirty.bodies).toEqual([]);
});
