import { beforeEach, describe, expect, it } from 'vitest';
import { pollOnce, startPoller, trialsOf } from '#local/stack/poller.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { BatchResponse, SqsHandler } from '#shared/runtime/batch.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const SUBJECTS = 1_000;
/** The time that a subject takes, in milliseconds. */
const WORK_MS = 20;
const TENANTS = 4;
const POLLERS = 2;

let time: VirtualTime;
let queue: MemoryMessageQueue;
let errors: unknown[] = [];
/** The bodies of each invocation. */
let invocations: (readonly string[])[] = [];
/** The bodies that were handled. */
let done: Set<string>;
let respond: (bodies: readonly string[]) => Promise<ReadonlySet<string>>;

beforeEach(() => {
  time = new VirtualTime();
  errors = [];
  invocations = [];
  done = new Set();
  let ids = 0;
  queue = createMemoryMessageQueue({
    fifo: true,
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 200,
    clock: time.clock,
    createMessageId: () => {
      ids += 1;
      return `m${ids}`;
    },
  });
});

/** The first character of a body is the tenant. A body is a group. */
const suspects = {
  groups: async () => new Set<string>(),
  tenantOf: ({ body }: ReceivedMessage) => body.slice(0, 1),
  visibilitySeconds: 60,
  clock: () => time.clock(),
};

/** Handles what {@link respond} does not fail. */
const handler: SqsHandler = async ({ Records }): Promise<BatchResponse> => {
  invocations.push(Records.map(({ body }) => body));
  const failed = await respond(Records.map(({ body }) => body));
  for (const { body } of Records) if (!failed.has(body)) done.add(body);
  const failures = Records.filter(({ body }) => failed.has(body));
  return { batchItemFailures: failures.map((one) => ({ itemIdentifier: one.messageId })) };
};

function options() {
  return {
    name: 'dirty',
    queue,
    handler,
    retrySeconds: exponentialRetry,
    suspects,
    onError: (error: unknown) => void errors.push(error),
  };
}

function start() {
  const polled = {
    ...queue,
    // It waits in virtual time.
    receive: async (_options: unknown, signal?: AbortSignal) => {
      const messages = await queue.receive({ max: 10, waitSeconds: 0 });
      if (messages.length === 0) await time.sleep(WORK_MS, signal);
      return messages;
    },
  };
  return startPoller({
    ...options(),
    queue: polled,
    concurrency: POLLERS,
    sleep: time.sleep,
  });
}

function send(bodies: readonly string[]): Promise<void> {
  return queue.send(bodies.map((body) => ({ body, group: body, tenant: body.slice(0, 1) })));
}

const failAll = async (bodies: readonly string[]): Promise<ReadonlySet<string>> => new Set(bodies);
const answerAll = async (): Promise<ReadonlySet<string>> => new Set();
/** Takes the time of each of them, one after the other. */
const work = async (bodies: readonly string[]): Promise<ReadonlySet<string>> => {
  await time.sleep(bodies.length * WORK_MS);
  return new Set();
};

/** Lets seconds pass until all are handled, at most so many. Returns how many. */
async function secondsUntilDone(count: number, most: number): Promise<number> {
  let seconds = 0;
  for (; done.size < count && seconds < most; seconds += 1) await time.advance(1_000);
  return seconds;
}

const ALL = Array.from({ length: SUBJECTS }, (_, index) => `${index % TENANTS}-${index}`);

