import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import { TenantsInFlight } from '#shared/adapters/sqlite/tenants-in-flight.ts';
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
const BURST = 5;
const MOST = 8;
/** After this time without a turn, nobody counts as active. */
const OTHERS_MS = 1_000;
/** A turn that takes longer waits for something. */
const AT_WORK_MS = 200;
/** After this time, nothing counts as between two steps. */
const MOMENT_MS = 5;
/** Nothing of low priority waits longer for its next turn. */
const HOLD_MS = 100;

let now = START_MS;
let database: SqliteDatabase;
let dirty: SqliteMessageQueue;
let hints: SqliteMessageQueue;
beforeEach(() => {
  now = START_MS;
  database = openSqliteDatabase(':memory:');
  const common = {
    ...{ fifo: true, visibilityTimeoutSeconds: 60, maxReceiveCount: 3 },
    clock: () => now,
    inFlight: new TenantsInFlight(),
  };
  const lowPriority = {
    ...{ perSecond: 1, burst: BURST, most: MOST },
    counts: (tenant: string) => tenant.startsWith('wec/') || tenant.includes('~'),
  };
  dirty = createSqliteMessageQueue(database, { ...common, name: 'dirty', lowPriority });
  hints = createSqliteMessageQueue(database, { ...common, name: 'hints' });
});
afterEach(() => database.close());

function receive(from = dirty, max = 10): Promise<Batch> {
  return receiveFrom(from, max);
}

function handled(batch: Batch, from = dirty): Promise<void> {
  return deleteFrom(from, batch);
}

/** Gives a tenant low priority: it has more than it may have at once. */
async function becomeLow(tenant: string): Promise<void> {
  await dirty.send(workOf(tenant, BURST + 1));
  await handled(await receive());
  now += MOMENT_MS;
}

