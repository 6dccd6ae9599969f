import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  failureText,
  openSqliteDatabase,
  problemOf,
  type SqliteDatabase,
} from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { diskFails, diskFull } from '#shared/adapters/sqlite/messages.ts';

let folder: string;
let database: SqliteDatabase;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-full-'));
  database = openSqliteDatabase(join(folder, 'state.sqlite'));
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** From now on SQLite has no page left to give, as on a disk that is full. */
function fill(): void {
  database.prepare('PRAGMA max_page_count = 1').get();
}

const BODY = 'x'.repeat(100_000);

describe('a database on a full disk', () => {
  it('names the file and the remedy if an item cannot be put', async () => {
    const store = createSqliteItemStore(database);
    fill();
    await expect(store.put([{ item: { pk: 'p', sk: 's', body: BODY } }])).rejects.toMatchObject({
      name: 'StoreUnavailableError',
      message: `item store unavailable: put: ${diskFull(database.file)}`,
    });
  });

  it('names the file and the remedy if a message cannot be sent', async () => {
    const options = { name: 'events', fifo: false, visibilityTimeoutSeconds: 30 };
    const rest = { maxReceiveCount: 3, clock: () => 1_700_000_000_000 };
    const queue = createSqliteMessageQueue(database, { ...options, ...rest });
    fill();
    await expect(queue.send([{ body: BODY }])).rejects.toMatchObject({
      name: 'QueueUnavailableError',
      message: `message queue unavailable: send: ${diskFull(database.file)}`,
    });
  });

  it('is distinguished from other reasons why a file cannot be used', async () => {
    const store = createSqliteItemStore(database);
    fill();
    const failed = store.put([{ item: { pk: 'p', sk: 's', body: BODY } }]);
    const { cause } = await failed.then(
      () => new Error('it was put'),
      (error: Error) => error,
    );
    expect(cause).toBeInstanceOf(Error);
    if (cause instanceof Error) expect(problemOf(cause)).toBe('disk-full');
  });

  it('is one of the causes where SQLite only says that the disk fails', () => {
    // SQLITE_IOERR_SHMSIZE, as on a tmpfs without room for the index of the write-ahead log.
    const error = Object.assign(new Error('disk I/O error'), { errcode: 4874 });
    expect(failureText('/state.sqlite', error)).toBe(diskFails('/state.sqlite', 'disk I/O error'));
  });

  it('is no cause if the database is closed', async () => {
    const store = createSqliteItemStore(database);
    database.close();
    await expect(store.get([{ pk: 'p', sk: 's' }])).rejects.toThrow(
      `item store unavailable: get: ${database.file}: `,
    );
  });
});
