import { beforeEach, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';

const WAIT = { max: 2, waitSeconds: 20 };

let database: SqliteDatabase;
let queue: SqliteMessageQueue;
beforeEach(() => {
  database = openSqliteDatabase(':memory:');
  queue = createSqliteMessageQueue(database, {
    ...{ name: 'live', fifo: false, visibilityTimeoutSeconds: 30, maxReceiveCount: 3 },
    clock: Date.now,
  });
  return () => database.close();
});

/** Lets receivers that were called find nothing, so that they wait. */
async function nextTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
}

function changes(): number {
  return Number(database.prepare('SELECT total_changes() AS changes').get()?.['changes']);
}

it('gives messages to the receivers that wait in the transaction in which they are sent', async () => {
  const first = queue.receive(WAIT);
  const second = queue.receive(WAIT);
  const third = queue.receive(WAIT);
  await nextTurns();
  await queue.send(['a', 'b', 'c'].map((body) => ({ body })));
  const before = changes();
  expect(await queue.counts()).toEqual({ visible: 0, inFlight: 3, delayed: 0 });
  expect(await first).toMatchObject([{ body: 'a' }, { body: 'b' }]);
  expect(await second).toMatchObject([{ body: 'c' }]);
  expect(changes()).toBe(before);
  await queue.send([{ body: 'd' }]);
  expect(await third).toMatchObject([{ body: 'd' }]);
});

it('gives no message to a receiver that was stopped', async () => {
  const stop = new AbortController();
  const stopped = queue.receive(WAIT, stop.signal);
  await nextTurns();
  stop.abort();
  await queue.send([{ body: 'a' }]);
  expect(await stopped).toEqual([]);
  expect(await queue.counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
});

it('gives a message once if a write of the same transaction fails', async () => {
  const waiting = queue.receive(WAIT);
  await nextTurns();
  const failing = database.write(() => {
    throw new RangeError('stop');
  });
  const [sent, failed] = await Promise.allSettled([queue.send([{ body: 'a' }]), failing]);
  expect([sent.status, failed.status]).toEqual(['fulfilled', 'rejected']);
  expect(await waiting).toMatchObject([{ body: 'a', receiveCount: 1 }]);
  expect(await queue.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
});

it('gives nothing if the transaction fails', async () => {
  const stop = new AbortController();
  const waiting = queue.receive(WAIT, stop.signal);
  await nextTurns();
  database.prepare('DROP TABLE turns').run();
  await expect(queue.send([{ body: 'a' }])).rejects.toThrow('turns');
  stop.abort();
  await expect(waiting).resolves.toEqual([]);
});

it('leaves the queues alone that a write does not change', async () => {
  const waiting = queue.receive({ max: 1, waitSeconds: 20 });
  await nextTurns();
  const before = changes();
  await createSqliteItemStore(database).put([{ item: { pk: 'p', sk: 's' } }]);
  expect(changes() - before).toBe(1);
  await queue.send([{ body: 'a' }]);
  expect(await waiting).toHaveLength(1);
});
