import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setEnvironmentData } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HAS_ENDED, tooLong, tooMuchMemory } from '#local/stack/messages.ts';
import { QueryThreads } from '#local/stack/query-threads.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { QueryEndedError, QueryUnavailableError } from '#shared/errors.ts';
import type { QueryOutcome, QueryRequest } from '#shared/ports/query-runner.ts';

const QUERY_MS = 20_000;
const LEAVE_MS = 1_000;
const IDLE_MS = 60_000;
const MEMORY_MB = 64;
const POISONED = new URL('./poisoned-query-worker.ts', import.meta.url);
const MISSING = new URL('./no-such-worker.ts', import.meta.url);
const NEVER = new AbortController().signal;
const LATE = new QueryEndedError(tooLong(20), { isLate: true });
const NO_ROWS = { columnNames: ['one'], rows: [], price: { rows: 0, steps: 0, rowSteps: 0 } };

/** A query that does something to its thread, or is evaluated: there are no rows. */
function query(name = ''): QueryRequest {
  const spec = { select: [{ name: 'one', def: '1' }] };
  return {
    ...{ text: JSON.stringify({ metadata: { name }, spec }), isNamespaced: true, readable: [] },
    ...{ scope: { namespace: 'shop' }, identity: '' },
  };
}

let folder: string;
let database: SqliteDatabase;
/** How many queries have begun in all threads, and in which thread the last one has. */
let begun: Int32Array;
let ended: string[];
let open: QueryThreads[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-queries-'));
  database = openSqliteDatabase(join(folder, 'state.sqlite'));
  begun = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  setEnvironmentData('queries-begun', begun.buffer);
  ended = [];
  open = [];
  // Threads start, evaluate and end in real time. Only the limits are those of the test.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(async () => {
  await Promise.all(open.map((threads) => threads.stop()));
  vi.useRealTimers();
  database.close();
  rmSync(folder, { recursive: true });
});

function start(entry = POISONED): QueryThreads {
  const threads = new QueryThreads({
    ...{ entry, file: database.file, wds: 'wds1' },
    limits: { memoryMb: MEMORY_MB, queryMs: QUERY_MS, leaveMs: LEAVE_MS, idleMs: IDLE_MS },
    onEnded: (user, { message }) => ended.push(`${user}: ${message}`),
  });
  open.push(threads);
  return threads;
}

/** Asks. Failures are values, because some come before the test looks. */
function ask(
  threads: QueryThreads,
  name = '',
  { user = 'alice', signal = NEVER } = {},
): Promise<QueryOutcome | Error> {
  return threads.run(query(name), { user, signal }).catch((error: Error) => error);
}

/** Resolves when so many queries have begun. */
async function untilBegun(count: number): Promise<void> {
  for (let now = Atomics.load(begun, 0); now < count; now = Atomics.load(begun, 0))
    await Atomics.waitAsync(begun, 0, now).value;
}

async function threadOf(threads: QueryThreads, user = 'alice'): Promise<string> {
  const outcome = await ask(threads, 'which', { user });
  if (outcome instanceof Error || outcome.type !== 'answer') throw new Error('it has no answer');
  return outcome.status;
}

function answerIn(outcome: QueryOutcome | Error): unknown {
  if (outcome instanceof Error || outcome.type !== 'answer') return outcome;
  return JSON.parse(outcome.status);
}

describe('a query that never ends', () => {
  it('is ended after its time, while those of others are answered and this thread goes on', async () => {
    const threads = start();
    const endless = ask(threads, 'endless');
    await untilBegun(1);
    expect(answerIn(await ask(threads, '', { user: 'bob' }))).toEqual(NO_ROWS);
    await vi.advanceTimersByTimeAsync(QUERY_MS - 1);
    expect(ended).toEqual([]);
    expect(answerIn(await ask(threads, '', { user: 'bob' }))).toEqual(NO_ROWS);
    await vi.advanceTimersByTimeAsync(1);
    expect(await endless).toEqual(LATE);
    expect(await endless).toMatchObject({ isLate: true });
    expect(ended).toEqual([`alice: ${LATE.message}`]);
    expect(answerIn(await ask(threads))).toEqual(NO_ROWS);
  });

  it('does not count the time for which it has waited, and waits after those of other users', async () => {
    const threads = start();
    const users = ['alice', 'alice', 'carol'];
    const many = users.map((user) => ask(threads, 'endless', { user }));
    await untilBegun(2);
    const other = ask(threads, '', { user: 'bob' });
    await vi.advanceTimersByTimeAsync(QUERY_MS);
    expect(answerIn(await other)).toEqual(NO_ROWS);
    await untilBegun(4);
    await vi.advanceTimersByTimeAsync(QUERY_MS - 1);
    expect(ended).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(many)).toEqual([LATE, LATE, LATE]);
  });
});

