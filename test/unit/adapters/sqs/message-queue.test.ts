import { describe, expect, it } from 'vitest';
import { createSqsMessageQueue, SQS_ACTIONS } from '#shared/adapters/sqs/message-queue.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { failingEntries, firstCalls, serveQueues } from './served-queue.ts';

const served = serveQueues();

function operations(): readonly string[] {
  return served.server().calls.map(({ operation }) => operation);
}

async function sendAndReceive(queue: MessageQueue, count: number): Promise<readonly string[]> {
  await queue.send(Array.from({ length: count }, (_none, index) => ({ body: String(index) })));
  const handles: string[] = [];
  while (handles.length < count) {
    const messages = await queue.receive({ max: 10, waitSeconds: 0 });
    handles.push(...messages.map(({ receiptHandle }) => receiptHandle));
  }
  served.server().calls.length = 0;
  return handles;
}

describe('the actions that a role needs', () => {
  it.each([
    ['send', (queue: MessageQueue) => queue.send([{ body: 'x' }])],
    ['receive', (queue: MessageQueue) => queue.receive({ max: 1, waitSeconds: 0 })],
    ['delete', (queue: MessageQueue) => queue.delete(['some/1'])],
    ['changeVisibility', (queue: MessageQueue) => queue.changeVisibility(['some/1'], 0)],
  ] as const)('for %s are those of the operations that it calls', async (method, call) => {
    const { queue } = await served.make('standard');
    await call(queue);
    // IAM knows no actions of their own for batches.
    const actions = operations().map((operation) => `sqs:${operation.replace(/Batch$/, '')}`);
    expect(actions).toEqual(SQS_ACTIONS[method]);
  });
});

describe('receive', () => {
  it('names the sender of each message as SQS knows it', async () => {
    const { queue, queueUrl } = await served.make('standard');
    const other = createSqsMessageQueue({
      client: served.client(served.server().config('AROAEXAMPLE:edge1')),
      queueUrl,
      fifo: false,
    });
    await other.send([{ body: 'x' }]);
    const [message] = await queue.receive({ max: 1, waitSeconds: 0 });
    expect(message).toMatchObject({ body: 'x', senderId: 'AROAEXAMPLE:edge1', receiveCount: 1 });
  });

  it.each([
    [0, 0],
    [0.5, 1],
    [20, 20],
    [60, 20],
  ])('of %s seconds is a poll of %s', async (waitSeconds, expected) => {
    const { queue } = await served.make('standard');
    served.server().fault = () => ({ type: 'answer', body: {} });
    expect(await queue.receive({ max: 3, waitSeconds })).toEqual([]);
    expect(served.server().calls[0]?.input).toMatchObject({
      MaxNumberOfMessages: 3,
      WaitTimeSeconds: expected,
    });
  });

  it('ends empty when it is aborted while SQS has not answered', async () => {
    const { queue } = await served.make('standard');
    const abort = new AbortController();
    served.server().fault = () => {
      abort.abort();
      return { type: 'no-answer' };
    };
    expect(await queue.receive({ max: 1, waitSeconds: 20 }, abort.signal)).toEqual([]);
  });

  it('asks SQS nothing when it is aborted before', async () => {
    const { queue } = await served.make('standard');
    expect(await queue.receive({ max: 1, waitSeconds: 20 }, AbortSignal.abort())).toEqual([]);
    expect(operations()).toEqual([]);
  });

  it('is an error when a message has been changed on its way', async () => {
    const { queue } = await served.make('standard');
    const message = { MessageId: 'm', ReceiptHandle: 'r', Body: 'x', MD5OfBody: '0' };
    served.server().fault = () => ({ type: 'answer', body: { Messages: [message] } });
    await expect(queue.receive({ max: 1, waitSeconds: 0 })).rejects.toThrow(QueueUnavailableError);
  });

  it('does not take an attribute for known that SQS left out', async () => {
    const { queue } = await served.make('standard');
    const message = { MessageId: 'm', ReceiptHandle: 'r', Body: 'x' };
    const MD5OfBody = '9dd4e461268c8034f5c8564e155c67a6';
    served.server().fault = () => ({
      type: 'answer',
      body: { Messages: [{ ...message, MD5OfBody }] },
    });
    const [received] = await queue.receive({ max: 1, waitSeconds: 0 });
    expect(received).toEqual({
      messageId: 'm',
      receiptHandle: 'r',
      body: 'x',
      senderId: '',
      receiveCount: Number.NaN,
      sentAt: Number.NaN,
    });
  });

  it.each([0, 11, 1.5])('of %s messages is rejected', async (max) => {
    const { queue } = await served.make('standard');
    await expect(queue.receive({ max, waitSeconds: 0 })).rejects.toThrow(RangeError);
  });
});

