import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { SqliteQueueOptions } from '#shared/adapters/sqlite/queue-rules.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function open(file = ':memory:'): SqliteDatabase {
  const database = openSqliteDatabase(file);
  closing.unshift(() => database.close());
  return database;
}

const START = 1_700_000_000_000;

function makeQueue(
  options: Partial<SqliteQueueOptions>,
  database = open(),
): { queue: SqliteMessageQueue; time: { now: number } } {
  const time = { now: START };
  const queue = createSqliteMessageQueue(database, {
    name: 'live',
    fifo: false,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => time.now,
    ...options,
  });
  return { queue, time };
}

const ALL = { max: 10, waitSeconds: 0 };

async function receiveBodies(queue: SqliteMessageQueue): Promise<readonly string[]> {
  return (await queue.receive(ALL)).map((message) => message.body);
}

it('waits not at all for a message that becomes visible while its receiver looks', async () => {
  const warned: string[] = [];
  const onWarning = ({ name }: Error): void => void warned.push(name);
  process.on('warning', onWarning);
  closing.unshift(() => process.off('warning', onWarning));
  // Each look at the clock takes two seconds.
  let now = START;
  const clock = (): number => {
    now += 2000;
    return now;
  };
  const { queue } = makeQueue({ clock });
  await queue.send([{ body: 'late', delaySeconds: 3 }]);
  expect(await queue.receive({ max: 1, waitSeconds: 20 })).toMatchObject([{ body: 'late' }]);
  // A warning is told a turn later.
  await new Promise(setImmediate);
  expect(warned).toEqual([]);
});

describe('the sender of a message', () => {
  it('is the one in whose name it was sent, else that of the queue, also in the dead-letter queue', async () => {
    const database = open();
    const { queue, time } = makeQueue({ maxReceiveCount: 1, deadLetterQueue: 'dead' }, database);
    await queue.send([{ body: 'own' }]);
    await queue.sendAs('http:wec/a', [{ body: 'of a' }, { body: 'of a too' }]);
    const expected = [
      ['own', 'local'],
      ['of a', 'http:wec/a'],
      ['of a too', 'http:wec/a'],
    ];
    const received = await queue.receive(ALL);
    expect(received.map(({ body, senderId }) => [body, senderId])).toEqual(expected);
    time.now += 30_000;
    expect(await queue.receive(ALL)).toEqual([]);
    const dead = await makeQueue({ name: 'dead' }, database).queue.receive(ALL);
    expect(dead.map(({ body, senderId }) => [body, senderId])).toEqual(expected);
  });

  it('cannot send what others cannot', async () => {
    const { queue } = makeQueue({});
    await expect(queue.sendAs('x', [{ body: '' }])).rejects.toThrow(RangeError);
    const stopped = AbortSignal.abort();
    await expect(queue.sendAs('x', [{ body: 'x' }], stopped)).rejects.toThrow('unavailable');
    expect(await queue.counts()).toMatchObject({ visible: 0 });
  });
});

describe('a message that is given back', () => {
  it.each([false, true])('uses no receipt (FIFO: %s)', async (fifo) => {
    const { queue, time } = makeQueue({ fifo, maxReceiveCount: 2, deadLetterQueue: 'dead' });
    await queue.send([{ body: 'a', group: 'g' }]);
    for (let times = 0; times < 5; times += 1) {
      const [message] = await queue.receive(ALL);
      expect(message).toMatchObject({ body: 'a', receiveCount: 1 });
      await queue.giveBack([String(message?.receiptHandle)], 7);
      time.now += 6_999;
      expect(await queue.receive(ALL)).toEqual([]);
      time.now += 1;
    }
    for (const receiveCount of [1, 2]) {
      expect(await queue.receive(ALL)).toMatchObject([{ body: 'a', receiveCount }]);
      time.now += 30_000;
    }
    expect(await queue.receive(ALL)).toEqual([]);
    expect(await queue.counts()).toMatchObject({ visible: 0 });
  });

  it('ends its receipt', async () => {
    const { queue, time } = makeQueue({ fifo: true });
    await queue.send([{ body: 'a', group: 'g' }]);
    const [first] = await queue.receive(ALL);
    const outdated = [String(first?.receiptHandle)];
    await queue.giveBack(outdated, 5);
    await queue.giveBack(outdated, 0);
    await queue.delete(outdated);
    await queue.changeVisibility(outdated, 0);
    expect(await queue.receive(ALL)).toEqual([]);
    time.now += 5_000;
    const [second] = await queue.receive(ALL);
    expect(second).toMatchObject({ receiveCount: 1 });
    expect(second?.receiptHandle).not.toBe(first?.receiptHandle);
    await queue.delete(outdated);
    expect(await queue.counts()).toMatchObject({ inFlight: 1 });
  });
});

