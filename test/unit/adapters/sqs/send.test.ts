import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import {
  MessageRefusedError,
  MessageTooLargeError,
  QueueUnavailableError,
} from '#shared/errors.ts';
import {
  MAX_MESSAGE_BYTES,
  type MessageQueue,
  type OutgoingMessage,
} from '#shared/ports/message-queue.ts';
import { failingBodies, failingEntries, firstCalls, serveQueues } from './served-queue.ts';

const served = serveQueues();
const ALL = { max: 10, waitSeconds: 0 };

/** The bodies of each request, in the order of arrival. */
function requests(): readonly (readonly (string | undefined)[])[] {
  return served
    .server()
    .calls.filter(({ operation }) => operation === 'SendMessageBatch')
    .map(({ input }) => (input.Entries ?? []).map(({ MessageBody }) => MessageBody));
}

/** How many messages each request has, the most first: batches may arrive in any order. */
function sizes(): readonly number[] {
  return requests()
    .map((bodies) => bodies.length)
    .toSorted((a, b) => b - a);
}

async function drain(queue: MessageQueue): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (;;) {
    const messages = await queue.receive(ALL);
    if (messages.length === 0) return bodies;
    bodies.push(...messages.map(({ body }) => body));
    await queue.delete(messages.map(({ receiptHandle }) => receiptHandle));
  }
}

describe('batches', () => {
  it('have at most 10 messages', async () => {
    const { queue } = await served.make('standard');
    await queue.send(Array.from({ length: 23 }, (_none, index) => ({ body: String(index) })));
    expect(sizes()).toEqual([10, 10, 3]);
  });

  it.each([
    ['just fit', MAX_MESSAGE_BYTES / 2, [2, 1]],
    ['are one byte too many', MAX_MESSAGE_BYTES / 2 + 1, [1, 1, 1]],
  ])('are split if two messages %s for 1 MiB', async (_what, bytes, expected) => {
    const { queue } = await served.make('standard');
    const body = 'x'.repeat(bytes);
    await queue.send([{ body }, { body }, { body }]);
    expect(sizes()).toEqual(expected);
  });

  it('count bytes of UTF-8, not characters', async () => {
    const { queue } = await served.make('standard');
    const body = 'ü'.repeat(MAX_MESSAGE_BYTES / 4 + 1);
    await queue.send([{ body }, { body }]);
    expect(sizes()).toEqual([1, 1]);
  });

  it('never have two messages of a group', async () => {
    const { queue } = await served.make('fifo');
    await queue.send([
      { group: 'a', body: 'a1' },
      { group: 'a', body: 'a2' },
      { group: 'b', body: 'b1' },
      { group: 'a', body: 'a3' },
      { group: 'b', body: 'b2' },
    ]);
    expect(requests()).toEqual([['a1', 'b1'], ['a2', 'b2'], ['a3']]);
  });

  it('are none if a message is too large', async () => {
    const { queue } = await served.make('fifo');
    const large = { group: 'large', body: 'x'.repeat(MAX_MESSAGE_BYTES + 1) };
    await expect(queue.send([{ group: 'a', body: 'fits' }, large])).rejects.toThrow(
      MessageTooLargeError,
    );
    expect(requests()).toEqual([]);
  });
});

