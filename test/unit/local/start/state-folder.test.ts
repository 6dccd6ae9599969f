import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePrivateFile } from '#local/start/private-files.ts';
import { openStateFolder } from '#local/start/state-folder.ts';
import { cannotLock, stateInUse } from '#local/start/state-messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { FILE_PROBLEMS } from '#shared/adapters/sqlite/messages.ts';

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-state-'));
  file = join(folder, 'deep', 'er', 'state.sqlite');
});

afterEach(() => rmSync(folder, { recursive: true }));

test('makes the folder, the folders above it that are missing, and its files', () => {
  const state = openStateFolder(file);
  expect(state.file).toBe(file);
  expect(existsSync(file)).toBe(true);
  for (const made of [join(folder, 'deep'), join(folder, 'deep', 'er')])
    expect(statSync(made).mode & 0o777).toBe(0o700);
  expect(statSync(state.logFile).size).toBe(0);
  writePrivateFile(state.kubeconfigFile, 'text');
  expect(statSync(state.kubeconfigFile).mode & 0o777).toBe(0o600);
  state.release();
});

test('is for one at a time, and for the next one when released', () => {
  const first = openStateFolder(file);
  expect(() => openStateFolder(file)).toThrow(stateInUse(file));
  first.release();
  openStateFolder(file).release();
});

test('a file that cannot be used does not stay locked', () => {
  mkdirSync(join(folder, 'deep', 'er'), { recursive: true });
  writeFileSync(file, 'no database. '.repeat(100));
  for (const _attempt of [1, 2])
    expect(() => openStateFolder(file)).toThrow(FILE_PROBLEMS['not-a-database']);
});

test('a lock that cannot be made is no other process', () => {
  mkdirSync(`${file}.lock`, { recursive: true });
  expect(() => openStateFolder(file)).toThrow(cannotLock(file, 'unable to open database file'));
  // The code of the error stands once.
  expect(() => openStateFolder(file)).not.toThrow(/(\bE[A-Z_]{3,}\b).*\1/);
});

test('what a process held when it died is delivered at once', async () => {
  openStateFolder(file).release();
  const held = async () => {
    const database = openSqliteDatabase(file);
    const queue = createSqliteMessageQueue(database, {
      name: 'dirty',
      fifo: true,
      visibilityTimeoutSeconds: 600,
      maxReceiveCount: 5,
      clock: Date.now,
    });
    await queue.send([{ body: 'again', group: 'g', deduplicationId: 'd' }]);
    const messages = await queue.receive({ max: 1, waitSeconds: 0 });
    database.close();
    return messages.map(({ receiveCount }) => receiveCount);
  };
  expect(await held()).toEqual([1]);
  expect(await held()).toEqual([]);
  openStateFolder(file).release();
  expect(await held()).toEqual([2]);
});
