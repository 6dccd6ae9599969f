import { describe, expect, it } from 'vitest';
import { createSqsHandler, withMiddleware } from '#functions/sqs/batch.ts';
import { localContext, sqsEvent } from '#infra/local/poller.ts';
import { ItemTooLargeError, StoreUnavailableError } from '#shared/errors.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import { createObservedOutput } from './observed-output.ts';

const CONTEXT = localContext('test', 'request-1');

function received(messageId: string, body: string): ReceivedMessage {
  return { messageId, receiptHandle: messageId, body, senderId: 's', receiveCount: 1, sentAt: 0 };
}

/** Messages are `<group>:<text>`; a text of `fail` makes its group fail. */
function handlerWith(error: unknown) {
  const output = createObservedOutput();
  const handled: string[][] = [];
  const handler = createSqsHandler(
    {
      parse: (body) => {
        const [group, text, ...rest] = body.split(':');
        if (group === undefined || text === undefined || rest.length > 0)
          throw new Error(`malformed: ${body}`);
        return { group, text };
      },
      groupOf: ({ group }) => group,
      handle: async (messages) => {
        if (messages.some(({ text }) => text === 'fail')) throw error;
        handled.push(messages.map(({ group, text }) => `${group}:${text}`));
      },
    },
    output.observability,
  );
  const run = async (...bodies: readonly string[]): Promise<readonly string[]> => {
    const messages = bodies.map((body, index) => received(`m${index}`, body));
    const { batchItemFailures } = await handler(sqsEvent('queue', messages), CONTEXT);
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { run, handled, output };
}

describe('the handler of a queue', () => {
  it('handles the messages of a group together, in order, and groups apart', async () => {
    const { run, handled } = handlerWith(new Error());
    expect(await run('a:1', 'b:1', 'a:2')).toEqual([]);
    expect(handled).toEqual([['a:1', 'a:2'], ['b:1']]);
  });

  it('fails a group whole; the others go on', async () => {
    const { run, handled } = handlerWith(new Error('no'));
    expect(await run('a:1', 'b:1', 'a:fail', 'a:3')).toEqual(['m0', 'm2', 'm3']);
    expect(handled).toEqual([['b:1']]);
  });

  it('fails a malformed body alone', async () => {
    const { run, handled } = handlerWith(new Error('no'));
    expect(await run('a:1', 'malformed', 'a:2')).toEqual(['m1']);
    expect(handled).toEqual([['a:1', 'a:2']]);
  });

  it('writes nothing when there is nothing to tell', async () => {
    const { run, output } = handlerWith(new Error('no'));
    await run('a:1');
    expect(output.lines()).toEqual([]);
  });

  it.each<[string, unknown, object, string]>([
    [
      'a failure that may pass',
      new StoreUnavailableError('get'),
      { code: 'store-unavailable', retryable: true },
      'RetryableFailures',
    ],
    [
      'a failure for good',
      new ItemTooLargeError('p', 's', 1),
      { code: 'item-too-large', retryable: false },
      'TerminalFailures',
    ],
    [
      'an unexpected error',
      new TypeError('oops'),
      { code: 'unexpected', retryable: true },
      'RetryableFailures',
    ],
    [
      'something thrown that is no error',
      'oops',
      { code: 'unexpected', retryable: true },
      'RetryableFailures',
    ],
  ])('logs and counts %s', async (...[, error, logged, metric]) => {
    const { run, output } = handlerWith(error);
    await run('a:1', 'a:fail', 'b:1');
    const [log, metrics, ...more] = output.lines();
    expect(log).toMatchObject({
      level: 'ERROR',
      group: 'a',
      messageIds: ['m0', 'm1'],
      function_request_id: 'request-1',
      ...logged,
    });
    expect(metrics).toMatchObject({ [metric]: 1, service: 'test' });
    expect(more).toEqual([]);
  });
});

describe('the middleware', () => {
  it('publishes metrics also when the function throws', async () => {
    const { observability, lines } = createObservedOutput();
    const handler = withMiddleware(async () => {
      observability.metrics.addMetric('Attempts', 'Count', 1);
      throw new Error('down');
    }, observability);
    await expect(handler(sqsEvent('queue', []), CONTEXT)).rejects.toThrow('down');
    expect(lines()).toMatchObject([{ Attempts: 1 }]);
  });
});
