import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';

const ROUNDS = 5;
const NUMBERS_PER_ROUND = 1_000_000;
const WRITER = fileURLToPath(new URL('./sqlite-writer.ts', import.meta.url));

interface Acknowledged {
  readonly put: number[];
  readonly sent: number[];
  readonly deleted: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'starfold-durability-'));
const file = join(folder, 'starfold.db');
afterAll(() => rmSync(folder, { recursive: true }));

/** Lets a writer work, kills it so many milliseconds after its first acknowledgement, and returns all of them. */
async function writeUntilKilled(first: number, delayMs: number): Promise<readonly string[]> {
  const writer = spawn(process.execPath, [WRITER, file, String(first)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const closed = once(writer, 'close');
  await Promise.race([once(writer.stdout, 'data'), closed]);
  setTimeout(() => writer.kill('SIGKILL'), delayMs);
  await closed;
  // A last line without its end is no acknowledgement.
  return output.split('\n').slice(0, -1);
}

function record(acknowledged: Acknowledged, lines: readonly string[]): void {
  for (const line of lines) {
    const [what, number] = line.split(' ');
    if (what === 'put' || what === 'sent' || what === 'deleted')
      acknowledged[what].push(Number(number));
  }
}

async function readItems(numbers: readonly number[]): Promise<readonly unknown[]> {
  const database = openSqliteDatabase(file);
  const keys = numbers.flatMap((number) =>
    ['a', 'b', 'c'].map((sk) => ({ pk: `P#${number}`, sk })),
  );
  const items = await createSqliteItemStore(database).get(keys);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  return items;
}

/** Every message of the queue, in the order of delivery, without taking it away. */
async function readMessages(): Promise<readonly ReceivedMessage[]> {
  const database = openSqliteDatabase(file);
  const queue = createSqliteMessageQueue(database, {
    name: 'live',
    fifo: true,
    visibilityTimeoutSeconds: 1,
    maxReceiveCount: 1_000,
    // All that the writer had in flight is visible again.
    clock: () => Date.now() + 60_000,
  });
  const all: ReceivedMessage[] = [];
  for (;;) {
    const messages = await queue.receive({ max: 10, waitSeconds: 0 });
    if (messages.length === 0) break;
    all.push(...messages);
    await queue.delete(messages.map((message) => message.receiptHandle));
  }
  database.close();
  return all;
}

it('keeps whatever was acknowledged when the process is killed at any moment', async () => {
  const acknowledged: Acknowledged = { put: [], sent: [], deleted: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    record(acknowledged, await writeUntilKilled(round * NUMBERS_PER_ROUND, (round * 250) / ROUNDS));
  expect(acknowledged.put.length).toBeGreaterThanOrEqual(ROUNDS);

  const expected = acknowledged.put.flatMap((number) =>
    ['a', 'b', 'c'].map((sk) => ({ pk: `P#${number}`, sk, body: `${number} `.repeat(500) })),
  );
  expect(await readItems(acknowledged.put)).toEqual(expected);

  const messages = await readMessages();
  const found = messages.map((message) => Number(message.body));
  const deleted = new Set(acknowledged.deleted);
  expect(new Set(found).size).toBe(found.length);
  expect(found.filter((number) => deleted.has(number))).toEqual([]);
  // A deletion that was not acknowledged may have happened: at most the two of the last batch of each round.
  const missing = acknowledged.sent.filter(
    (number) => !deleted.has(number) && !found.includes(number),
  );
  expect(missing.filter((number) => number % 2 === 1)).toEqual([]);
  expect(missing.length).toBeLessThanOrEqual(2 * ROUNDS);
  for (const group of ['group-0', 'group-1', 'group-2']) {
    const ofGroup = messages.filter((message) => message.group === group);
    const numbers = ofGroup.map((message) => Number(message.body));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
});
