import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';

const START_MS = 1_700_000_000_000;

describe('messages whose group rests', () => {
  let now: number;
  let database: SqliteDatabase;
  let queue: SqliteMessageQueue;
  beforeEach(() => {
    now = START_MS;
    database = openSqliteDatabase(':memory:');
    queue = createSqliteMessageQueue(database, {
      ...{ name: 'dirty', fifo: true, clock: () => now },
      ...{ visibilityTimeoutSeconds: 60, maxReceiveCount: 3 },
    });
  });
  afterEach(() => database.close());

  const edit = (body: string) => ({ body, group: 'binding', restSeconds: 1 });

  /** The bodies of one receive, which are then handled. */
  async function receive(waitSeconds = 0): Promise<readonly string[]> {
    const messages = await queue.receive({ max: 10, waitSeconds });
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    return messages.map(({ body }) => body);
  }

  it('come at once the first time, and together after the rest', async () => {
    await queue.send([edit('1')]);
    expect(await receive()).toEqual(['1']);
    now += 10;
    await queue.send([edit('2')]);
    now += 500;
    await queue.send([edit('3'), { body: 'other', group: 'workload' }]);
    expect(await receive()).toEqual(['other']);
    now += 489;
    expect(await receive()).toEqual([]);
    now += 1;
    expect(await receive()).toEqual(['2', '3']);
    now += 1_000;
    await queue.send([edit('4')]);
    expect(await receive()).toEqual(['4']);
  });

  it('keep the order of their group, also of messages without a rest', async () => {
    await queue.send([edit('1')]);
    expect(await receive()).toEqual(['1']);
    await queue.send([edit('2'), { body: 'further', group: 'binding' }]);
    expect(await receive()).toEqual([]);
    now += 1_000;
    expect(await receive()).toEqual(['2', 'further']);
  });

  it('keep those before them, which wait already, until the end of the rest', async () => {
    await queue.send([edit('1')]);
    expect(await receive()).toEqual(['1']);
    await queue.send([{ body: 'further', group: 'binding' }]);
    await queue.send([edit('2')]);
    expect(await receive()).toEqual([]);
    now += 1_000;
    expect(await receive()).toEqual(['further', '2']);
  });

  it('do not rest longer because the clock was set back', async () => {
    await queue.send([edit('1')]);
    expect(await receive()).toEqual(['1']);
    now -= 60_000;
    await queue.send([edit('2')]);
    expect(await receive()).toEqual(['2']);
  });

  it('wake a receiver that waits when the rest is over', async () => {
    await queue.send([edit('1')]);
    expect(await receive()).toEqual(['1']);
    const receiving = receive(20);
    // Until it has found nothing, and waits to be woken.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await queue.send([{ ...edit('2'), restSeconds: 0.05 }]);
    now += 50;
    expect(await receiving).toEqual(['2']);
  });
});