describe('deduplication', () => {
  const message: OutgoingMessage = { group: 'g', body: 'x', deduplicationId: 'same' };

  it.each([
    ['drops a duplicate just before 5 minutes have passed', 299_999, ['x']],
    ['takes it as new after 5 minutes', 300_000, ['x', 'x']],
  ])('%s', async (_what, ms, expected) => {
    const { queue, time } = makeQueue({ fifo: true });
    await queue.send([message]);
    time.now += ms;
    await queue.send([message]);
    expect(await receiveBodies(queue)).toEqual(expected);
  });

  it('does not restart the 5 minutes with a duplicate', async () => {
    const { queue, time } = makeQueue({ fifo: true });
    await queue.send([message]);
    time.now += 200_000;
    await queue.send([message]);
    time.now += 100_000;
    await queue.send([message]);
    expect(await receiveBodies(queue)).toEqual(['x', 'x']);
  });

  it('outlives a restart', async () => {
    const database = open();
    await makeQueue({ fifo: true }, database).queue.send([message]);
    const { queue } = makeQueue({ fifo: true }, database);
    await queue.send([message]);
    expect(await receiveBodies(queue)).toEqual(['x']);
  });
});

describe('counts', () => {
  it('distinguishes visible, delayed and in-flight messages as time passes', async () => {
    const { queue, time } = makeQueue({});
    await queue.send([{ body: 'a' }, { body: 'b' }, { body: 'c', delaySeconds: 10 }]);
    expect(await queue.counts()).toEqual({ visible: 2, inFlight: 0, delayed: 1 });
    await queue.receive({ max: 1, waitSeconds: 0 });
    expect(await queue.counts()).toEqual({ visible: 1, inFlight: 1, delayed: 1 });
    time.now += 10_000;
    expect(await queue.counts()).toEqual({ visible: 2, inFlight: 1, delayed: 0 });
    time.now += 20_000;
    expect(await queue.counts()).toEqual({ visible: 3, inFlight: 0, delayed: 0 });
  });
});

