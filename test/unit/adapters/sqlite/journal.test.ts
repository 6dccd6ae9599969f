import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { dropSqliteJournal, openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import type { ChangeJournal } from '#shared/ports/change-journal.ts';

const KEYS = [{ pk: 'W#', sk: 'R#' }];
const MADE_MS = Date.UTC(2026, 0, 1);

describe('the journal of a SQLite file', () => {
  let folder: string;
  let opened: SqliteDatabase[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'starfold-journal-'));
    opened = [];
  });
  afterEach(() => {
    for (const database of opened) database.close();
    rmSync(folder, { recursive: true });
  });
  const open = (name = 'starfold.db'): SqliteDatabase => {
    const database = openSqliteDatabase(join(folder, name));
    opened.push(database);
    return database;
  };
  const journalOf = (database: SqliteDatabase, nowMs = MADE_MS): ChangeJournal =>
    openSqliteJournal(database, { keys: KEYS, nowMs, lookMs: 5 });
  const put = (database: SqliteDatabase, sk: string): Promise<unknown> =>
    createSqliteItemStore(database).put([{ item: { pk: 'W#a', sk } }]);
  const keysAfter = async (journal: ChangeJournal, revision: number): Promise<unknown> =>
    (await journal.after(revision))?.entries.map(({ sk }) => sk);

  it('goes on after a restart, also with what was changed while nobody read it', async () => {
    const first = open();
    const before = await journalOf(first).revision();
    await put(first, 'R#1');
    first.close();
    // A process that serves no API.
    const second = open();
    await put(second, 'R#2');
    second.close();
    const journal = journalOf(open(), MADE_MS + 60_000);
    expect(await keysAfter(journal, before)).toEqual(['R#1', 'R#2']);
  });

  it('has greater revisions after the state was lost, and does not know the former ones', async () => {
    const lost = open();
    await put(lost, 'R#1');
    const journal = journalOf(lost);
    await put(lost, 'R#2');
    const before = await journal.revision();
    const anew = journalOf(open('another.db'), MADE_MS + 1);
    expect(await anew.revision()).toBeGreaterThan(before);
    expect(await anew.after(before)).toBeUndefined();
  });

  it('begins anew after it was dropped, even if the clock was set back', async () => {
    const database = open();
    const before = await journalOf(database).revision();
    await put(database, 'R#1');
    dropSqliteJournal(database);
    await put(database, 'R#2');
    const journal = journalOf(database, MADE_MS - 60_000);
    expect(await journal.after(before)).toBeUndefined();
    const now = await journal.revision();
    expect(now).toBeGreaterThan(before);
    await put(database, 'R#3');
    expect(await keysAfter(journal, now)).toEqual(['R#3']);
  });

  it('costs nothing once it is dropped, and dropping it where there is none changes nothing', async () => {
    const database = open();
    dropSqliteJournal(database);
    journalOf(database);
    dropSqliteJournal(database);
    await put(database, 'R#1');
    expect(database.prepare('SELECT count(*) AS count FROM journal').get()).toEqual({ count: 1 });
  });

  it('records other keys from the release on that asks for them', async () => {
    const database = open();
    const before = await journalOf(database).revision();
    await put(database, 'R#1');
    const keys = [...KEYS, { pk: 'W#', sk: 'HEAD' }];
    const journal = openSqliteJournal(database, { keys, nowMs: MADE_MS });
    await put(database, 'HEAD');
    expect(await keysAfter(journal, before)).toEqual(['R#1', 'HEAD']);
  });

  it('has the changes of another thread, and calls subscribers for them', async () => {
    const database = open();
    const journal = journalOf(database);
    const before = await journal.revision();
    const told = vi.fn();
    journal.subscribe(told);
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    told.mockClear();
    const worker = new Worker(new URL('./journal-worker.ts', import.meta.url), {
      workerData: { file: database.file, count: 200 },
    });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    for (let index = 0; index < 200; index += 1) await put(database, `R#main ${index}`);
    await ended;
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    const found = await journal.after(before);
    const names = found?.entries.map(({ sk }) => sk) ?? [];
    expect(names).toHaveLength(400);
    for (const who of ['main', 'worker'])
      expect(names.filter((sk) => sk.startsWith(`R#${who}`))).toEqual(
        Array.from({ length: 200 }, (_, index) => `R#${who} ${index}`),
      );
  });

  it('has nothing of a transaction that failed', async () => {
    const database = open();
    const journal = journalOf(database);
    const before = await journal.revision();
    expect(() =>
      database.transaction(() => {
        database.prepare(`INSERT INTO items (pk, sk) VALUES ('W#a', 'R#1')`).run();
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(await journal.after(before)).toEqual({ revision: before, entries: [] });
  });

  it('says that the store is unavailable when the file is closed, and lets subscribers be', async () => {
    const database = open();
    const journal = journalOf(database);
    const told = vi.fn();
    journal.subscribe(told);
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    told.mockClear();
    database.close();
    await expect(journal.revision()).rejects.toThrow(StoreUnavailableError);
    await expect(journal.after(0)).rejects.toThrow(StoreUnavailableError);
    expect(told).not.toHaveBeenCalled();
  });
});
