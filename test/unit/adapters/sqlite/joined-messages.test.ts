import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { SqliteQueueOptions } from '#shared/adapters/sqlite/queue-rules.ts';
import { deleteFrom, receiveFrom } from './queue-history.ts';

const MOST = 25;
const BYTES = 500;

let database: SqliteDatabase;
let queue: SqliteMessageQueue;

function open(max: number, options: Partial<SqliteQueueOptions> = {}): SqliteMessageQueue {
  return createSqliteMessageQueue(database, {
    name: 'dirty',
    fifo: true,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => 1_700_000_000_000,
    joined: { max, bytes: BYTES, joins: (body) => body.startsWith('part') },
    parts: { perSecond: 1, burst: 15 },
    ...options,
  });
}

beforeEach(() => {
  database = openSqliteDatabase(':memory:');
  queue = open(MOST);
});
afterEach(() => database.close());

async function send(group: string, bodies: readonly string[], tenant = 'wec/a'): Promise<void> {
  await queue.send(bodies.map((body) => ({ body, group, tenant })));
}

function parts(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_part, index) => `part ${from + index}`);
}

async function receive(): Promise<readonly string[]> {
  const batch = await receiveFrom(queue);
  await deleteFrom(queue, batch);
  return batch.map(({ group, body }) => `${group}: ${body}`);
}

it('takes more messages of a group than a receive may have, but no more than its limit', async () => {
  await send('web', parts(MOST + 3));
  await send('other', ['part']);
  expect(await receive()).toEqual(parts(MOST).map((body) => `web: ${body}`));
  expect(await receive()).toEqual([...parts(3, MOST).map((body) => `web: ${body}`), 'other: part']);
});

it('takes them whichever tenant has sent them', async () => {
  for (const [index, body] of parts(15).entries()) await send('web', [body], `wec/${index}`);
  expect(await receive()).toHaveLength(15);
});

it('ends before the first message that is work of its own', async () => {
  await send('web', [...parts(12), 'walk', ...parts(2)]);
  expect(await receive()).toEqual(parts(12).map((body) => `web: ${body}`));
  expect(await receive()).toEqual(['web: walk', 'web: part 0', 'web: part 1']);
});

it('takes no other group with them', async () => {
  await send('web', parts(8));
  await send('more', parts(MOST));
  await send('last', ['part']);
  // Two places are left for the second group, which brings all that joins.
  expect(await receive()).toHaveLength(8 + MOST);
  expect(await receive()).toEqual(['last: part']);
});

it('counts them as in flight until the receiver deletes them, and delivers no other of the group', async () => {
  await send('web', parts(15));
  const batch = await receiveFrom(queue);
  await send('web', ['part late']);
  expect(await receiveFrom(queue)).toEqual([]);
  expect(await queue.counts()).toEqual({ visible: 1, inFlight: 15, delayed: 0 });
  await deleteFrom(queue, batch);
  expect(await receive()).toEqual(['web: part late']);
});

it('ends where their bodies have too many bytes', async () => {
  const large = (count: number) => Array.from({ length: count }, () => `part ${'ä'.repeat(20)}`);
  await send('web', large(15));
  // Of 45 bytes each, the first ten in any case.
  expect(await receive()).toHaveLength(11);
  expect(await receive()).toHaveLength(4);
});

it('ends before work of its own also if some before it move to the dead-letter queue', async () => {
  queue = open(MOST, { maxReceiveCount: 1, deadLetterQueue: 'dead' });
  await send('web', ['part dead']);
  const batch = await receiveFrom(queue);
  await queue.changeVisibility(
    batch.map(({ receiptHandle }) => receiptHandle),
    0,
  );
  await send('web', [...parts(10), 'walk', ...parts(3)]);
  expect(await receive()).toEqual(parts(10).map((body) => `web: ${body}`));
  expect(await receive()).toHaveLength(4);
});

it('takes no more than that if some of them move to the dead-letter queue', async () => {
  queue = open(MOST, { maxReceiveCount: 1, deadLetterQueue: 'dead' });
  await send('web', ['part dead']);
  const batch = await receiveFrom(queue);
  await queue.changeVisibility(
    batch.map(({ receiptHandle }) => receiptHandle),
    0,
  );
  await send('web', parts(2 * MOST));
  expect(await receive()).toEqual(parts(MOST).map((body) => `web: ${body}`));
});

it('takes as many as a receive may have if fewer may join', async () => {
  queue = open(2);
  await send('web', parts(12));
  expect(await receive()).toHaveLength(10);
});

it('charges the part of a tenant for no more than a receive may have', async () => {
  await send('web', parts(MOST), 'wds/a~binding');
  await send('web', ['walk'], 'wds/a~binding');
  await send('other', ['part'], 'wec/b');
  await receive();
  await receive();
  // The first receive has cost 10 of 15. Had it cost 25, the tenant would wait for others.
  await send('more', ['part'], 'wds/a~other');
  await send('other', ['part'], 'wec/b');
  expect((await receive()).toSorted()).toEqual(['more: part', 'other: part']);
});
