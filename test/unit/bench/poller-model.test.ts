import type { SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { BilledQueue } from '#test/bench/cost/billed-queue.ts';
import { type DeployedFunction, MODEL } from '#test/bench/cost/deployment.ts';
import { EventClock } from '#test/bench/cost/event-clock.ts';
import { LambdaFunction } from '#test/bench/cost/lambda-function.ts';
import { Meter } from '#test/bench/cost/meter.ts';
import { Environments, PollerModel } from '#test/bench/cost/poller-model.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';

const EMPTY_RECEIVE = 'events empty receive';

/** An invocation of the function under test. */
interface Invocation {
  readonly atMs: number;
  readonly size: number;
}

let clock: EventClock;
let meter: Meter;
let queue: BilledQueue;
let invocations: Invocation[];
let running: number;
let mostRunning: number;

beforeEach(() => {
  clock = new EventClock(0);
  meter = new Meter();
  invocations = [];
  running = 0;
  mostRunning = 0;
  let ids = 0;
  const inner = createMemoryMessageQueue({
    fifo: false,
    visibilityTimeoutSeconds: 300,
    maxReceiveCount: 5,
    clock: clock.now,
    createMessageId: () => String(++ids),
  });
  queue = new BilledQueue({ name: 'events', fifo: false, inner }, { meter, clock });
});

/** Lambda's pollers before a function whose invocations take so long. */
function poll(numbers: Partial<DeployedFunction>, invocationMs = 0): PollerModel {
  const handler = async ({ Records }: SQSEvent) => {
    invocations.push({ atMs: clock.now(), size: Records.length });
    running += 1;
    mostRunning = Math.max(mostRunning, running);
    await clock.sleep(invocationMs);
    running -= 1;
    return { batchItemFailures: [] };
  };
  const deployed = { memoryMb: 512, batchSize: 10, windowMs: 0, concurrency: 50, ...numbers };
  const lambda = new LambdaFunction(
    { name: 'record-events', memoryMb: 512 },
    { meter, clock, metrics: new Set() },
  );
  const environments = new Environments(() => handler);
  const model = new PollerModel({ queue, deployed, lambda, environments }, clock);
  model.start();
  return model;
}

function send(count: number): Promise<void> {
  const messages = Array.from({ length: count }, () => ({ body: 'body' }));
  return clock.drive(queue.sender('a forwarder').send(messages));
}

function emptyReceives(): number {
  return meter.bill().amount('SQS standard requests', EMPTY_RECEIVE);
}

describe('pollers of an empty queue', () => {
  it('are five, each with a billed request for each long poll', async () => {
    poll({});
    await clock.run(3 * MODEL.longPollMs);
    expect(emptyReceives()).toBe(15);
    expect(invocations).toEqual([]);
  });

  it('are no more than invocations may run at a time', async () => {
    poll({ concurrency: 3 });
    await clock.run(MODEL.longPollMs);
    expect(emptyReceives()).toBe(3);
  });

  it('end with their long poll when they are stopped', async () => {
    const model = poll({});
    await clock.run(1_000);
    model.stop();
    await clock.run(10 * MODEL.longPollMs);
    expect(emptyReceives()).toBe(5);
  });
});

describe('a batch', () => {
  it('without a window is what one receive finds', async () => {
    poll({ concurrency: 1, batchSize: 1_000 });
    await send(1);
    await clock.run(100);
    await send(3);
    await clock.run(100);
    expect(invocations.map(({ size }) => size)).toEqual([1, 3]);
  });

  it('holds what comes within the window after its first message', async () => {
    poll({ concurrency: 1, batchSize: 1_000, windowMs: 2_000 });
    for (let second = 0; second < 6; second += 1) {
      await send(2);
      await clock.run(600 - MODEL.queueCallMs);
    }
    await clock.run(5_000);
    expect(invocations.map(({ size }) => size)).toEqual([8, 4]);
    expect(invocations[0]?.atMs).toBeGreaterThanOrEqual(2_000);
  });

  it('that is full does not wait for the end of the window', async () => {
    poll({ concurrency: 1, batchSize: 25, windowMs: 2_000 });
    await send(30);
    await clock.run(1_000);
    expect(invocations.map(({ size }) => size)).toEqual([25]);
    await clock.run(2_000);
    expect(invocations.map(({ size }) => size)).toEqual([25, 5]);
  });

  it('is deleted after its invocation, with a request for ten messages', async () => {
    poll({ concurrency: 1, batchSize: 25, windowMs: 1_000 }, 50);
    await send(25);
    await clock.run(5_000);
    expect(await queue.size()).toBe(0);
    expect(meter.bill().amount('SQS standard requests', 'delete')).toBe(3);
    expect(meter.bill().amount('Lambda invocations')).toBe(1);
  });
});

describe('full batches that leave messages behind', () => {
  it('bring more pollers, up to the maximum concurrency', async () => {
    poll({ concurrency: 12 }, 10_000);
    await send(500);
    await clock.run(5_000);
    expect(mostRunning).toBe(12);
  });

  it('bring none for batches that are not full', async () => {
    poll({ concurrency: 12, batchSize: 1_000 }, 10_000);
    await send(500);
    await clock.run(5_000);
    expect(mostRunning).toBe(MODEL.pollers);
  });

  it('leave five pollers again when the queue is empty', async () => {
    poll({ concurrency: 12 }, 100);
    await send(500);
    await clock.run(3 * MODEL.longPollMs);
    const before = emptyReceives();
    await clock.run(MODEL.longPollMs);
    expect(emptyReceives() - before).toBe(MODEL.pollers);
    expect(invocations.reduce((sum, { size }) => sum + size, 0)).toBe(500);
  });
});

describe('execution environments', () => {
  function started(): { readonly environments: Environments; readonly count: () => number } {
    let count = 0;
    const environments = new Environments(() => {
      count += 1;
      return async () => ({ batchItemFailures: [] });
    });
    return { environments, count: () => count };
  }

  it('are used again, so that what a function remembers helps the next invocation', async () => {
    const { environments, count } = started();
    const used = [];
    for (let turn = 0; turn < 3; turn += 1)
      used.push(await environments.use((handler) => Promise.resolve(handler)));
    expect(count()).toBe(1);
    expect(new Set(used).size).toBe(1);
  });

  it('serve one invocation at a time', async () => {
    const { environments, count } = started();
    const { promise, resolve } = Promise.withResolvers<void>();
    const both = [environments.use(() => promise), environments.use(() => promise)];
    expect(count()).toBe(2);
    resolve();
    await Promise.all(both);
  });

  it('return after a failure', async () => {
    const { environments, count } = started();
    await expect(environments.use(() => Promise.reject(new Error('failed')))).rejects.toThrow();
    await environments.use(() => Promise.resolve());
    expect(count()).toBe(1);
  });
});
