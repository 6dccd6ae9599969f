import { beforeEach, describe, expect, it } from 'vitest';
import { localContext, pollOnce, sqsEvent, startPoller, trialsOf } from '#local/stack/poller.ts';
import type { PolledQueue } from '#local/stack/trials.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

let now = 0;
let queue: MemoryMessageQueue;
let errors: unknown[] = [];

beforeEach(() => {
  now = 0;
  errors = [];
  let ids = 0;
  queue = createMemoryMessageQueue({
    fifo: false,
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 9,
    clock: () => now,
    createMessageId: () => {
      ids += 1;
      return `m${ids}`;
    },
  });
});

function poll(handler: SqsHandler): Promise<boolean> {
  return pollOnce(
    {
      name: 'queue',
      queue,
      handler,
      retrySeconds: exponentialRetry,
      onError: (error) => void errors.push(error),
    },
    0,
  );
}

function failing(...ids: readonly string[]): SqsHandler {
  return async () => ({ batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) });
}

async function receivable(from: MessageQueue = queue): Promise<readonly string[]> {
  return (await from.receive({ max: 10, waitSeconds: 0 })).map(({ body }) => body);
}

describe('pollOnce', () => {
  it('says that nothing was received, and invokes nothing', async () => {
    const moved = await poll(async () => {
      throw new Error('invoked');
    });
    expect([moved, errors]).toEqual([false, []]);
  });

  it('deletes what was handled', async () => {
    await queue.send([{ body: 'a' }, { body: 'b' }]);
    expect(await poll(failing())).toBe(true);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('gives the function at most 10 messages at a time', async () => {
    await queue.send(Array.from({ length: 12 }, (_message, index) => ({ body: String(index) })));
    const sizes: number[] = [];
    const handler: SqsHandler = async ({ Records }) => {
      sizes.push(Records.length);
      return { batchItemFailures: [] };
    };
    while (await poll(handler));
    expect(sizes).toEqual([10, 2]);
  });

  it('keeps what the function could not handle, for so many seconds as it was received often', async () => {
    await queue.send([{ body: 'good' }, { body: 'bad' }]);
    await poll(failing('m2'));
    now = 999;
    expect(await poll(failing('m2'))).toBe(false);
    now = 1000;
    expect(await poll(failing('m2'))).toBe(true);
    now = 2999;
    expect(await poll(failing('m2'))).toBe(false);
    now = 3000;
    expect(await receivable()).toEqual(['bad']);
  });

  it('gives back what was not tried, without a receipt, and lets what failed wait', async () => {
    await queue.send([{ body: 'good' }, { body: 'failed' }, { body: 'untried' }]);
    const handler: SqsHandler = async () => ({
      batchItemFailures: [{ itemIdentifier: 'm2' }, { itemIdentifier: 'm3' }],
      untried: [{ itemIdentifier: 'm3', seconds: 20 }],
    });
    await poll(handler);
    now = 1_000;
    expect(await receivable()).toEqual(['failed']);
    now = 20_000;
    expect(await queue.receive({ max: 10, waitSeconds: 0 })).toMatchObject([
      { body: 'untried', receiveCount: 1 },
    ]);
  });

  it('lets what was not tried wait like what failed, if the queue cannot take it back', async () => {
    await queue.send([{ body: 'untried' }]);
    const { giveBack: _, ...other } = queue;
    const handler: SqsHandler = async () => ({
      batchItemFailures: [{ itemIdentifier: 'm1' }],
      untried: [{ itemIdentifier: 'm1', seconds: 20 }],
    });
    const onError = (error: unknown) => void errors.push(error);
    const options = { name: 'queue', handler, retrySeconds: exponentialRetry, onError };
    await pollOnce({ ...options, queue: other }, 0);
    now = 1_000;
    expect(await queue.receive({ max: 10, waitSeconds: 0 })).toMatchObject([{ receiveCount: 2 }]);
  });

  it('lets what has failed equally often wait in one call, however many messages there are', async () => {
    await queue.send([{ body: 'again' }]);
    await poll(failing('m1'));
    now = 1_000;
    await queue.send([{ body: 'b' }, { body: 'c' }]);
    const calls: (readonly [number, number])[] = [];
    const counted: PolledQueue = {
      ...queue,
      changeVisibility: (handles, seconds) => {
        calls.push([handles.length, seconds]);
        return queue.changeVisibility(handles, seconds);
      },
    };
    const onError = (error: unknown) => void errors.push(error);
    const options = { name: 'queue', handler: failing('m1', 'm2', 'm3'), onError };
    await pollOnce({ ...options, queue: counted, retrySeconds: exponentialRetry }, 0);
    expect(calls).toEqual([
      [1, 2],
      [2, 1],
    ]);
  });

  it('keeps the whole batch when the function throws, and tells the error', async () => {
    await queue.send([{ body: 'a' }, { body: 'b' }]);
    const error = new Error('down');
    await poll(async () => {
      throw error;
    });
    expect(errors).toEqual([error]);
    now = 1000;
    expect(await receivable()).toEqual(['a', 'b']);
  });
});

describe('pollOnce with rules about suspects', () => {
  let log: string[] = [];
  let fifo: MemoryMessageQueue;
  /** The queue, which logs what is deleted by the bodies of the messages. */
  let logged: PolledQueue;
  let ends: ReadonlySet<string> = new Set();
  let fails: ReadonlySet<string> = new Set();

  beforeEach(() => {
    log = [];
    ends = new Set();
    fails = new Set();
    let ids = 0;
    const bodies = new Map<string, string>();
    fifo = createMemoryMessageQueue({
      fifo: true,
      visibilityTimeoutSeconds: 60,
      maxReceiveCount: 9,
      clock: () => now,
      createMessageId: () => {
        ids += 1;
        return `m${ids}`;
      },
    });
    logged = {
      ...fifo,
      receive: async (...given) => {
        const messages = await fifo.receive(...given);
        for (const { receiptHandle, body } of messages) bodies.set(receiptHandle, body);
        return messages;
      },
      delete: async (handles) => {
        log.push(`delete ${handles.map((handle) => bodies.get(handle)).join(' ')}`);
        await fifo.delete(handles);
      },
    };
  });

  /** Fails the messages in `fails`. Does not answer if there is one of `ends`. */
  const handler: SqsHandler = async ({ Records }) => {
    const bodies = Records.map(({ body }) => body);
    log.push(`invoke ${bodies.join(' ')}`);
    if (bodies.some((body) => ends.has(body))) throw new Error('its thread has ended');
    const failed = Records.filter(({ body }) => fails.has(body));
    return {
      batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })),
    };
  };

  /** Of messages whose first character is their group, the last character of their group's name is their tenant. */
  function options(handle: SqsHandler = handler, known: readonly string[] = []) {
    return {
      name: 'queue',
      queue: logged,
      handler: handle,
      retrySeconds: exponentialRetry,
      suspects: {
        groups: async () => new Set(known),
        tenantOf: ({ group = '' }: ReceivedMessage) => group.slice(-1),
        visibilitySeconds: 60,
        clock: () => now,
      },
      onError: (error: unknown) => void errors.push(error),
    };
  }

  /** One poll, and the trials that follow. */
  async function poll(known: readonly string[] = [], handle = handler): Promise<boolean> {
    const given = options(handle, known);
    const trials = trialsOf(given);
    const hasPolled = await pollOnce(given, 0, { trials });
    await trials?.settled();
    return hasPolled;
  }

  function send(...bodies: readonly string[]): Promise<void> {
    return fifo.send(bodies.map((body) => ({ body, group: body.slice(0, 1) })));
  }

  /** Messages of these groups that have been received once. */
  async function sendSuspects(...bodies: readonly string[]): Promise<void> {
    await fifo.send(bodies.map((body) => ({ body, group: body })));
    for (let left = bodies.length; left > 0; ) {
      const received = await fifo.receive({ max: 10, waitSeconds: 0 });
      await fifo.changeVisibility(
        received.map(({ receiptHandle }) => receiptHandle),
        1,
      );
      left -= received.length;
    }
    now += 1_000;
  }

  it('gives suspects to invocations of their own', async () => {
    await send('a', 'b');
    ends = new Set(['a']);
    await poll();
    expect(log).toEqual(['invoke a b']);
    log = [];
    now = 1_000;
    await send('c', 'd');
    ends = new Set();
    await poll();
    expect(log.filter((line) => line.startsWith('invoke')).sort()).toEqual([
      'invoke a',
      'invoke b',
      'invoke c d',
    ]);
    expect(await fifo.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('keeps the order of a group: a first message goes with a suspect of its group', async () => {
    await send('a1');
    fails = new Set(['a1']);
    await poll();
    log = [];
    now = 1_000;
    fails = new Set();
    await send('a2', 'b1');
    await poll();
    expect(log.filter((line) => line.startsWith('invoke')).sort()).toEqual([
      'invoke a1 a2',
      'invoke b1',
    ]);
  });

  it('gives a group that is known to be suspect to an invocation of its own, even the first time', async () => {
    await send('a', 'c');
    await poll(['a', 'c']);
    expect(log).toEqual(['invoke a', 'delete a', 'invoke c', 'delete c']);
  });

  it('begins with the suspect that was received least often, and ends with those that are known', async () => {
    await sendSuspects('xa', 'ya', 'za');
    fails = new Set(['xa']);
    const [x] = await fifo.receive({ max: 1, waitSeconds: 0 });
    expect(x?.body).toBe('xa');
    await fifo.changeVisibility([String(x?.receiptHandle)], 0);
    fails = new Set();
    await poll(['ya']);
    expect(log).toEqual([
      'invoke za',
      'delete za',
      'invoke xa',
      'delete xa',
      'invoke ya',
      'delete ya',
    ]);
  });

  it('never tries two at a time, however many polls receive suspects, and goes on with the others meanwhile', async () => {
    await sendSuspects(...Array.from({ length: 25 }, (_, index) => `${index}-a`));
    let [trials, most, tried] = [0, 0, 0];
    let end: () => void = () => undefined;
    const endless: SqsHandler = async ({ Records }) => {
      if (!Records.some(({ body }) => body.endsWith('-a'))) return handler({ Records }, context);
      trials += 1;
      tried += 1;
      most = Math.max(most, trials);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      trials -= 1;
      throw new Error('its thread was ended');
    };
    const context = localContext('queue', 'request');
    const given = options(endless);
    const ours = trialsOf(given);
    for (let polls = 0; polls < 3; polls += 1)
      expect(await pollOnce(given, 0, { trials: ours })).toBe(true);
    await send('b');
    await pollOnce(given, 0, { trials: ours });
    expect(log).toEqual(['invoke b', 'delete b']);
    for (; tried < 10 || trials > 0; end()) await new Promise((resolve) => setImmediate(resolve));
    expect(most).toBe(1);
  });

  it('lets the suspects of tenants take turns', async () => {
    await sendSuspects('1a', '2a', '3a', '4b', '5c', '6c');
    await poll();
    const tried = log.filter((line) => line.startsWith('invoke'));
    expect(tried.map((line) => line.slice(-2))).toEqual(['1a', '4b', '5c', '2a', '6c', '3a']);
  });

  it('keeps a hundred suspects, and gives back those of the tenant with the most, as if they had not been received', async () => {
    const many = Array.from({ length: 110 }, (_, index) => `${100 + index}a`);
    await sendSuspects(...many.slice(0, 100));
    let end: () => void = () => undefined;
    const first = new Promise<void>((resolve) => {
      end = resolve;
    });
    const slow: SqsHandler = async (event, context) => {
      await first;
      return handler(event, context);
    };
    const given = options(slow);
    const trials = trialsOf(given);
    while (await pollOnce(given, 0, { trials }));
    await sendSuspects(...many.slice(100), 'b', 'c');
    while (await pollOnce(given, 0, { trials }));
    end();
    await trials?.settled();
    const tried = log.filter((line) => line.startsWith('invoke')).map((line) => line.slice(7));
    // One is being tried, for a second, and a hundred wait.
    expect(tried).toHaveLength(101);
    expect(tried.slice(0, 4)).toEqual(['100a', 'b', 'c', '101a']);
    now += 999;
    expect(await receivable(fifo)).toEqual([]);
    now += 1;
    const back = [...(await fifo.receive({ max: 10, waitSeconds: 0 }))];
    back.push(...(await fifo.receive({ max: 10, waitSeconds: 0 })));
    expect(back).toHaveLength(11);
    expect(back.map(({ receiveCount }) => receiveCount)).toEqual(back.map(() => 2));
  });

  it('goes on with the next suspect after one that ends its invocation', async () => {
    await sendSuspects('a', 'b', 'c');
    ends = new Set(['b']);
    await poll();
    expect(log).toEqual(['invoke a', 'delete a', 'invoke b', 'invoke c', 'delete c']);
    now += 2_000;
    ends = new Set();
    await poll();
    expect(log.slice(-2)).toEqual(['invoke b', 'delete b']);
  });

  it('keeps suspects invisible while those before them are tried', async () => {
    await sendSuspects('a', 'b', 'c');
    const slow: SqsHandler = async (event, context) => {
      now += 50_000;
      expect(await fifo.receive({ max: 10, waitSeconds: 0 })).toEqual([]);
      return handler(event, context);
    };
    await poll([], slow);
    expect(errors).toEqual([]);
    expect(log).toEqual(['invoke a', 'delete a', 'invoke b', 'delete b', 'invoke c', 'delete c']);
  });

  it('does not hide waiting suspects again while enough of their time is left', async () => {
    await sendSuspects('a', 'b', 'c');
    const calls: number[] = [];
    logged = {
      ...logged,
      changeVisibility: async (handles, seconds) => {
        calls.push(handles.length);
        await fifo.changeVisibility(handles, seconds);
      },
    };
    const waits = [14_999, 1, 0];
    const timed: SqsHandler = async (event, context) => {
      now += waits.shift() ?? 0;
      return handler(event, context);
    };
    await poll([], timed);
    expect(log).toEqual(['invoke a', 'delete a', 'invoke b', 'delete b', 'invoke c', 'delete c']);
    // The first one, the two that wait, and later each before its trial.
    expect(calls).toEqual([3, 2, 1, 1]);
  });

  it('tells of a queue that fails before a trial, and tries the next suspect', async () => {
    await sendSuspects('a', 'b');
    const down = new QueueUnavailableError('changeVisibility');
    let calls = 0;
    logged = {
      ...logged,
      changeVisibility: async (...given) => {
        calls += 1;
        if (calls === 1) throw down;
        await fifo.changeVisibility(...given);
      },
    };
    await poll();
    expect(errors).toEqual([down]);
    expect(log).toEqual(['invoke b', 'delete b']);
  });

  it('handles the others if the queue fails when it takes suspects', async () => {
    await sendSuspects('a', 'c');
    await send('b');
    const down = new QueueUnavailableError('changeVisibility');
    let calls = 0;
    logged = {
      ...logged,
      changeVisibility: async (...given) => {
        calls += 1;
        if (calls === 2) throw down;
        await fifo.changeVisibility(...given);
      },
    };
    await poll();
    expect(errors).toEqual([down]);
    expect(log.filter((line) => line.startsWith('delete')).sort()).toEqual([
      'delete a',
      'delete b',
      'delete c',
    ]);
  });

  it('returns the suspect whose trial is about to begin when it is stopped', async () => {
    await sendSuspects('a');
    const hidden = Promise.withResolvers<void>();
    logged = {
      ...logged,
      changeVisibility: async (...given) => {
        await hidden.promise;
        await fifo.changeVisibility(...given);
      },
    };
    const given = options();
    const trials = trialsOf(given);
    await pollOnce(given, 0, { trials });
    const stopping = trials?.stop();
    hidden.resolve();
    await stopping;
    expect([log, errors]).toEqual([[], []]);
    expect(await fifo.receive({ max: 10, waitSeconds: 0 })).toMatchObject([
      { body: 'a', receiveCount: 2 },
    ]);
  });

  it('receives nothing if the suspects are not known', async () => {
    await send('a');
    const failure = new Error('the store is down');
    const given = options();
    const suspects = { ...given.suspects, groups: () => Promise.reject(failure) };
    const polled = pollOnce(given, 0, { trials: trialsOf({ ...given, suspects }) });
    await expect(polled).rejects.toBe(failure);
    expect(await fifo.counts()).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
  });
});

describe('sqsEvent', () => {
  const message: ReceivedMessage = {
    messageId: 'm1',
    receiptHandle: 'r1',
    body: 'text',
    senderId: 'sender',
    receiveCount: 2,
    sentAt: 5,
  };

  it('has what Lambda gives of a message', () => {
    expect(sqsEvent('queue', [message]).Records[0]).toMatchObject({
      messageId: 'm1',
      receiptHandle: 'r1',
      body: 'text',
      attributes: { ApproximateReceiveCount: '2', SentTimestamp: '5', SenderId: 'sender' },
      eventSourceARN: 'arn:aws:sqs:local:000000000000:queue',
    });
  });

  it('names group and deduplication of a FIFO message alone', () => {
    const fifo = { ...message, group: 'g', deduplicationId: 'd' };
    const [first, second] = sqsEvent('queue', [fifo, message]).Records;
    expect(first?.attributes).toMatchObject({ MessageGroupId: 'g', MessageDeduplicationId: 'd' });
    expect(second?.attributes).not.toHaveProperty('MessageGroupId');
    expect(second?.attributes).not.toHaveProperty('MessageDeduplicationId');
  });
});

describe('startPoller', () => {
  /** A queue that gives what a test offers, and waits until it does. */
  function offeringQueue() {
    const waiting: ((messages: readonly ReceivedMessage[]) => void)[] = [];
    const failures: Error[] = [];
    const offered: MessageQueue = {
      ...queue,
      receive: (_options, signal) => {
        const failure = failures.shift();
        if (failure !== undefined) return Promise.reject(failure);
        return new Promise((resolve) => {
          waiting.push(resolve);
          signal?.addEventListener('abort', () => resolve([]), { once: true });
        });
      },
    };
    return { offered, waiting, failures };
  }

  function start(offered: MessageQueue, handler: SqsHandler, time = new VirtualTime()) {
    const poller = startPoller({
      name: 'queue',
      queue: offered,
      handler,
      concurrency: 2,
      retrySeconds: exponentialRetry,
      onError: (error) => void errors.push(error),
      sleep: time.sleep,
    });
    return { poller, time };
  }

  it('polls as many times at once as it is told', async () => {
    const { offered, waiting } = offeringQueue();
    const { poller, time } = start(offered, failing());
    await time.settle();
    expect(waiting).toHaveLength(2);
    await poller.stop();
    expect(errors).toEqual([]);
  });

  it('tells of a queue that does not answer, and asks again after a pause', async () => {
    const { offered, waiting, failures } = offeringQueue();
    const down = new QueueUnavailableError('receive');
    failures.push(down);
    const { poller, time } = start(offered, failing());
    await time.advance(199);
    expect([errors, waiting.length]).toEqual([[down], 1]);
    await time.advance(1);
    expect(waiting).toHaveLength(2);
    await poller.stop();
  });

  it('lets running invocations finish when it is stopped', async () => {
    const { offered, waiting } = offeringQueue();
    let finish: () => void = () => undefined;
    const handler: SqsHandler = async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return { batchItemFailures: [] };
    };
    await queue.send([{ body: 'a' }]);
    const { poller, time } = start(offered, handler);
    await time.settle();
    waiting[0]?.(await queue.receive({ max: 10, waitSeconds: 0 }));
    await time.settle();
    let stopped = false;
    const stopping = poller.stop().then(() => {
      stopped = true;
    });
    await time.settle();
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
  });

  it('lets the present trial finish when it is stopped, and begins no other', async () => {
    await queue.send([{ body: 'a' }, { body: 'b' }]);
    const received = await queue.receive({ max: 10, waitSeconds: 0 });
    const { offered, waiting } = offeringQueue();
    let finish: () => void = () => undefined;
    const tried: string[] = [];
    const time = new VirtualTime();
    const poller = startPoller({
      name: 'queue',
      queue: offered,
      handler: async ({ Records }) => {
        tried.push(...Records.map(({ body }) => body));
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return { batchItemFailures: [] };
      },
      concurrency: 1,
      retrySeconds: exponentialRetry,
      suspects: {
        groups: async () => new Set(['a', 'b']),
        tenantOf: () => '',
        visibilitySeconds: 60,
        clock: () => now,
      },
      onError: (error) => void errors.push(error),
      sleep: time.sleep,
    });
    await time.settle();
    waiting[0]?.(received.map((message) => ({ ...message, group: message.body })));
    await time.settle();
    let stopped = false;
    const stopping = poller.stop().then(() => {
      stopped = true;
    });
    await time.settle();
    expect([tried, stopped]).toEqual([['a'], false]);
    expect(await receivable()).toEqual(['b']);
    finish();
    await stopping;
    expect([tried, errors]).toEqual([['a'], []]);
    expect(await queue.counts()).toEqual({ visible: 0, inFlight: 1, delayed: 0 });
  });

  it('returns suspects that arrive while it stops, as if they had not been received', async () => {
    await queue.send([{ body: 'a' }]);
    const received = await queue.receive({ max: 10, waitSeconds: 0 });
    let arrive: (messages: readonly ReceivedMessage[]) => void = () => undefined;
    // The receive does not notice that it was stopped.
    const late: MessageQueue = {
      ...queue,
      receive: () =>
        new Promise((resolve) => {
          arrive = resolve;
        }),
    };
    const time = new VirtualTime();
    const poller = startPoller({
      name: 'queue',
      queue: late,
      handler: async () => {
        throw new Error('invoked');
      },
      concurrency: 1,
      retrySeconds: exponentialRetry,
      suspects: {
        groups: async () => new Set(['a']),
        tenantOf: () => '',
        visibilitySeconds: 60,
        clock: () => now,
      },
      onError: (error) => void errors.push(error),
      sleep: time.sleep,
    });
    await time.settle();
    const stopping = poller.stop();
    await time.settle();
    arrive(received.map((message) => ({ ...message, group: 'a' })));
    await stopping;
    expect(errors).toEqual([]);
    expect(await queue.receive({ max: 10, waitSeconds: 0 })).toMatchObject([{ receiveCount: 1 }]);
  });

  it('ends at once, without an error, when a receive breaks off because it was stopped', async () => {
    const breaking: MessageQueue = {
      ...queue,
      receive: (_options, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        }),
    };
    const { poller, time } = start(breaking, failing());
    await time.settle();
    await poller.stop();
    expect(errors).toEqual([]);
  });
});
