import { beforeEach, describe, expect, it } from 'vitest';
import { BilledQueue } from '#test/bench/cost/billed-queue.ts';
import { EventClock } from '#test/bench/cost/event-clock.ts';
import { Meter } from '#test/bench/cost/meter.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';

const USAGE = 'SQS standard requests';

let clock: EventClock;
let meter: Meter;
let queue: BilledQueue;

function createQueue(fifo: boolean): BilledQueue {
  let ids = 0;
  const inner = createMemoryMessageQueue({
    fifo,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 5,
    clock: clock.now,
    createMessageId: () => String(++ids),
  });
  return new BilledQueue({ name: 'events', fifo, inner }, { meter, clock });
}

beforeEach(() => {
  clock = new EventClock(0);
  meter = new Meter();
  queue = createQueue(false);
});

function send(bodies: readonly string[]): Promise<void> {
  const { send: sendTo } = queue.sender('a forwarder');
  return clock.drive(sendTo(bodies.map((body) => ({ body }))));
}

describe('a billed queue', () => {
  it('bills eleven small messages as two batch calls', async () => {
    await send(Array.from({ length: 11 }, () => 'body'));
    expect(meter.bill().amount(USAGE, 'send')).toBe(2);
  });

  it('bills ten messages of 60 KiB by the bytes of their batch', async () => {
    await send(Array.from({ length: 10 }, () => 'x'.repeat(60 * 1024)));
    expect(meter.bill().amount(USAGE, 'send')).toBe(10);
  });

  it('bills a long poll that finds nothing as one request, after its whole wait', async () => {
    expect(await clock.drive(queue.receive(10, 20_000))).toEqual([]);
    expect(clock.now()).toBe(20_000);
    expect(meter.bill().amount(USAGE, 'empty receive')).toBe(1);
  });

  it('ends a long poll with the first message that comes', async () => {
    const polling = queue.receive(10, 20_000);
    await clock.run(5_000);
    await send(['late']);
    expect((await clock.drive(polling)).map(({ body }) => body)).toEqual(['late']);
    expect(clock.now()).toBeLessThan(6_000);
    expect(meter.bill().amount(USAGE, 'empty receive')).toBe(0);
  });

  it('shares a burst among the pollers that wait', async () => {
    const polls = [queue.receive(10, 20_000), queue.receive(10, 20_000)];
    await clock.run(1);
    await send(Array.from({ length: 12 }, () => 'body'));
    const received = await clock.drive(Promise.all(polls));
    expect(received.map(({ length }) => length)).toEqual([10, 2]);
  });

  it('serves every poller that waits when a delete frees several groups', async () => {
    const fifo = createQueue(true);
    const sender = fifo.sender('record-events');
    const messages = (count: number) =>
      ['a', 'b'].flatMap((group) => Array.from({ length: count }, () => ({ body: group, group })));
    await clock.drive(sender.send(messages(5)));
    const first = await clock.drive(fifo.receive(10, 0));
    const polls = Promise.all([fifo.receive(10, 20_000), fifo.receive(10, 20_000)]);
    await clock.drive(sender.send(messages(10)));
    await fifo.delete(first);
    expect((await clock.drive(polls)).map(({ length }) => length)).toEqual([10, 10]);
    expect(clock.now()).toBeLessThan(1_000);
  });

  it('bills a batch of deleted messages as one request for ten', async () => {
    await send(Array.from({ length: 12 }, () => 'body'));
    const batch = [
      ...(await clock.drive(queue.receive(10, 0))),
      ...(await clock.drive(queue.receive(10, 0))),
    ];
    await queue.delete(batch);
    expect(batch).toHaveLength(12);
    expect(meter.bill().amount(USAGE, 'delete')).toBe(2);
    expect(await queue.size()).toBe(0);
  });
});
