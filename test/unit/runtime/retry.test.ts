import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { AWAITING_TIMEOUT, exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

function eventOf(receiveCounts: Readonly<Record<string, number>>): SQSEvent {
  return sqsEvent(
    'events',
    Object.entries(receiveCounts).map(([messageId, receiveCount]) => ({
      messageId,
      receiptHandle: `receipt of ${messageId}`,
      body: '[]',
      senderId: 'local',
      receiveCount,
      sentAt: 0,
    })),
  );
}

function failing(...ids: readonly string[]): SQSBatchResponse {
  return { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** What is asked of a queue. */
function recordedQueue() {
  const changes: { handles: readonly string[]; seconds: number }[] = [];
  return {
    changes,
    queue: {
      async changeVisibility(handles: readonly string[], seconds: number) {
        changes.push({ handles, seconds });
      },
    },
  };
}

const CONTEXT = localContext('record-events', 'request-1');

describe('exponentialRetry', () => {
  it.each([
    [1, 1],
    [2, 2],
    [6, 32],
    [7, 60],
    [100, 60],
  ])('has a message that was received %i times wait for %i s', (receiveCount, seconds) => {
    expect(exponentialRetry(receiveCount)).toBe(seconds);
  });
});

describe('withRetry', () => {
  it('makes what failed visible again, each by how often it was received, and touches nothing else', async () => {
    const { queue, changes } = recordedQueue();
    const telemetry = createMemoryTelemetry();
    const handler = withRetry(async () => failing('a', 'c', 'd'), {
      queue,
      telemetry,
      seconds: exponentialRetry,
    });
    const response = await handler(eventOf({ a: 1, b: 1, c: 3, d: 1 }), CONTEXT);
    expect(response).toEqual(failing('a', 'c', 'd'));
    expect(changes).toEqual([
      { handles: ['receipt of a', 'receipt of d'], seconds: 1 },
      { handles: ['receipt of c'], seconds: 4 },
    ]);
  });

  it('asks nothing of the queue when all was handled', async () => {
    const { queue, changes } = recordedQueue();
    const telemetry = createMemoryTelemetry();
    await withRetry(async () => failing(), { queue, telemetry, seconds: exponentialRetry })(
      eventOf({ a: 1 }),
      CONTEXT,
    );
    expect(changes).toEqual([]);
  });

  it('takes the whole batch for failed when the function throws, and throws on', async () => {
    const { queue, changes } = recordedQueue();
    const telemetry = createMemoryTelemetry();
    const handler = withRetry(() => Promise.reject(new Error('out of memory')), {
      queue,
      telemetry,
      seconds: exponentialRetry,
    });
    await expect(handler(eventOf({ a: 2, b: 2 }), CONTEXT)).rejects.toThrow('out of memory');
    expect(changes).toEqual([{ handles: ['receipt of a', 'receipt of b'], seconds: 2 }]);
  });

  it('leaves them to their visibility timeout, and reports it, when the queue does not answer', async () => {
    const telemetry = createMemoryTelemetry();
    const queue = { changeVisibility: () => Promise.reject(new Error('no answer')) };
    const handler = withRetry(async () => failing('a'), {
      queue,
      telemetry,
      seconds: exponentialRetry,
    });
    expect(await handler(eventOf({ a: 1 }), CONTEXT)).toEqual(failing('a'));
    expect(telemetry.lines).toEqual([
      {
        level: 'warn',
        message: AWAITING_TIMEOUT,
        fields: { messageIds: ['a'], reason: 'Error: no answer' },
      },
    ]);
  });
});
