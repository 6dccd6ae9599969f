import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBacklogs } from '#shared/adapters/sqlite/backlogs.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import type { SqliteQueueOptions } from '#shared/adapters/sqlite/queue-rules.ts';
import { QueueFullError } from '#shared/errors.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

const ALL = { max: 10, waitSeconds: 0 };

let folder: string;
let database: SqliteDatabase;
let now: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-backlogs-'));
  database = openSqliteDatabase(join(folder, 'state.sqlite'));
  now = 1_700_000_000_000;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function queueOf(options: Partial<SqliteQueueOptions> = {}) {
  return createSqliteMessageQueue(database, {
    name: 'live',
    fifo: false,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 2,
    clock: () => now,
    ...options,
  });
}

function restart(): void {
  database.close();
  database = openSqliteDatabase(join(folder, 'state.sqlite'));
}

function of(group: string, ...bodies: readonly string[]): readonly OutgoingMessage[] {
  return bodies.map((body) => ({ body, group }));
}

it('keeps nothing of a tenant of whom nothing waits', async () => {
  const queue = queueOf();
  await queue.sendAs('a', of('wec/a', '1', '2'));
  await queue.delete((await queue.receive(ALL)).map(({ receiptHandle }) => receiptHandle));
  const rows = new DatabaseSync(join(folder, 'state.sqlite')).prepare('SELECT * FROM backlogs');
  expect(rows.all()).toEqual([]);
});

describe('a queue that accepts so much of each tenant', () => {
  const accepts = { messages: 3, bytes: 20 };

  it.each([
    ['messages', ['1', '2', '3'], '4'],
    ['bytes, as UTF-8 has them', ['1234567890', 'äöüß'], 'äöü'],
  ])('accepts what fits and rejects what does not, by %s', async (_by, fitting, more) => {
    const queue = queueOf({ accepts });
    for (const body of fitting) await queue.sendAs('a', of('wec/a', body));
    await expect(queue.sendAs('a', of('wec/a', more))).rejects.toThrow(QueueFullError);
    expect(await queue.counts()).toMatchObject({ visible: fitting.length });
  });

  it('says whose backlog is full, how large it is, and how large it may be', async () => {
    const queue = queueOf({ accepts: { messages: 2, bytes: 3 * 1024 * 1024 } });
    await queue.sendAs('a', of('wec/a', 'x'.repeat(1024 * 1024), 'y'));
    await expect(queue.sendAs('a', of('wec/a', 'z'))).rejects.toThrow(
      'wec/a has 2 messages (1.0 MiB) that wait, of 2 (3.0 MiB) that may',
    );
  });

  it('takes all messages of a request or none', async () => {
    const queue = queueOf({ accepts });
    await queue.sendAs('a', of('wec/a', '1'));
    await expect(queue.sendAs('a', of('wec/a', '2', '3', '4'))).rejects.toThrow(QueueFullError);
    expect(await queue.counts()).toMatchObject({ visible: 1 });
  });

  it('accepts messages of others at the same moment, also after one that is rejected', async () => {
    const queue = queueOf({ accepts });
    const settled = await Promise.allSettled([
      queue.sendAs('a', of('wec/a', '1', '2', '3')),
      queue.sendAs('a', of('wec/a', '4')),
      queue.sendAs('b', of('wec/b', '1', '2', '3')),
    ]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await queue.counts()).toMatchObject({ visible: 6 });
  });

  it('counts what is in flight, and has room again for what was deleted', async () => {
    const queue = queueOf({ accepts });
    await queue.sendAs('a', of('wec/a', '1', '2', '3'));
    const [first] = await queue.receive(ALL);
    await expect(queue.sendAs('a', of('wec/a', '4'))).rejects.toThrow(QueueFullError);
    await queue.delete([first?.receiptHandle ?? '']);
    await queue.sendAs('a', of('wec/a', '4'));
    await expect(queue.sendAs('a', of('wec/a', '5'))).rejects.toThrow(QueueFullError);
  });

  it('holds to it after a restart', async () => {
    await queueOf({ accepts }).sendAs('a', of('wec/a', '1', '2', '3'));
    restart();
    const queue = queueOf({ accepts });
    await expect(queue.sendAs('a', of('wec/a', '4'))).rejects.toThrow(QueueFullError);
    await queue.sendAs('b', of('wec/b', '1'));
  });

  it('takes whatever the process itself sends: what is redriven has been accepted before', async () => {
    const queue = queueOf({ accepts });
    await queue.send(of('wec/a', '1', '2', '3', '4'));
    expect(await queue.counts()).toMatchObject({ visible: 4 });
  });
});

