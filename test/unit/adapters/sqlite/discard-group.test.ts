import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';

const ALL = { max: 10, waitSeconds: 0 };
const [GONE, STAYS] = ['wec/gone', 'wec/stays'];
const ACCEPTS = { messages: 2, bytes: 100 };

let database: SqliteDatabase;
beforeEach(() => {
  database = openSqliteDatabase(':memory:');
});
afterEach(() => database.close());

function queueOf(fifo: boolean): SqliteMessageQueue {
  return createSqliteMessageQueue(database, {
    name: 'live',
    fifo,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => 1_700_000_000_000,
    ...(fifo ? {} : { accepts: ACCEPTS }),
  });
}

function bodiesOf(messages: readonly ReceivedMessage[]): readonly string[] {
  return messages.map(({ body }) => body);
}

it.each([false, true])(
  'deletes the messages of one group, and those of others are delivered (FIFO: %s)',
  async (fifo) => {
    const queue = queueOf(fifo);
    for (const [index, group] of [GONE, STAYS, GONE, STAYS].entries())
      await queue.send([{ body: `${group} ${index}`, group }]);
    await queue.discardGroup(GONE);
    expect(bodiesOf(await queue.receive(ALL))).toEqual([`${STAYS} 1`, `${STAYS} 3`]);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 2, delayed: 0 });
  },
);

it('deletes delayed messages and those in flight, whose receivers then change nothing', async () => {
  const queue = queueOf(false);
  await queue.send([{ body: 'in flight', group: GONE }]);
  const [received] = await queue.receive(ALL);
  const handles = [received?.receiptHandle ?? ''];
  await queue.send([{ body: 'delayed', group: GONE, delaySeconds: 9 }]);
  await queue.discardGroup(GONE);
  await queue.changeVisibility(handles, 0);
  await queue.giveBack(handles, 0);
  await queue.delete(handles);
  expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

it('makes room for later messages of the group', async () => {
  const queue = queueOf(false);
  const send = (body: string): Promise<void> => queue.sendAs('http', [{ body, group: GONE }]);
  await send('1');
  await send('2');
  await expect(send('3')).rejects.toThrow(GONE);
  await queue.discardGroup(GONE);
  await send('4');
  expect(bodiesOf(await queue.receive(ALL))).toEqual(['4']);
});

it('leaves other queues of the file alone', async () => {
  const options = { fifo: false, visibilityTimeoutSeconds: 30, maxReceiveCount: 3 };
  const other = createSqliteMessageQueue(database, {
    ...options,
    name: 'other',
    clock: () => 1_700_000_000_000,
  });
  await other.send([{ body: 'kept', group: GONE }]);
  await queueOf(false).discardGroup(GONE);
  expect(bodiesOf(await other.receive(ALL))).toEqual(['kept']);
});

it('says that the queue is unavailable when the file is closed', async () => {
  const queue = queueOf(false);
  database.close();
  await expect(queue.discardGroup(GONE)).rejects.toThrow(QueueUnavailableError);
});
