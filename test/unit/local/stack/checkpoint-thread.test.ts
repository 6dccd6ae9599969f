import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCheckpoints } from '#local/stack/checkpoint-thread.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';

const ROW_BYTES = 200_000;

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-checkpoints-'));
  file = join(folder, 'state.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the thread that makes checkpoints', () => {
  it('copies what this thread commits into the file, and leaves no log when it has stopped', async () => {
    const database = openSqliteDatabase(file);
    const thread = startCheckpoints(file);
    const before = statSync(file).size;
    database.transaction(() =>
      database
        .prepare("INSERT INTO items (pk, sk, version, body) VALUES ('web', 'row', '1', ?)")
        .run('x'.repeat(ROW_BYTES)),
    );
    // It looks twice a second. The test ends with its own limit.
    while (statSync(file).size < before + ROW_BYTES) await sleep(20);
    database.close();
    await thread.stop();
    expect(existsSync(`${file}-wal`)).toBe(false);
    const reopened = openSqliteDatabase(file);
    expect(reopened.prepare('SELECT length(body) AS bytes FROM items').all()).toEqual([
      { bytes: ROW_BYTES },
    ]);
    reopened.close();
  });

  it('ends alone if it cannot use the file', async () => {
    const thread = startCheckpoints(join(folder, 'missing', 'state.sqlite'));
    await thread.stop();
    expect(existsSync(join(folder, 'missing'))).toBe(false);
  });
});
