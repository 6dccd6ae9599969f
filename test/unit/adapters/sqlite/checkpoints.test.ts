import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Checkpoints, openCheckpoints } from '#shared/adapters/sqlite/checkpoints.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';

const INSERT = "INSERT INTO items (pk, sk, body) VALUES (?, 'row', '{}')";

/** What is committed while a checkpoint syncs the file. */
let meanwhile: (() => void) | undefined;

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasyncSync: typeof fs.fdatasyncSync = (descriptor) => {
    fs.fdatasyncSync(descriptor);
    meanwhile?.();
  };
  return { ...fs, fdatasyncSync };
});

let folder: string;
let file: string;
let database: SqliteDatabase;
let checkpoints: Checkpoints;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-checkpoints-'));
  file = join(folder, 'state.sqlite');
  database = openSqliteDatabase(file);
  checkpoints = openCheckpoints(file);
});

afterEach(() => {
  meanwhile = undefined;
  database.close();
  checkpoints.close();
  rmSync(folder, { recursive: true });
});

/** The rows of the database file alone, without its write-ahead log. */
function rowsOfFile(): number {
  const copy = join(folder, 'copy.sqlite');
  copyFileSync(file, copy);
  const connection = new DatabaseSync(copy);
  const row = connection.prepare('SELECT count(*) AS rows FROM items').get();
  connection.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true });
  return Number(row?.['rows']);
}

function insert(name: string): void {
  database.transaction(() => database.prepare(INSERT).run(name));
}

function insertMany(name: string, rows: number): void {
  for (let row = 0; row < rows; row += 1) insert(`${name}-${row}`);
}

/** Somebody who reads what has been committed by now, until it is closed. */
function openReader(): DatabaseSync {
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM items').get();
  return reader;
}

describe('checkpoints of a database file that another connection writes', () => {
  it('copy what was committed, each time something was', () => {
    checkpoints.copy();
    for (const name of ['web', 'api']) insert(name);
    checkpoints.copy();
    expect(rowsOfFile()).toBe(2);
    insert('db');
    expect(rowsOfFile()).toBe(2);
    checkpoints.copy();
    expect(rowsOfFile()).toBe(3);
  });

  it('wait for nobody who reads, and copy the rest when he has ended', () => {
    checkpoints.copy();
    const reader = openReader();
    insert('web');
    checkpoints.copy();
    expect(rowsOfFile()).toBe(0);
    reader.close();
    insert('api');
    checkpoints.copy();
    expect(rowsOfFile()).toBe(2);
  });

  it('copy the rest of a long log when a reader has ended, although nobody has written since', () => {
    checkpoints.copy();
    const reader = openReader();
    insertMany('web', 1_500);
    checkpoints.copy();
    expect(rowsOfFile()).toBe(0);
    reader.close();
    checkpoints.copy();
    expect(rowsOfFile()).toBe(1_500);
  });

  it('make a long log begin again, so that it does not grow', () => {
    const sizes = [0, 1, 2, 3].map((round) => {
      insertMany(`web-${round}`, 1_500);
      checkpoints.copy();
      return statSync(`${file}-wal`).size;
    });
    expect(sizes[0]).toBeGreaterThan(1_500 * 4_096);
    for (const size of sizes) expect(size).toBeLessThan(2 * Number(sizes[0]));
  });

  it('of a long log include the last commits, for which the writer waits', () => {
    insertMany('web', 1_500);
    const reader = openReader();
    insertMany('api', 10);
    const synced = vi.fn(() => {
      if (reader.isOpen) reader.close();
      insertMany(`db-${synced.mock.calls.length}`, 1);
    });
    meanwhile = synced;
    checkpoints.copy();
    expect(synced).toHaveBeenCalledTimes(2);
    expect(rowsOfFile()).toBe(1_512);
  });

  it('do not keep a writer waiting who adds more than a few pages during each', () => {
    insertMany('web', 1_500);
    const reader = openReader();
    const synced = vi.fn(() => insertMany(`api-${synced.mock.calls.length}`, 600));
    meanwhile = synced;
    checkpoints.copy();
    expect(synced).toHaveBeenCalledTimes(6);
    reader.close();
  });

  it('do not keep a writer waiting who has made the log begin again', () => {
    insertMany('web', 1_500);
    const synced = vi.fn(() => insertMany(`api-${synced.mock.calls.length}`, 600));
    meanwhile = synced;
    checkpoints.copy();
    expect(synced).toHaveBeenCalledTimes(2);
    // All but the last ones.
    expect(rowsOfFile()).toBe(2_100);
    meanwhile = undefined;
    checkpoints.copy();
    expect(rowsOfFile()).toBe(2_700);
  });

  it('are not made by the writer, who would wait for the disk', () => {
    checkpoints.copy();
    insertMany('web', 5_000);
    // In two pages each.
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(8_192 * 4_096);
    expect(rowsOfFile()).toBe(0);
    checkpoints.copy();
    expect(rowsOfFile()).toBe(5_000);
  });

  it('do nothing if the file cannot be used any more, because its writer reports that', () => {
    checkpoints.close();
    expect(() => checkpoints.copy()).not.toThrow();
    checkpoints = openCheckpoints(file);
  });
});