describe('after a failure that all subjects had in common', () => {
  it('handles them in the time that the pollers need for them, and not one at a time', async () => {
    respond = failAll;
    await send(ALL);
    const poller = start();
    await time.advance(500);
    respond = work;
    invocations = [];
    const seconds = await secondsUntilDone(SUBJECTS, 60);
    // Some wait a second for their retry.
    expect(seconds).toBeLessThanOrEqual((SUBJECTS * WORK_MS) / 1_000 / POLLERS + 2);
    expect(invocations.some((bodies) => bodies.length === 10)).toBe(true);
    await poller.stop();
    expect(errors).toEqual([]);
  });

  it('handles them one at a time without pauses if the process has ended meanwhile', async () => {
    respond = failAll;
    await send(ALL);
    const before = start();
    await time.advance(500);
    await before.stop();
    await time.advance(1_000);
    respond = work;
    invocations = [];
    const poller = start();
    const seconds = await secondsUntilDone(SUBJECTS, 60);
    expect(seconds).toBeLessThanOrEqual((SUBJECTS * WORK_MS) / 1_000 + 2);
    expect(invocations.every((bodies) => bodies.length === 1)).toBe(true);
    await poller.stop();
    expect(errors).toEqual([]);
  });

  it('handles those of others beside subjects that end their invocations, if the process has ended meanwhile', async () => {
    const TRIAL_MS = 30_000;
    const poisoned = Array.from({ length: 120 }, (_, index) => `p-${index}`);
    const healthy = Array.from({ length: 300 }, (_, index) => `h-${index}`);
    respond = failAll;
    await send([...poisoned, ...healthy]);
    const before = start();
    await time.advance(500);
    await before.stop();
    await time.advance(1_000);
    let [trials, most] = [0, 0];
    respond = async (bodies) => {
      if (!bodies.some((body) => body.startsWith('p'))) return work(bodies);
      trials += 1;
      most = Math.max(most, trials);
      await time.sleep(TRIAL_MS);
      trials -= 1;
      throw new Error('its thread was ended');
    };
    const poller = start();
    const seconds = await secondsUntilDone(healthy.length, 120);
    // One trial of 30 seconds, then as much time for the others: six seconds are enough for all of them.
    expect(seconds).toBeLessThanOrEqual(30 + 6 + 2);
    expect(most).toBe(1);
    const stopping = poller.stop();
    await time.advance(TRIAL_MS);
    await stopping;
  });
});

describe('a subject is suspect', () => {
  function polls(trials = trialsOf(options())) {
    return async (): Promise<readonly string[]> => {
      invocations = [];
      await time.advance(61_000);
      while (await pollOnce(options(), 0, { trials }));
      await trials?.settled();
      return invocations.map((bodies) => bodies.join(' '));
    };
  }

  const ending = async (): Promise<never> => {
    throw new Error('its thread has ended');
  };

  it('if its last invocation ended without an answer, and no longer when one has answered', async () => {
    const poll = polls();
    await send(['a', 'b']);
    respond = ending;
    expect(await poll()).toEqual(['a b']);
    respond = failAll;
    expect(await poll()).toEqual(['a', 'b']);
    expect(await poll()).toEqual(['a b']);
    respond = ending;
    expect(await poll()).toEqual(['a b']);
    respond = answerAll;
    expect(await poll()).toEqual(['a', 'b']);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('if its visibility timeout has passed while its invocation runs', async () => {
    const trials = trialsOf(options());
    const poll = polls(trials);
    await send(['a']);
    respond = failAll;
    await poll();
    let answer: () => void = () => undefined;
    respond = async (bodies) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return failAll(bodies);
    };
    await time.advance(61_000);
    const slow = pollOnce(options(), 0, { trials });
    await time.settle();
    await send(['b']);
    const first = answer;
    respond = answerAll;
    expect([...(await poll())].sort()).toEqual(['a', 'b']);
    first();
    await slow;
  });

  it('if the function answers that it may end the process', async () => {
    const trials = trialsOf(options());
    await send(['a', 'b', 'c']);
    const naming: SqsHandler = async ({ Records }) => ({
      batchItemFailures: Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
      suspects: Records.filter(({ body }) => body === 'b').map(({ messageId }) => messageId),
    });
    await pollOnce({ ...options(), handler: naming }, 0, { trials });
    respond = answerAll;
    const divided = await polls(trials)();
    expect([...divided].sort()).toEqual(['a c', 'b']);
  });

  it('if another message of its group is', async () => {
    const trials = trialsOf(options());
    const poll = polls(trials);
    await queue.send([{ body: 'a1', group: 'a' }]);
    respond = failAll;
    await poll();
    await queue.send([
      { body: 'a2', group: 'a' },
      { body: 'b', group: 'b' },
    ]);
    respond = ending;
    expect(await poll()).toEqual(['a1 a2 b']);
    await queue.send([{ body: 'a3', group: 'a' }]);
    respond = answerAll;
    expect(await poll()).toEqual(['a1 a2 a3', 'b']);
  });
});
