import { beforeEach, describe, expect, it } from 'vitest';
import { pollOnce, sqsEvent, startPoller } from '#local/stack/poller.ts';
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

async function receivable(): Promise<readonly string[]> {
  return (await queue.receive({ max: 10, waitSeconds: 0 })).map(({ body }) => body);
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
  let logged: MessageQueue;
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

  function poll(known: readonly string[] = []): Promise<boolean> {
    return pollOnce(
      {
        name: 'queue',
        queue: logged,
        handler,
        retrySeconds: exponentialRetry,
        suspects: { groups: async () => new Set(known), visibilitySeconds: 60 },
        onError: (error) => void errors.push(error),
      },
      0,
    );
  }

  function send(...bodies: readonly string[]): Promise<void> {
    return fifo.send(bodies.map((body) => ({ body, group: body.slice(0, 1) })));
  }

  it('gives suspects to invocations of their own, after the others were handled and deleted', async () => {
    await send('a', 'b');
    ends = new Set(['a']);
    await poll();
    expect(log).toEqual(['invoke a b']);
    log = [];
    now = 1_000;
    await send('c', 'd');
    ends = new Set();
    await poll();
    expect(log).toEqual([
      'invoke c d',
      'delete c d',
      'invoke a',
      'delete a',
      'invoke b',
      'delete b',
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
    expect(log).toEqual(['invoke b1', 'delete b1', 'invoke a1 a2', 'delete a1 a2']);
  });

  it('gives a group that is known to be suspect to an invocation of its own, even the first time', async () => {
    await send('a', 'b', 'c');
    await poll(['a', 'c']);
    expect(log).toEqual(['invoke b', 'delete b', 'invoke a', 'delete a', 'invoke c', 'delete c']);
  });

  it('begins with the suspect that was received least often', async () => {
    await send('a');
    fails = new Set(['a', 'b']);
    await poll();
    now = 1_000;
    await poll();
    await send('b');
    await poll();
    now = 3_000;
    log = [];
    fails = new Set();
    await poll();
    expect(log).toEqual(['invoke b', 'delete b', 'invoke a', 'delete a']);
  });

  it('receives again after a suspect that ends its invocation: those after it are tried later', async () => {
    await send('a', 'b', 'c');
    fails = new Set(['a', 'b', 'c']);
    await poll();
    log = [];
    now = 1_000;
    fails = new Set();
    ends = new Set(['b']);
    await poll();
    expect(log).toEqual(['invoke a', 'delete a', 'invoke b']);
    log = [];
    now = 2_999;
    await send('d');
    await poll();
    expect(log).toEqual(['invoke d', 'delete d']);
    log = [];
    now = 3_000;
    ends = new Set();
    await poll();
    expect(log).toEqual(['invoke b', 'delete b', 'invoke c', 'delete c']);
  });

  it('keeps suspects invisible while those before them are handled', async () => {
    await send('a');
    fails = new Set(['a']);
    await poll();
    now = 1_000;
    fails = new Set();
    await send('b');
    const slow: SqsHandler = async (event, context) => {
      now += 50_000;
      const others = await fifo.receive({ max: 10, waitSeconds: 0 });
      expect(others).toEqual([]);
      return handler(event, context);
    };
    const suspects = { groups: async () => new Set<string>(), visibilitySeconds: 60 };
    const onError = (error: unknown) => void errors.push(error);
    await pollOnce(
      {
        name: 'queue',
        queue: logged,
        handler: slow,
        retrySeconds: exponentialRetry,
        suspects,
        onError,
      },
      0,
    );
    expect(errors).toEqual([]);
    expect(log.slice(-4)).toEqual(['invoke b', 'delete b', 'invoke a', 'delete a']);
  });

  it('receives nothing if the suspects are not known', async () => {
    await send('a');
    const failure = new Error('the store is down');
    const rules = { groups: () => Promise.reject(failure), visibilitySeconds: 60 };
    const options = { name: 'queue', queue: logged, handler, retrySeconds: exponentialRetry };
    const polled = pollOnce({ ...options, suspects: rules, onError: () => undefined }, 0);
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
