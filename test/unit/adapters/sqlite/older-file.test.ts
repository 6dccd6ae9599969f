import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { SCHEMA_0_1 } from './schema-0-1.ts';

const folder = mkdtempSync(join(tmpdir(), 'starfold-older-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW = 1_700_000_000_000;

/** A file as release 0.1 leaves it: `[queue, group, body, hidden until, receive count]` of each message. */
function olderFile(
  name: string,
  messages: readonly (readonly [string, string, string, number, number])[],
): string {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec(SCHEMA_0_1);
  database.exec("INSERT INTO items VALUES ('p', 's', '1', 'kept', NULL)");
  const add = database.prepare(`INSERT INTO messages (queue, group_id, message_id, body,
    deduplication_id, sender_id, sent_at, hidden_until, receive_count)
    VALUES (?, ?, ?, ?, NULL, 'local', ${NOW}, ?, ?)`);
  for (const [queue, group, body, hiddenUntil, receiveCount] of messages)
    add.run(queue, group, `id-${body}`, body, hiddenUntil, receiveCount);
  database.exec(`INSERT INTO ready_groups SELECT queue, group_id, min(sequence) FROM messages AS m
    WHERE group_id <> '' AND hidden_until = 0 AND NOT EXISTS (SELECT 1 FROM messages AS h
      WHERE h.queue = m.queue AND h.group_id = m.group_id AND h.hidden_until > 0)
    GROUP BY queue, group_id`);
  database.close();
  return file;
}

const OPTIONS = { visibilityTimeoutSeconds: 30, maxReceiveCount: 3, clock: () => NOW };
const ALL = { max: 10, waitSeconds: 0 };

describe('a file of release 0.1', () => {
  it('is brought up to date with its items, and with its messages in their order', async () => {
    const file = olderFile('messages.db', [
      ['events', '', 'e1', 0, 0],
      ['events', '', 'e2', NOW + 10_000, 1],
      ['events', '', 'e3', 0, 0],
      ['dirty', 'g', 'd1', NOW + 10_000, 1],
      ['dirty', 'g', 'd2', 0, 0],
      ['dirty', 'h', 'd3', 0, 0],
      ['dirty', 'h', 'd4', 0, 0],
    ]);
    const database = openSqliteDatabase(file);
    const [item] = await createSqliteItemStore(database).get([{ pk: 'p', sk: 's' }]);
    expect(item).toMatchObject({ version: '1' });
    const events = createSqliteMessageQueue(database, { ...OPTIONS, name: 'events', fifo: false });
    const dirty = createSqliteMessageQueue(database, { ...OPTIONS, name: 'dirty', fifo: true });
    await events.send([{ body: 'e4', group: 'wec/a' }]);
    await dirty.send([{ body: 'd5', group: 'i', tenant: 'wds/x' }]);
    const bodies = async (queue: typeof events) =>
      (await queue.receive(ALL)).map(({ body }) => body);
    expect((await bodies(events)).toSorted()).toEqual(['e1', 'e3', 'e4']);
    // The group whose first message is in flight is still locked.
    expect((await bodies(dirty)).toSorted()).toEqual(['d3', 'd4', 'd5']);
    database.close();
  });

  it('is brought up to date once, and what is in it then is delivered once', async () => {
    const file = olderFile('twice.db', [['events', '', 'e1', 0, 0]]);
    const [one, two] = [openSqliteDatabase(file), openSqliteDatabase(file)];
    const options = { ...OPTIONS, name: 'events', fifo: false };
    expect(await createSqliteMessageQueue(one, options).receive(ALL)).toHaveLength(1);
    expect(await createSqliteMessageQueue(two, options).receive(ALL)).toHaveLength(0);
    expect(two.prepare('PRAGMA user_version').get()).toEqual({ user_version: 4 });
    one.close();
    two.close();
  });

  it('can be read as it is, by who only reads', async () => {
    const file = olderFile('read.db', []);
    const database = openSqliteDatabase(file, { readOnly: true });
    expect(await createSqliteItemStore(database).get([{ pk: 'p', sk: 's' }])).toHaveLength(1);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    database.close();
  });
});