type Change = (
  queue: MessageQueue,
  handles: readonly string[],
  signal?: AbortSignal,
) => Promise<void>;

const changes: readonly (readonly [string, Change])[] = [
  ['delete', (queue, handles, signal) => queue.delete(handles, signal)],
  ['changeVisibility', (queue, handles, signal) => queue.changeVisibility(handles, 60, signal)],
];

describe.each(changes)('%s', (_method, change) => {
  it('of many receipts is one request for each ten', async () => {
    const { queue } = await served.make('standard');
    await change(queue, await sendAndReceive(queue, 12));
    const sizes = served.server().calls.map(({ input }) => input.Entries?.length);
    // They may arrive in any order.
    expect(new Set(sizes)).toEqual(new Set([10, 2]));
  });

  it.each([
    ['ReceiptHandleIsInvalid', true],
    ['InvalidParameterValue', true],
    ['MessageNotInflight', true],
    ['AWS.SimpleQueueService.MessageNotInflight', true],
  ])('ignores a receipt that SQS calls %s', async (code, senderFault) => {
    const { queue } = await served.make('standard');
    const handles = await sendAndReceive(queue, 1);
    served.server().fault = () => failingEntries(code, senderFault);
    await change(queue, handles);
    expect(operations()).toHaveLength(1);
  });

  it('of what is not a receipt handle is ignored', async () => {
    const { queue } = await served.make('fifo');
    await change(queue, ['no handle', 'gone/1']);
    expect(operations()).toHaveLength(1);
  });

  it('is retried if SQS fails', async () => {
    const { queue, waits } = await served.make('standard');
    const handles = await sendAndReceive(queue, 1);
    served.server().fault = firstCalls(2, failingEntries('InternalError', false));
    await change(queue, handles);
    expect(operations()).toHaveLength(3);
    expect(waits).toEqual([50, 100]);
  });

  it('fails if SQS rejects it, and is not retried', async () => {
    const { queue } = await served.make('standard');
    const handles = await sendAndReceive(queue, 1);
    served.server().fault = () => failingEntries('AccessDenied', true);
    await expect(change(queue, handles)).rejects.toThrow(/AccessDenied.*allow sqs:/);
    expect(operations()).toHaveLength(1);
  });

  it('fails in the end if SQS keeps failing', async () => {
    const { queue } = await served.make('standard');
    const handles = await sendAndReceive(queue, 1);
    served.server().fault = () => failingEntries('InternalError', false);
    await expect(change(queue, handles)).rejects.toThrow(QueueUnavailableError);
    expect(operations()).toHaveLength(6);
  });

  it('does nothing for a caller that has given up', async () => {
    const { queue } = await served.make('standard');
    const work = change(queue, ['some/1'], AbortSignal.abort());
    await expect(work).rejects.toThrow(QueueUnavailableError);
    expect(operations()).toEqual([]);
  });
});

it.each([-1, 43_201, Number.NaN])('rejects a visibility of %s seconds', async (seconds) => {
  const { queue } = await served.make('standard');
  await expect(queue.changeVisibility(['some/1'], seconds)).rejects.toThrow(RangeError);
  expect(operations()).toEqual([]);
});