describe('a tenant that has more messages than its rate', () => {
  it('gets one when nothing of others is in flight, and the next one when that is handled', async () => {
    await becomeLow('wec/noisy');
    await dirty.send([...workOf('wec/quiet'), ...workOf('wec/noisy', 3)]);
    const quiet = await receive(dirty, 1);
    expect(tenantsOf(quiet)).toEqual(['wec/quiet']);
    expect(await receive()).toEqual([]);
    await handled(quiet);
    now += MOMENT_MS;
    const first = await receive();
    expect(tenantsOf(first)).toEqual(['wec/noisy']);
    expect(await receive()).toEqual([]);
    await handled(first);
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('waits for the next step of the work of others, and for the moment before it', async () => {
    await becomeLow('wec/noisy');
    await dirty.send(workOf('wec/quiet'));
    const quiet = await receive();
    await handled(quiet);
    await dirty.send(workOf('wec/noisy'));
    now += MOMENT_MS - 1;
    expect(await receive()).toEqual([]);
    await hints.send(workOf('wds/one|wec/quiet'));
    const hint = await receive(hints);
    now += MOMENT_MS;
    expect(await receive()).toEqual([]);
    await handled(hint, hints);
    now += MOMENT_MS;
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('has no second message while the next step of its first one is in flight', async () => {
    await becomeLow('wec/noisy');
    await dirty.send(workOf('wec/quiet'));
    await handled(await receive());
    await hints.send(workOf('wds/one|wec/noisy'));
    const hint = await receive(hints);
    await dirty.send(workOf('wec/noisy'));
    now += MOMENT_MS;
    expect(await receive()).toEqual([]);
    await handled(hint, hints);
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('does not wait for its own step in a cluster that does not answer', async () => {
    await becomeLow('wec/noisy');
    await dirty.send(workOf('wec/quiet'));
    await handled(await receive());
    await hints.send(workOf('wds/hung|wec/noisy'));
    expect(await receive(hints)).toHaveLength(1);
    await dirty.send(workOf('wec/noisy'));
    now += HOLD_MS;
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('waits no longer than a tenth of a second for its turn', async () => {
    await becomeLow('wec/noisy');
    await dirty.send([...workOf('wec/quiet'), ...workOf('wec/noisy')]);
    expect(tenantsOf(await receive(dirty, 1))).toEqual(['wec/quiet']);
    now += HOLD_MS - MOMENT_MS - 1;
    expect(await receive()).toEqual([]);
    now += 1;
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('waits for nobody if the priority of all that are active is low, nor a second after the last other', async () => {
    await becomeLow('wec/noisy');
    await becomeLow('wec/loud');
    await dirty.send([...workOf('wec/noisy', 3), ...workOf('wec/loud', 3)]);
    expect(await receive()).toHaveLength(6);
    await dirty.send(workOf('wec/quiet'));
    expect(tenantsOf(await receive())).toEqual(['wec/quiet']);
    await dirty.send(workOf('wec/noisy', 20));
    expect(await receive()).toEqual([]);
    now += OTHERS_MS;
    expect(await receive()).toHaveLength(10);
  });

  it('has its priority back soon after, however many it had', async () => {
    await dirty.send(workOf('wec/noisy', 100));
    for (let batch = await receive(); batch.length > 0; batch = await receive())
      await handled(batch);
    now += (MOST - BURST) * 1_000 - 1;
    await dirty.send([...workOf('wec/quiet'), ...workOf('wec/noisy', 2)]);
    // The oldest tenant first, and nothing is in flight.
    await handled(await receive(dirty, 2));
    expect(await receive()).toEqual([]);
    now += 2_000;
    await dirty.send(workOf('wec/quiet'));
    expect(await receive()).toHaveLength(2);
  });

  it('pays once for a subject, and not for the messages of others about the same one', async () => {
    const about = (tenant: string) => ({ body: tenant, group: 'shared', tenant });
    await dirty.send([...Array(200).fill(about('wec/noisy')), about('wec/quiet')]);
    for (let batch = await receive(); batch.length > 0; batch = await receive())
      await handled(batch);
    await dirty.send(workOf('wec/other'));
    await receive();
    await dirty.send(workOf('wec/quiet', 2));
    expect(await receive()).toHaveLength(2);
  });

  it('keeps its priority if it speaks for many', async () => {
    await becomeLow('wds/one');
    await dirty.send([...workOf('wec/quiet'), ...workOf('wds/one', 3)]);
    expect(tenantsOf(await receive(dirty, 1))).toEqual(['wec/quiet']);
    expect(await receive()).toHaveLength(3);
  });

  it('does not wait longer because later steps of its work begin', async () => {
    await becomeLow('wec/noisy');
    await dirty.send([...workOf('wec/quiet'), ...workOf('wec/noisy')]);
    expect(tenantsOf(await receive())).toEqual(['wec/quiet']);
    now += HOLD_MS - MOMENT_MS - 1;
    await hints.send([...workOf('wds/hung|wec/noisy'), ...workOf('wds/one|wec/quiet')]);
    expect(await receive(hints)).toHaveLength(2);
    expect(await receive()).toEqual([]);
    now += 1;
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });

  it('does not wait for others whose cluster does not answer', async () => {
    await becomeLow('wec/noisy');
    await hints.send(workOf('wds/hung|wec/quiet'));
    expect(await receive(hints)).toHaveLength(1);
    now += AT_WORK_MS;
    await hints.send(workOf('wds/one|wec/other'));
    await handled(await receive(hints), hints);
    now += MOMENT_MS;
    await dirty.send(workOf('wec/noisy', 2));
    const first = await receive();
    expect(first).toHaveLength(1);
    await handled(first);
    expect(await receive()).toHaveLength(1);
  });

  it('is not held back by the time before the clock was set back', async () => {
    await becomeLow('wec/noisy');
    await dirty.send(workOf('wec/quiet'));
    await handled(await receive());
    now -= 3_600_000;
    await dirty.send(workOf('wec/noisy'));
    expect(tenantsOf(await receive())).toEqual(['wec/noisy']);
  });
});

describe('a part of a tenant that has more messages than its rate', () => {
  it('does not hold back the other parts, nor the tenant itself', async () => {
    await becomeLow('wds/one~noisy');
    await dirty.send([
      ...workOf('wds/one~noisy', 3),
      ...workOf('wds/one~new'),
      ...workOf('wds/one'),
    ]);
    const others = await receive();
    expect(tenantsOf(others).toSorted()).toEqual(['wds/one', 'wds/one~new']);
    await handled(others);
    now += MOMENT_MS;
    expect(tenantsOf(await receive())).toEqual(['wds/one~noisy']);
  });

  it('has one message in flight together with the others of the tenant', async () => {
    await becomeLow('wds/one~1');
    await becomeLow('wds/one~2');
    await dirty.send([
      ...workOf('wec/quiet'),
      ...workOf('wds/one~1', 2),
      ...workOf('wds/one~2', 2),
    ]);
    await handled(await receive(dirty, 1));
    now += MOMENT_MS;
    const turns: string[] = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const batch = await receive();
      expect(batch).toHaveLength(1);
      turns.push(...tenantsOf(batch));
      expect(await receive()).toEqual([]);
      await handled(batch);
      now += MOMENT_MS;
    }
    expect(turns).toEqual(['wds/one~1', 'wds/one~2', 'wds/one~1', 'wds/one~2']);
  });
});

it('withholds nothing for ever: every message is delivered once, in any order of receives and deletes', async () => {
  const tenants = ['wec/a', 'wec/b', 'wds/one', 'wds/one~1', 'wds/one~2'];
  const property = fc.asyncProperty(
    arbitrarySteps(tenants, 12),
    fc.integer({ min: MOMENT_MS, max: 300 }),
    async (steps, ms) => {
      const history = new History(dirty, () => {
        now += ms;
      });
      for (const one of steps) await history.take(one);
      await history.end();
      expect(history.delivered).toHaveLength(history.accepted);
      expect(new Set(history.delivered).size).toBe(history.accepted);
    },
  );
  await fc.assert(property, { seed: 38, numRuns: 60 });
});