describe('the queries of one user', () => {
  it('have one thread, so that another user never waits for them', async () => {
    const threads = start();
    const many = Array.from({ length: 3 }, () => ask(threads, 'endless'));
    await untilBegun(1);
    for (let asked = 0; asked < 3; asked += 1)
      expect(answerIn(await ask(threads, '', { user: 'bob' }))).toEqual(NO_ROWS);
    expect(begun[0]).toBe(4);
    await threads.stop();
    await Promise.all(many);
  });
});

describe('a query that ends its thread', () => {
  it.each([
    ['takes all memory', 'greedy', tooMuchMemory(MEMORY_MB)],
    ['ends it', 'leaving', HAS_ENDED],
  ])('because it %s is the only one that fails', async (_what, name, reason) => {
    const threads = start();
    const poison = ask(threads, name);
    const other = ask(threads, '', { user: 'bob' });
    const error = new QueryEndedError(reason, { isLate: false });
    expect(await poison).toEqual(error);
    expect(await poison).toMatchObject({ isLate: false });
    expect(answerIn(await other)).toEqual(NO_ROWS);
    expect(answerIn(await ask(threads))).toEqual(NO_ROWS);
    expect(ended).toEqual([`alice: ${error.message}`]);
  });
});

describe('a client that has gone', () => {
  it('ends its query, and the thread goes on', async () => {
    const threads = start();
    const thread = await threadOf(threads);
    const gone = new AbortController();
    const left = ask(threads, 'searching', { signal: gone.signal });
    await untilBegun(2);
    gone.abort();
    expect(await left).toBe(gone.signal.reason);
    // Both threads are free, without any time that passes.
    const first = ask(threads, 'patient');
    await untilBegun(3);
    const used = [String(begun[1])];
    const second = ask(threads, 'patient', { user: 'bob' });
    await untilBegun(4);
    expect([...used, String(begun[1])]).toContain(thread);
    await vi.advanceTimersByTimeAsync(QUERY_MS);
    expect(await Promise.all([first, second])).toEqual([LATE, LATE]);
  });

  it('ends the thread if the query does not end within its time', async () => {
    const threads = start();
    const thread = await threadOf(threads);
    const gone = new AbortController();
    const left = ask(threads, 'endless', { signal: gone.signal });
    await untilBegun(2);
    gone.abort();
    expect(await left).toBe(gone.signal.reason);
    const second = await threadOf(threads, 'bob');
    await vi.advanceTimersByTimeAsync(LEAVE_MS);
    const held = ask(threads, 'patient');
    await untilBegun(4);
    // The first thread would be free otherwise.
    expect([thread, second]).not.toContain(await threadOf(threads, 'bob'));
    expect(ended).toEqual([]);
    await vi.advanceTimersByTimeAsync(QUERY_MS);
    expect(await held).toEqual(LATE);
  });

  it('before its query begins is not asked for', async () => {
    const threads = start();
    const gone = new AbortController();
    const left = ask(threads, 'endless', { signal: gone.signal });
    gone.abort();
    expect(await left).toBe(gone.signal.reason);
    await threadOf(threads);
    expect(begun[0]).toBe(1);
  });
});

describe('threads for queries', () => {
  it('stay for the next query, and end when nobody has asked for a time', async () => {
    const threads = start();
    const first = await threadOf(threads);
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1);
    expect(await threadOf(threads)).toBe(first);
    await vi.advanceTimersByTimeAsync(IDLE_MS);
    expect(await threadOf(threads)).not.toBe(first);
  });

  it('pass on that the store does not answer, and go on', async () => {
    const threads = start();
    const thread = await threadOf(threads);
    expect(await ask(threads, 'failing')).toMatchObject({
      name: 'StoreUnavailableError',
      retryable: true,
    });
    expect(await threadOf(threads)).toBe(thread);
    expect(ended).toEqual([]);
  });

  it('that do not start are no fault of the query', async () => {
    const threads = start(MISSING);
    expect(await ask(threads)).toBeInstanceOf(QueryUnavailableError);
    expect(ended).toEqual([]);
  });

  it('end with the stack, which evaluates nothing more', async () => {
    const threads = start();
    const asked = ['alice', 'bob', 'carol'].map((user) => ask(threads, 'endless', { user }));
    await untilBegun(2);
    await threads.stop();
    const stopped = new QueryUnavailableError('the stack stops');
    expect(await Promise.all(asked)).toEqual([stopped, stopped, stopped]);
    expect(await ask(threads)).toEqual(stopped);
    expect(begun[0]).toBe(2);
    expect(ended).toEqual([]);
  });
});