describe('one database', () => {
  it('keeps queues apart', async () => {
    const database = open();
    const { queue: one } = makeQueue({ name: 'one' }, database);
    const { queue: two } = makeQueue({ name: 'two' }, database);
    await one.send([{ body: 'x' }]);
    const [message] = await one.receive(ALL);
    await two.delete([message?.receiptHandle ?? '']);
    await two.changeVisibility([message?.receiptHandle ?? ''], 0);
    expect(await two.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
    expect(await one.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
  });

  it('notices what another process has sent while it waits', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-queue-'));
    closing.push(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'starfold.db');
    const { queue: here } = makeQueue({}, open(file));
    const { queue: there } = makeQueue({}, open(file));
    const waiting = here.receive({ max: 1, waitSeconds: 20 });
    setTimeout(() => void there.send([{ body: 'x' }]), 20);
    expect(await waiting).toMatchObject([{ body: 'x' }]);
  });

  it('delivers a dead letter to a receiver that waits for it', async () => {
    const database = open();
    const { queue } = makeQueue({ deadLetterQueue: 'dead', maxReceiveCount: 1 }, database);
    const { queue: dead } = makeQueue({ name: 'dead' }, database);
    await queue.send([{ body: 'x' }]);
    const [message] = await queue.receive(ALL);
    await queue.changeVisibility([message?.receiptHandle ?? ''], 0);
    const waiting = dead.receive({ max: 1, waitSeconds: 20 });
    expect(await queue.receive(ALL)).toEqual([]);
    expect(await waiting).toMatchObject([{ body: 'x', receiveCount: 1, sentAt: START }]);
  });

  it('delivers forever without a dead-letter queue', async () => {
    const { queue, time } = makeQueue({ maxReceiveCount: 1 });
    await queue.send([{ body: 'x' }]);
    await queue.receive(ALL);
    time.now += 30_000;
    expect(await queue.receive(ALL)).toMatchObject([{ receiveCount: 2 }]);
  });
});

describe('a receiver', () => {
  it('leaves timers their turn although there is always a message', async () => {
    const { queue } = makeQueue({});
    await queue.send([{ body: 'x' }]);
    let fired = false;
    setTimeout(() => {
      fired = true;
    }, 1);
    for (let round = 0; round < 20_000 && !fired; round += 1) {
      const messages = await queue.receive(ALL);
      await queue.changeVisibility(
        messages.map((message) => message.receiptHandle),
        0,
      );
    }
    expect(fired).toBe(true);
  });
});

describe('receivers that wait', () => {
  it('get a message when the time of another receiver with it is over', async () => {
    const { queue } = makeQueue({ visibilityTimeoutSeconds: 0.3, clock: Date.now });
    const first = queue.receive({ max: 1, waitSeconds: 20 });
    const second = queue.receive({ max: 1, waitSeconds: 20 });
    await queue.send([{ body: 'x' }]);
    expect(await Promise.all([first, second])).toMatchObject([
      [{ body: 'x', receiveCount: 1 }],
      [{ body: 'x', receiveCount: 2 }],
    ]);
  });

  it('get a delayed message although the one that was told of it has stopped waiting', async () => {
    const { queue } = makeQueue({ clock: Date.now });
    const first = queue.receive({ max: 1, waitSeconds: 0.3 });
    const second = queue.receive({ max: 1, waitSeconds: 20 });
    await queue.send([{ body: 'x', delaySeconds: 0.6 }]);
    expect(await first).toEqual([]);
    expect(await second).toMatchObject([{ body: 'x' }]);
  });
});

describe('a FIFO queue', () => {
  it('puts several messages of a group into one batch, the oldest group first', async () => {
    const { queue } = makeQueue({ fifo: true });
    const sent = ['g1', 'h1', 'g2', 'i1', 'h2'];
    await queue.send(sent.map((body) => ({ group: body.slice(0, 1), body })));
    expect(await receiveBodies(queue)).toEqual(['g1', 'g2', 'h1', 'h2', 'i1']);
  });

  it('ignores a receipt whose visibility timeout has passed', async () => {
    const { queue, time } = makeQueue({ fifo: true });
    await queue.send([{ group: 'g', body: 'x' }]);
    const [message] = await queue.receive(ALL);
    time.now += 30_000;
    await queue.delete([message?.receiptHandle ?? '']);
    expect(await receiveBodies(queue)).toEqual(['x']);
  });

  it('names the sender of a message', async () => {
    const database = open();
    const { queue } = makeQueue({ senderId: 'east' }, database);
    await queue.send([{ body: 'x' }]);
    await makeQueue({ senderId: 'west' }, database).queue.send([{ body: 'y' }]);
    expect((await queue.receive(ALL)).map((message) => message.senderId)).toEqual(['east', 'west']);
  });
});

describe('misuse', () => {
  it.each<[string, boolean, OutgoingMessage]>([
    ['an empty body', false, { body: '' }],
    ['a FIFO message without a group', true, { body: 'x' }],
    ['an empty group', true, { body: 'x', group: '' }],
    ['a group that is too long', true, { body: 'x', group: 'g'.repeat(129) }],
    ['a delay in a FIFO queue', true, { body: 'x', group: 'g', delaySeconds: 1 }],
    ['a delay that is too long', false, { body: 'x', delaySeconds: 901 }],
    ['a tenant in a standard queue', false, { body: 'x', tenant: 't' }],
    ['a group of a standard queue that is too long', false, { body: 'x', group: 'g'.repeat(129) }],
    ['a tenant with a space', true, { body: 'x', group: 'g', tenant: 'a b' }],
  ])('is rejected as a bug of the caller: %s', async (_what, fifo, message) => {
    const { queue } = makeQueue({ fifo });
    await expect(queue.send([message])).rejects.toThrow(RangeError);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it.each([0, 11, 1.5])(
    'is rejected as a bug of the caller: receiving %s messages',
    async (max) => {
      const { queue } = makeQueue({});
      await expect(queue.receive({ max, waitSeconds: 0 })).rejects.toThrow(RangeError);
    },
  );

  it('is rejected as a bug of the caller: no visibility timeout', () => {
    expect(() => makeQueue({ visibilityTimeoutSeconds: 0 })).toThrow(RangeError);
  });

  it('ignores a receipt handle that is none', async () => {
    const { queue } = makeQueue({});
    await queue.send([{ body: 'x' }]);
    await queue.delete(['', '1', '1.0', 'x.y', '1.1; DROP TABLE messages']);
    expect(await receiveBodies(queue)).toEqual(['x']);
  });
});
