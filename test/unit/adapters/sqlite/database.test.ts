import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import {
  DatabaseFileError,
  type DatabaseFileProblem,
  openSqliteDatabase,
} from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { unusableFile } from '#shared/adapters/sqlite/messages.ts';
import { QueueUnavailableError, StoreUnavailableError } from '#shared/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'starfold-database-'));
afterAll(() => rmSync(folder, { recursive: true }));

const QUEUE = {
  name: 'live',
  fifo: false,
  visibilityTimeoutSeconds: 1,
  maxReceiveCount: 1,
  clock: Date.now,
};

function openError(file: string): unknown {
  try {
    openSqliteDatabase(file, { busyTimeoutMs: 20 }).close();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('openSqliteDatabase', () => {
  it('creates the file with a write-ahead log, and opens it again as it is', async () => {
    const file = join(folder, 'new.db');
    const first = openSqliteDatabase(file);
    expect(first.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(first.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
    await createSqliteItemStore(first).put([{ item: { pk: 'p', sk: 's' } }]);
    first.close();
    const second = openSqliteDatabase(file);
    expect(await createSqliteItemStore(second).get([{ pk: 'p', sk: 's' }])).toEqual([
      { pk: 'p', sk: 's' },
    ]);
    second.close();
    second.close();
  });

  it('takes an empty file', () => {
    const file = join(folder, 'empty.db');
    writeFileSync(file, '');
    expect(openError(file)).toBeUndefined();
  });

  it('lets two connections use one file', async () => {
    const file = join(folder, 'shared.db');
    const [one, two] = [openSqliteDatabase(file), openSqliteDatabase(file)];
    await createSqliteItemStore(one).put([{ item: { pk: 'p', sk: 's' } }]);
    expect(await createSqliteItemStore(two).get([{ pk: 'p', sk: 's' }])).toHaveLength(1);
    one.close();
    two.close();
  });

  const unusable: readonly [DatabaseFileProblem, (file: string) => string][] = [
    ['folder-missing', (file) => join(file, 'starfold.db')],
    [
      'not-a-database',
      (file) => {
        writeFileSync(file, 'A text that is certainly no database. '.repeat(100));
        return file;
      },
    ],
    [
      'foreign',
      (file) => {
        const other = new DatabaseSync(file);
        other.exec('CREATE TABLE other (a)');
        other.close();
        return file;
      },
    ],
    [
      'newer-schema',
      (file) => {
        openSqliteDatabase(file).close();
        const newer = new DatabaseSync(file);
        newer.exec('PRAGMA user_version = 1000');
        newer.close();
        return file;
      },
    ],
    [
      'cannot-open',
      (file) => {
        mkdirSync(file);
        return file;
      },
    ],
  ];
  it.each(unusable)('names the file and the remedy: %s', (problem, prepare) => {
    const file = prepare(join(folder, `unusable-${problem}`));
    const error = openError(file);
    expect(error).toBeInstanceOf(DatabaseFileError);
    expect(error).toMatchObject({ problem, file });
    expect(error).toMatchObject({ message: unusableFile(file, problem) });
  });

  it('leaves the file of another program as it was', () => {
    const file = join(folder, 'other.db');
    const other = new DatabaseSync(file);
    other.exec('CREATE TABLE other (a)');
    other.close();
    const before = statSync(file);
    expect(openError(file)).toMatchObject({ problem: 'foreign' });
    expect(statSync(file).mtimeMs).toBe(before.mtimeMs);
  });

  it('names the file and the remedy when another process has locked it', () => {
    const file = join(folder, 'locked.db');
    const holder = new DatabaseSync(file);
    holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE a (b)');
    const error = openError(file);
    holder.close();
    expect(error).toMatchObject({ problem: 'locked', file });
    expect(error).toMatchObject({ message: unusableFile(file, 'locked') });
  });
});

describe('a database that fails', () => {
  it('makes the store and the queues unavailable once it is closed', async () => {
    const database = openSqliteDatabase(':memory:');
    const store = createSqliteItemStore(database);
    const queue = createSqliteMessageQueue(database, QUEUE);
    database.close();
    await expect(store.get([{ pk: 'p', sk: 's' }])).rejects.toThrow(StoreUnavailableError);
    await expect(store.query({ pk: 'p' })).rejects.toThrow(StoreUnavailableError);
    await expect(store.put([{ item: { pk: 'p', sk: 's' } }])).rejects.toThrow(
      StoreUnavailableError,
    );
    await expect(queue.send([{ body: 'x' }])).rejects.toThrow(QueueUnavailableError);
    await expect(queue.receive({ max: 1, waitSeconds: 0 })).rejects.toThrow(QueueUnavailableError);
    await expect(queue.counts()).rejects.toThrow(QueueUnavailableError);
    expect(() => createSqliteMessageQueue(database, QUEUE)).toThrow(QueueUnavailableError);
  });

  it('ends the wait of a receiver with an error when it is closed', async () => {
    const database = openSqliteDatabase(':memory:');
    const waiting = createSqliteMessageQueue(database, QUEUE).receive({ max: 1, waitSeconds: 20 });
    setTimeout(() => database.close(), 20);
    await expect(waiting).rejects.toThrow(QueueUnavailableError);
  });

  it('makes writes unavailable while another process holds its lock, and works afterwards', async () => {
    const file = join(folder, 'busy.db');
    const database = openSqliteDatabase(file, { busyTimeoutMs: 20 });
    const store = createSqliteItemStore(database);
    const holder = new DatabaseSync(file);
    holder.exec('BEGIN IMMEDIATE');
    await expect(store.put([{ item: { pk: 'p', sk: 's' } }])).rejects.toThrow(
      StoreUnavailableError,
    );
    expect(await store.get([{ pk: 'p', sk: 's' }])).toEqual([undefined]);
    holder.exec('ROLLBACK');
    holder.close();
    expect(await store.put([{ item: { pk: 'p', sk: 's' } }])).toEqual([true]);
    database.close();
  });

  it('undoes the whole transaction when its function throws', () => {
    const database = openSqliteDatabase(':memory:');
    const insert = database.prepare("INSERT INTO items (pk, sk) VALUES ('p', ?)");
    const failing = (): void => {
      insert.run('s');
      throw new RangeError('stop');
    };
    expect(() => database.transaction(failing)).toThrow(RangeError);
    expect(database.prepare('SELECT * FROM items').all()).toEqual([]);
    database.close();
  });

  it('rejects an operation whose signal has aborted', async () => {
    const database = openSqliteDatabase(':memory:');
    const signal = AbortSignal.abort();
    const store = createSqliteItemStore(database);
    const queue = createSqliteMessageQueue(database, QUEUE);
    await expect(store.get([], signal)).rejects.toThrow(StoreUnavailableError);
    await expect(queue.send([], signal)).rejects.toThrow(QueueUnavailableError);
    database.close();
  });
});

describe('openSqliteDatabase, only to be read', () => {
  const readError = (file: string): unknown => {
    try {
      openSqliteDatabase(file, { readOnly: true }).close();
      return undefined;
    } catch (error) {
      return error;
    }
  };

  it('sees what another connection writes, and writes nothing', async () => {
    const file = join(folder, 'read.db');
    const writer = openSqliteDatabase(file);
    const reader = openSqliteDatabase(file, { readOnly: true });
    await createSqliteItemStore(writer).put([{ item: { pk: 'p', sk: 's' } }]);
    const store = createSqliteItemStore(reader);
    expect(await store.get([{ pk: 'p', sk: 's' }])).toEqual([{ pk: 'p', sk: 's' }]);
    await expect(store.put([{ item: { pk: 'p', sk: 't' } }])).rejects.toThrow(
      StoreUnavailableError,
    );
    writer.close();
    reader.close();
    const alone = openSqliteDatabase(file, { readOnly: true });
    expect(await createSqliteItemStore(alone).get([{ pk: 'p', sk: 's' }])).toHaveLength(1);
    alone.close();
  });

  it('makes no file where there is none', () => {
    const file = join(folder, 'none', 'read.db');
    expect(readError(file)).toMatchObject({ problem: 'missing' });
    expect(readError(join(folder, 'none.db'))).toMatchObject({ problem: 'missing' });
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  it('reports an empty file, and one that is not a database', () => {
    const [empty, other] = [join(folder, 'read-empty.db'), join(folder, 'read-other.db')];
    writeFileSync(empty, '');
    writeFileSync(other, 'x'.repeat(10_000));
    expect(readError(empty)).toMatchObject({ problem: 'empty' });
    expect(readError(other)).toMatchObject({ problem: 'not-a-database' });
    expect(readError(folder)).toMatchObject({ problem: 'cannot-read' });
  });
});