describe('an entry that fails', () => {
  it('is sent again, alone, after a wait', async () => {
    const { queue, waits } = await served.make('standard');
    served.server().fault = firstCalls(1, failingBodies('b'));
    await queue.send([{ body: 'a' }, { body: 'b' }, { body: 'c' }]);
    expect(requests()).toEqual([['a', 'b', 'c'], ['b']]);
    expect(waits).toEqual([50]);
    expect((await drain(queue)).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is not overtaken by later messages of its group, while others continue', async () => {
    const { queue } = await served.make('fifo');
    served.server().fault = firstCalls(2, failingBodies('a1'));
    await queue.send(
      ['a1', 'a2', 'b1', 'b2', 'b3'].map((body) => ({ group: body.slice(0, 1), body })),
    );
    expect(requests()).toEqual([['a1', 'b1'], ['a1', 'b2'], ['a1', 'b3'], ['a2']]);
  });

  it('forever is given up after 6 attempts with increasing waits', async () => {
    const { queue, waits } = await served.make('fifo');
    served.server().fault = () => failingBodies('bad');
    const error = await queue
      .send([
        { group: 'a', body: 'bad' },
        { group: 'a', body: 'after' },
      ])
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueueUnavailableError);
    expect(error).toMatchObject({ message: expect.stringMatching(/SendMessageBatch.*Internal/) });
    expect(requests()).toEqual(Array.from({ length: 6 }, () => ['bad']));
    expect(waits).toEqual([50, 100, 200, 400, 800]);
    served.server().fault = () => undefined;
    expect(await drain(queue)).toEqual([]);
  });

  it('by its own fault is not sent again, and is a lasting error with its group', async () => {
    const { queue } = await served.make('fifo');
    served.server().fault = () => failingEntries('InvalidMessageContents', true);
    const error = await queue.send([{ group: 'a', body: 'x' }]).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MessageRefusedError);
    expect(error).toMatchObject({ group: 'a', retryable: false, code: 'message-refused' });
    expect(requests()).toHaveLength(1);
  });

  it('because of throttling is sent again, whosever fault that is', async () => {
    const { queue } = await served.make('standard');
    served.server().fault = firstCalls(1, failingEntries('RequestThrottled', true));
    await queue.send([{ body: 'x' }]);
    expect(requests()).toHaveLength(2);
  });

  it('because of a KMS key is not sent again, and names the remedy', async () => {
    const { queue } = await served.make('standard');
    served.server().fault = () => failingEntries('KMS.DisabledException', true);
    await expect(queue.send([{ body: 'x' }])).rejects.toThrow(
      expect.objectContaining({
        code: 'queue-unavailable',
        message: expect.stringMatching(/KMS\.DisabledException.*kms:GenerateDataKey/),
      }),
    );
    expect(requests()).toHaveLength(1);
  });

  it('without a word is sent again', async () => {
    const { queue } = await served.make('standard');
    served.server().fault = firstCalls(1, { type: 'answer', body: { Successful: [] } });
    await queue.send([{ body: 'x' }]);
    expect(await drain(queue)).toEqual(['x']);
  });

  it('stays unsent when the caller gives up while it waits', async () => {
    const { queue } = await served.make('standard');
    const abort = new AbortController();
    served.server().fault = () => {
      abort.abort();
      return { type: 'answer', body: { Successful: [] } };
    };
    await expect(queue.send([{ body: 'x' }], abort.signal)).rejects.toThrow(QueueUnavailableError);
    expect(requests()).toHaveLength(1);
  });

  it('however often and wherever, leaves each group whole and in order', async () => {
    const message = fc.record({ group: fc.constantFrom('a', 'b', 'c'), chance: fc.nat(4) });
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (plan) => {
        const { queue } = await served.make('fifo');
        const messages = plan.map(({ group }, index) => ({ group, body: `${group}${index}` }));
        const left = new Map(messages.map(({ body }, index) => [body, plan[index]?.chance ?? 0]));
        served.server().fault = ({ operation }) => {
          if (operation !== 'SendMessageBatch') return undefined;
          const failing = [...left].filter(([, count]) => count > 0).map(([body]) => body);
          return {
            type: 'failed-entries',
            failed: ({ MessageBody = '' }) => {
              if (!failing.includes(MessageBody)) return undefined;
              // Asked twice for each entry: whether it is done and whether it has failed.
              left.set(MessageBody, (left.get(MessageBody) ?? 0) - 0.5);
              return { Code: 'InternalError', SenderFault: false };
            },
          };
        };
        await queue.send(messages);
        const received = await drain(queue);
        for (const group of ['a', 'b', 'c'])
          expect(received.filter((body) => body.startsWith(group))).toEqual(
            messages.filter((one) => one.group === group).map(({ body }) => body),
          );
      }),
      { numRuns: 20 },
    );
  });
});

