import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import {
  arbitrarySteps,
  type Batch,
  deleteFrom,
  History,
  receiveFrom,
  tenantsOf,
  workOf,
} from './queue-history.ts';

const START_MS = 1_700_000_000_000;
const VISIBLE_SECONDS = 60;
/** As the embedded stack has it with two threads of aggregation. */
const TURNS = 4;
const SHARE = 4;

let now = START_MS;
let database: SqliteDatabase;
let queue: SqliteMessageQueue;
beforeEach(() => {
  now = START_MS;
  database = openSqliteDatabase(':memory:');
  queue = createSqliteMessageQueue(database, {
    name: 'dirty',
    fifo: true,
    turns: TURNS,
    share: SHARE,
    visibilityTimeoutSeconds: VISIBLE_SECONDS,
    maxReceiveCount: 3,
    clock: () => now,
  });
});
afterEach(() => database.close());

function receive(): Promise<Batch> {
  return receiveFrom(queue);
}

function handled(batch: Batch): Promise<void> {
  return deleteFrom(queue, batch);
}

const NOISY = Array.from({ length: TURNS }, () => 'wec/noisy');

describe('the share of a tenant in flight', () => {
  it('leaves a receiver free for others, and the backlog continues when its messages are handled', async () => {
    await queue.send(workOf('wec/quiet', 1));
    await handled(await receive());
    await queue.send(workOf('wec/noisy', 100));
    const first = await receive();
    expect(tenantsOf(first)).toEqual(NOISY);
    expect(await receive()).toEqual([]);
    await queue.send(workOf('wec/quiet', 1));
    expect(tenantsOf(await receive())).toEqual(['wec/quiet']);
    await handled(first);
    expect(tenantsOf(await receive())).toEqual(NOISY);
  });

  it('does not limit a tenant that is alone, nor one whose others were not active for ten seconds', async () => {
    await queue.send(workOf('wec/noisy', 100));
    expect(tenantsOf(await receive())).toEqual(NOISY);
    expect(tenantsOf(await receive())).toEqual(NOISY);
    await queue.send(workOf('wec/quiet', 1));
    expect(tenantsOf(await receive())).toEqual(['wec/quiet']);
    now += 9_999;
    expect(await receive()).toEqual([]);
    now += 1;
    expect(tenantsOf(await receive())).toEqual(NOISY);
  });

  it('is free again when its messages were returned, or when their visibility timeout has passed', async () => {
    await queue.send(workOf('wec/quiet', 1));
    await handled(await receive());
    await queue.send(workOf('wec/noisy', 100));
    const returned = await receive();
    await queue.changeVisibility(
      returned.map(({ receiptHandle }) => receiptHandle),
      30,
    );
    expect(tenantsOf(await receive())).toEqual(NOISY);
    expect(await receive()).toEqual([]);
    now += VISIBLE_SECONDS * 1_000;
    await queue.send(workOf('wec/quiet', 1));
    expect(tenantsOf(await receive())).toEqual(['wec/quiet']);
    expect(tenantsOf(await receive())).toEqual(NOISY);
  });

  it('gives a quiet source the next receive, without messages of the backlog, however many changes it has', async () => {
    await queue.send(workOf('wec/noisy', 2_000));
    // Two receivers, as with two threads. The one with the backlog is always busy.
    let busy = await receive();
    await handled(await receive());
    for (let change = 0; change < 100; change += 1) {
      await queue.send(workOf('wec/quiet', 1));
      const batch = await receive();
      expect(tenantsOf(batch)).toEqual(['wec/quiet']);
      await handled(batch);
      await handled(busy);
      busy = await receive();
      expect(tenantsOf(busy)).toEqual(NOISY);
    }
  });

  it('withholds nothing for ever: every message is delivered once, in any order of receives and deletes', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrarySteps(['wec/a', 'wec/b', 'wec/c'], 25), async (steps) => {
        const history = new History(queue, () => {
          now += 700;
        });
        for (const one of steps) await history.take(one);
        await history.end();
        expect(history.delivered).toHaveLength(history.accepted);
        expect(new Set(history.delivered).size).toBe(history.accepted);
      }),
      { seed: 17, numRuns: 60 },
    );
  });
});
