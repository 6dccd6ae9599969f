import type { SQSEvent } from 'aws-lambda';
import { beforeEach, describe, expect, it } from 'vitest';
import { AWS } from '#test/bench/aws-scale/assumptions.ts';
import { Environment } from '#test/bench/aws-scale/environment.ts';
import { ConcurrencyRamp, EventSourceModel } from '#test/bench/aws-scale/event-source.ts';
import { QueueCalls } from '#test/bench/aws-scale/queue-calls.ts';
import { createRandom } from '#test/bench/aws-scale/seeded.ts';
import type { DeployedFunction } from '#test/bench/cost/deployment.ts';
import { EventClock } from '#test/bench/cost/event-clock.ts';
import { LambdaFunction } from '#test/bench/cost/lambda-function.ts';
import { Meter } from '#test/bench/cost/meter.ts';

const TIMEOUT_MS = 55_000;
const VISIBILITY_MS = 60_000;

describe('the ramp of concurrency', () => {
  it('begins with five batches at a time', () => {
    expect(new ConcurrencyRamp(50).limit(1_000)).toBe(AWS.pollers);
  });

  it('adds 300 a minute while messages wait', () => {
    const ramp = new ConcurrencyRamp(1_000);
    ramp.limit(0);
    expect(ramp.limit(1_000)).toBe(AWS.pollers + 5);
    expect(ramp.limit(60_000)).toBe(AWS.pollers + 300);
  });

  it('stays at the maximum concurrency', () => {
    const ramp = new ConcurrencyRamp(10);
    ramp.limit(0);
    expect(ramp.limit(60_000)).toBe(10);
  });

  it('begins anew when no message has waited', () => {
    const ramp = new ConcurrencyRamp(50);
    ramp.limit(0);
    ramp.rest();
    expect(ramp.limit(60_000)).toBe(AWS.pollers);
  });
});

describe("a model of Lambda's event source", () => {
  let clock: EventClock;
  let meter: Meter;
  let queue: QueueCalls;
  let bodies: string[];
  let running: number;
  let mostRunning: number;

  beforeEach(() => {
    clock = new EventClock(0);
    meter = new Meter();
    bodies = [];
    [running, mostRunning] = [0, 0];
    let ids = 0;
    queue = new QueueCalls(
      {
        ...{ name: 'dirty', fifo: true, visibilityMs: VISIBILITY_MS, maxReceiveCount: 100 },
        senderId: 'AROA:sender',
      },
      { clock, meter, random: createRandom(1), newId: () => String(++ids) },
    );
  });

  function start(
    numbers: Partial<DeployedFunction>,
    invocationMs: number,
    failing: ReadonlySet<string> = new Set(),
  ): EventSourceModel {
    const handler = async ({ Records }: SQSEvent) => {
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      bodies.push(...Records.map(({ body }) => body));
      await clock.sleep(invocationMs);
      running -= 1;
      const failed = Records.filter(({ body }) => failing.has(body));
      return {
        batchItemFailures: failed.map(({ messageId: itemIdentifier }) => ({ itemIdentifier })),
      };
    };
    const deployed = { memoryMb: 1_769, batchSize: 10, windowMs: 0, concurrency: 50, ...numbers };
    const lambda = new LambdaFunction(
      { name: 'f', memoryMb: 1_769 },
      { meter, clock, metrics: new Set() },
    );
    const fed = {
      ...{ queue, deployed, timeoutMs: TIMEOUT_MS, lambda },
      start: () => ({ handler, environment: new Environment(1_769, clock) }),
    };
    const model = new EventSourceModel(fed, clock);
    model.start();
    return model;
  }

  function send(groups: number): void {
    queue.accept(
      Array.from({ length: groups }, (_group, index) => ({
        body: `m${index}`,
        group: `g${index}`,
      })),
    );
  }

  it('handles everything once, with no more invocations at a time than configured', async () => {
    start({ concurrency: 7, batchSize: 1 }, 500);
    send(200);
    await clock.run(60_000);
    expect(bodies.toSorted()).toEqual(
      Array.from({ length: 200 }, (_m, index) => `m${index}`).sort(),
    );
    expect(mostRunning).toBe(7);
    expect(queue.model.size).toBe(0);
  });

  it('pays for the start of each process once', async () => {
    const model = start({ concurrency: 2, batchSize: 1 }, 100);
    send(20);
    await clock.run(60_000);
    expect(model.counts).toMatchObject({ invocations: 20, coldStarts: 2 });
  });

  it('leaves a message that failed to its visibility timeout', async () => {
    start({}, 10, new Set(['m0']));
    send(2);
    await clock.run(VISIBILITY_MS - 1_000);
    expect(bodies).toEqual(['m0', 'm1']);
    await clock.run(5_000);
    expect(bodies).toEqual(['m0', 'm1', 'm0']);
  });

  it('ends an invocation that takes too long, whose messages come again', async () => {
    const model = start({}, TIMEOUT_MS + 1);
    send(1);
    await clock.run(VISIBILITY_MS + 10_000);
    expect(model.counts.late).toBe(1);
    expect(bodies).toEqual(['m0', 'm0']);
  });
});
