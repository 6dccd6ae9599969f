import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import { Debts } from '#shared/debts.ts';

const START_MS = 1_700_000_000_000;
const RATE = { perSecond: 1_000, burst: 100 };

let now = START_MS;
beforeEach(() => {
  now = START_MS;
});

describe('what the messages of tenants have cost lately', () => {
  it('becomes less with time, and counts beyond what they may cost at once', () => {
    const debts = new Debts(RATE);
    debts.add('a', 100, now);
    expect(debts.over(now)).toEqual([]);
    debts.add('a', 500, now);
    debts.add('b', 101, now);
    expect(debts.over(now)).toEqual(['a', 'b']);
    expect(debts.over(now + 1)).toEqual(['a']);
    expect(debts.over(now + 499)).toEqual(['a']);
    expect(debts.over(now + 500)).toEqual([]);
    debts.add('a', 150, now + 500);
    expect(debts.over(now + 500)).toEqual(['a']);
    expect(debts.over(now + 700)).toEqual([]);
  });

  it('is forgotten beyond a maximum', () => {
    const debts = new Debts({ ...RATE, most: 300 });
    debts.add('a', 1_000_000, now);
    expect(debts.over(now + 199)).toEqual(['a']);
    expect(debts.over(now + 200)).toEqual([]);
  });

  it('says how long a tenant has to wait', () => {
    const debts = new Debts(RATE);
    expect(debts.waitMs('a', now)).toBe(0);
    debts.add('a', 100, now);
    expect(debts.waitMs('a', now)).toBe(0);
    debts.add('a', 50, now);
    expect(debts.waitMs('a', now)).toBe(50);
    expect(debts.waitMs('a', now + 20)).toBe(30);
    expect(debts.waitMs('a', now + 50)).toBe(0);
    expect(debts.waitMs('b', now)).toBe(0);
  });

  it('does not become less, or more, when the clock is set back', () => {
    const debts = new Debts(RATE);
    debts.add('a', 300, now);
    expect(debts.over(now - 60_000)).toEqual(['a']);
    expect(debts.over(now + 250)).toEqual([]);
  });
});

describe('a queue with a rate of cost', () => {
  let database: SqliteDatabase;
  let queue: SqliteMessageQueue;
  beforeEach(() => {
    database = openSqliteDatabase(':memory:');
    queue = createSqliteMessageQueue(database, {
      ...{ name: 'events', fifo: false, turns: 1, cost: RATE },
      ...{ visibilityTimeoutSeconds: 60, maxReceiveCount: 3, clock: () => now },
    });
  });
  afterEach(() => database.close());

  const dear = { body: 'x', group: 'wec/noisy' };
  const cheap = { body: 'y', group: 'wec/quiet' };

  /** The groups of the messages of one receive, which are then handled. */
  async function receive(): Promise<readonly (string | undefined)[]> {
    const messages = await queue.receive({ max: 10, waitSeconds: 0 });
    for (const { group, body } of messages) queue.charge(group ?? '', body === dear.body ? 600 : 1);
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    return messages.map(({ group }) => group);
  }

  it('gives expensive messages of a tenant one after the other while others are active', async () => {
    await queue.send([cheap, dear, dear, dear]);
    expect((await receive()).toSorted()).toEqual(['wec/noisy', 'wec/quiet']);
    expect(await receive()).toEqual([]);
    await queue.send([cheap]);
    expect(await receive()).toEqual(['wec/quiet']);
    now += 499;
    expect(await receive()).toEqual([]);
    now += 1;
    expect(await receive()).toEqual(['wec/noisy']);
    expect(await receive()).toEqual([]);
    now += 600;
    expect(await receive()).toEqual(['wec/noisy']);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('gives them at full speed while nobody else is active', async () => {
    await queue.send([dear, dear, dear]);
    for (let count = 0; count < 3; count += 1) expect(await receive()).toEqual(['wec/noisy']);
    await queue.send([cheap, dear, dear]);
    expect(await receive()).toContain('wec/quiet');
    expect(await receive()).toEqual([]);
    // Ten seconds later, the other one counts as gone.
    now += 10_000;
    expect(await receive()).toEqual(['wec/noisy']);
    expect(await receive()).toEqual(['wec/noisy']);
  });
});

describe('a queue with a rate of messages of parts', () => {
  let database: SqliteDatabase;
  let queue: SqliteMessageQueue;
  const open = (rateClock?: () => number): SqliteMessageQueue =>
    createSqliteMessageQueue(database, {
      ...{ name: 'dirty', fifo: true, parts: { perSecond: 10, burst: 2 } },
      ...{ visibilityTimeoutSeconds: 60, maxReceiveCount: 3, clock: () => now },
      ...(rateClock === undefined ? {} : { rateClock }),
    });
  beforeEach(() => {
    database = openSqliteDatabase(':memory:');
    queue = open();
  });
  afterEach(() => database.close());

  let sent = 0;
  const of = (tenant: string) => {
    sent += 1;
    return { body: 'x', group: `subject-${sent}`, deduplicationId: `${sent}`, tenant };
  };
  /** So many subjects of one Binding. */
  const burst = (count: number) => Array.from({ length: count }, () => of('wds/wds~binding'));

  async function receive(max = 4): Promise<number> {
    const messages = await queue.receive({ max, waitSeconds: 0 });
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
    return messages.length;
  }

  it('spreads what follows from one change while others are active', async () => {
    await queue.send([of('wec/quiet')]);
    expect(await receive()).toBe(1);
    await queue.send(burst(9));
    expect(await receive()).toBe(3);
    expect(await receive()).toBe(0);
    await queue.send([of('wec/quiet')]);
    expect(await receive()).toBe(1);
    now += 100;
    expect(await receive()).toBe(1);
    expect(await receive()).toBe(0);
    now += 500;
    expect(await receive()).toBe(3);
  });

  it('delivers all of it at once while nobody else is active', async () => {
    await queue.send(burst(9));
    expect(await receive(9)).toBe(9);
  });

  it('counts by another clock, which may go slower', async () => {
    queue = open(() => now / 4);
    await queue.send([of('wec/quiet')]);
    expect(await receive()).toBe(1);
    await queue.send(burst(9));
    expect(await receive()).toBe(3);
    now += 399;
    expect(await receive()).toBe(0);
    now += 1;
    expect(await receive()).toBe(1);
    now += 2_000;
    expect(await receive()).toBe(3);
  });

  it('does not count what follows from the changes of a source', async () => {
    await queue.send([of('wec/quiet')]);
    expect(await receive()).toBe(1);
    await queue.send(Array.from({ length: 9 }, () => of('wec/busy')));
    expect(await receive(9)).toBe(9);
  });
});