describe('a dead-letter queue that keeps so much of each tenant', () => {
  const keeps = { messages: 2, bytes: 10 };
  const dead = () => queueOf({ name: 'dead', keeps });

  it('keeps the first ones, and counts the others by their tenant', async () => {
    await dead().send([...of('wec/a', '1', '2', '3'), ...of('wec/b', '4')]);
    await dead().send(of('wec/a', '5'));
    await dead().send(of('wec/b', 'larger than that'));
    restart();
    expect(await dead().leftOut()).toEqual(
      new Map([
        ['wec/a', 2],
        ['wec/b', 1],
      ]),
    );
    const kept = (await dead().receive(ALL)).map(({ body }) => body);
    expect(kept.toSorted()).toEqual(['1', '2', '4']);
  });

  it('leaves a message that has failed in its queue while it has no room, and takes it when it has', async () => {
    const queue = queueOf({ deadLetterQueue: 'dead', deadLetterKeeps: keeps, maxReceiveCount: 1 });
    await dead().send(of('wec/a', 'one', 'two'));
    await queue.send([...of('wec/a', 'mine'), ...of('wec/b', 'yours')]);
    expect(await queue.receive(ALL)).toHaveLength(2);
    for (let round = 0; round < 3; round += 1) {
      now += 60_000;
      const received = await queue.receive(ALL);
      expect(received.map(({ body }) => body)).toEqual(['mine']);
    }
    expect(await dead().leftOut()).toEqual(new Map());
    const letters = await dead().receive(ALL);
    expect(letters.map(({ body }) => body).toSorted()).toEqual(['one', 'two', 'yours']);
    await dead().delete(letters.map(({ receiptHandle }) => receiptHandle));
    now += 60_000;
    expect(await queue.receive(ALL)).toEqual([]);
    expect((await dead().receive(ALL)).map(({ body }) => body)).toEqual(['mine']);
  });
});

it('a file of version 2 is brought up to date with what each tenant has in it', async () => {
  await queueOf().send([...of('wec/a', 'äb', 'c'), ...of('wec/b', 'd')]);
  for (const part of ['TRIGGER messages_added', 'TRIGGER messages_removed', 'TABLE backlogs'])
    database.prepare(`DROP ${part}`).run();
  database.prepare('ALTER TABLE messages DROP COLUMN uncounted').run();
  database.prepare('PRAGMA user_version = 2').run();
  restart();
  const backlogs = createBacklogs(database);
  expect(backlogs.of('live', 'wec/a')).toEqual({ messages: 2, bytes: 4, leftOut: 0 });
  const queue = queueOf({ accepts: { messages: 2, bytes: 100 } });
  await expect(queue.sendAs('a', of('wec/a', 'e'))).rejects.toThrow(QueueFullError);
  await queue.sendAs('b', of('wec/b', 'e'));
});

it('a backlog is found by its key, however many there are', () => {
  const sql = "SELECT messages FROM backlogs WHERE queue = 'q' AND tenant = 't'";
  const [plan] = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  expect(plan?.['detail']).toMatch(/^SEARCH backlogs USING PRIMARY KEY \(queue=\? AND tenant=\?\)/);
});