describe('the wait before an entry is sent again', () => {
  const failing = firstCalls(1, failingEntries('InternalError', false));

  it('ends by itself', async () => {
    const { queueUrl } = await served.make('standard');
    const queue = createSqsMessageQueue({ client: served.client(), queueUrl, fifo: false });
    served.server().fault = failing;
    await queue.send([{ body: 'x' }]);
    expect(requests()).toHaveLength(2);
  });

  it('ends when the caller gives up', async () => {
    const { queueUrl } = await served.make('standard');
    const abort = new AbortController();
    const random = (): number => {
      setImmediate(() => abort.abort());
      // Longer than any test.
      return 10_000;
    };
    const queue = createSqsMessageQueue({ client: served.client(), queueUrl, fifo: false, random });
    served.server().fault = () => failingEntries('InternalError', false);
    await expect(queue.send([{ body: 'x' }], abort.signal)).rejects.toThrow(QueueUnavailableError);
    expect(requests()).toHaveLength(1);
  });
});

describe('a lost answer', () => {
  const messages: readonly OutgoingMessage[] = [
    { group: 'a', body: 'same' },
    { group: 'b', body: 'same' },
  ];

  it('leaves no duplicate in a FIFO queue: the SDK sends the same identifiers again', async () => {
    const { queue } = await served.make('fifo', { maxAttempts: 2 });
    served.server().fault = firstCalls(1, { type: 'lost-answer' });
    await queue.send(messages);
    expect(requests()).toHaveLength(2);
    expect(await drain(queue)).toEqual(['same', 'same']);
  });

  it('of the last attempt is an error: nothing is known', async () => {
    const { queue } = await served.make('fifo');
    served.server().fault = () => ({ type: 'lost-answer' });
    await expect(queue.send(messages)).rejects.toThrow(QueueUnavailableError);
  });
});

describe('what SQS is sent', () => {
  it('is an identifier of its own for each message without one', async () => {
    const { queue } = await served.make('fifo');
    const sent = [
      { group: 'a', body: 'x' },
      { group: 'b', body: 'x' },
    ];
    await queue.send(sent);
    await queue.send(sent);
    const ids = served
      .server()
      .calls.flatMap(({ input }) => input.Entries ?? [])
      .map(({ MessageDeduplicationId }) => MessageDeduplicationId);
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/);
  });

  it('is a delay in whole seconds, not shorter than asked for', async () => {
    const { queue } = await served.make('standard');
    await queue.send([{ body: 'x', delaySeconds: 1.2 }]);
    expect(served.server().calls[0]?.input.Entries).toMatchObject([{ DelaySeconds: 2 }]);
  });

  it('is another spelling of JSON with characters that SQS does not take', async () => {
    const { queue } = await served.make('standard');
    const value = { text: 'a\uFFFE\uFFFF\u0001\uD800z' };
    await queue.send([{ body: JSON.stringify(value) }]);
    const [body = ''] = await drain(queue);
    expect(JSON.parse(body)).toEqual(value);
  });

  it('is nothing where such a character stands in another text, which would never be taken', async () => {
    const { queue } = await served.make('fifo');
    const sent = [
      { group: 'a', body: 'fine' },
      { group: 'b', body: 'not JSON \u0007' },
    ];
    await expect(queue.send(sent)).rejects.toThrow(
      expect.objectContaining({ code: 'message-refused', group: 'b', retryable: false }),
    );
    expect(requests()).toEqual([]);
  });

  it.each([
    ['a group with a space', { group: 'a b', body: 'x' }],
    ['a group beyond ASCII', { group: 'ä', body: 'x' }],
    ['a long identifier', { group: 'a', body: 'x', deduplicationId: 'i'.repeat(129) }],
    ['no body', { group: 'a', body: '' }],
  ])('is nothing if there is %s', async (_what, message) => {
    const { queue } = await served.make('fifo');
    await expect(queue.send([message])).rejects.toThrow(RangeError);
    expect(requests()).toEqual([]);
  });
});
