import { describe, expect, it } from 'vitest';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import {
  ApiUnavailableError,
  EndsProcessError,
  ItemTooLargeError,
  StoreUnavailableError,
} from '#shared/errors.ts';
import { encodeHint, parseHint } from '#shared/messages/dirty.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import { createSqsHandler, withMiddleware } from '#shared/runtime/batch.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
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
      fieldsOf: ({ group }) => ({ workload: `wds1/${group}` }),
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

  it('fails a group that is not done when the function has to answer, and not those that are', async () => {
    const output = createObservedOutput();
    const handler = createSqsHandler(
      {
        parse: (body) => body,
        groupOf: (body) => body,
        fieldsOf: (body) => ({ workload: body }),
        handle: (bodies) => (bodies.includes('hangs') ? new Promise(() => {}) : Promise.resolve()),
      },
      output.observability,
    );
    const messages = ['hangs', 'works'].map((body, index) => received(`m${index}`, body));
    // As if the invocation had just enough time left to answer.
    const context = { ...CONTEXT, getRemainingTimeInMillis: () => 5_001 };
    const { batchItemFailures } = await handler(sqsEvent('queue', messages), context);
    expect(batchItemFailures).toEqual([{ itemIdentifier: 'm0' }]);
    const [line] = output.lines();
    expect(line).toMatchObject({ code: 'deadline', retryable: true, messageIds: ['m0'] });
    expect(line).toMatchObject({ level: 'ERROR', workload: 'hangs' });
  });

  it('tells which groups it has not tried, and reports only the others', async () => {
    const output = createObservedOutput();
    const handler = createSqsHandler(
      {
        parse: (body) => body,
        groupOf: (body) => body,
        fieldsOf: (body) => ({ workload: body }),
        handle: (bodies) => Promise.reject(new Error(bodies[0])),
        untried: (error) => (String(error).includes('held') ? 20 : undefined),
      },
      output.observability,
    );
    const messages = ['held', 'fails'].map((body, index) => received(`m${index}`, body));
    expect(await handler(sqsEvent('queue', messages), CONTEXT)).toEqual({
      batchItemFailures: [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm1' }],
      untried: [{ itemIdentifier: 'm0', seconds: 20 }],
    });
    expect(output.lines().filter(({ level }) => level === 'ERROR')).toMatchObject([
      { messageIds: ['m1'] },
    ]);
  });

  it('names the groups that may end the process, if its poller wants to know', async () => {
    const output = createObservedOutput();
    const handler = createSqsHandler(
      {
        parse: (body) => body,
        groupOf: (body) => body,
        fieldsOf: (body) => ({ workload: body }),
        handle: ([body = '']) => {
          if (body === 'hangs') return new Promise(() => {});
          return Promise.reject(body === 'ends' ? new EndsProcessError(body) : new Error(body));
        },
        namesSuspects: true,
      },
      output.observability,
    );
    const messages = ['fails', 'ends', 'hangs'].map((body, index) => received(`m${index}`, body));
    const context = { ...CONTEXT, getRemainingTimeInMillis: () => 5_001 };
    expect(await handler(sqsEvent('queue', messages), context)).toEqual({
      batchItemFailures: ['m0', 'm1', 'm2'].map((itemIdentifier) => ({ itemIdentifier })),
      suspects: ['m1', 'm2'],
    });
  });

  it('fails a group whole; the others continue', async () => {
    const { run, handled } = handlerWith(new Error('no'));
    expect(await run('a:1', 'b:1', 'a:fail', 'a:3')).toEqual(['m0', 'm2', 'm3']);
    expect(handled).toEqual([['b:1']]);
  });

  it('fails every message of a FIFO queue that comes after a failed one of its message group', async () => {
    const output = createObservedOutput();
    const handler = createSqsHandler(
      {
        parse: parseHint,
        groupOf: ({ subject }) => subjectPartition(subject),
        fieldsOf: ({ subject }) => subjectFields(subject),
        handle: async (hints) => {
          if (hints.some(({ objects }) => objects.length > 0)) throw new Error('no');
        },
      },
      output.observability,
    );
    const failing = [{ namespace: 'shop', name: 'fails' }];
    const messages = ['a', 'b', 'a', 'c', 'b', 'a'].map((name, position) => {
      const subject: Subject = { type: 'binding', wds: 'wds1', name };
      const objects = position === 2 || position === 4 ? failing : [];
      const { body, group = '' } = encodeHint({ subject, objects }, String(position));
      return { ...received(`m${position}`, body), group };
    });
    const { batchItemFailures } = await handler(sqsEvent('hints', messages), CONTEXT);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const failedGroups = new Set([messages[2]?.group, messages[4]?.group]);
    expect(failedGroups.size).toBe(2);
    expect(failed).toEqual(
      new Set(messages.filter(({ group }) => failedGroups.has(group)).map((one) => one.messageId)),
    );
  });

  it('fails a malformed body alone', async () => {
    const { run, handled } = handlerWith(new Error('no'));
    expect(await run('a:1', 'malformed', 'a:2')).toEqual(['m1']);
    expect(handled).toEqual([['a:1', 'a:2']]);
  });

  it('writes nothing when there is nothing to report', async () => {
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
      workload: 'wds1/a',
      messageIds: ['m0', 'm1'],
      function_request_id: 'request-1',
      ...logged,
    });
    expect(metrics).toMatchObject({ [metric]: 1, service: 'test' });
    expect(more).toEqual([]);
  });
});

describe('the log line of a failure', () => {
  it('has the message of the error and of what caused it', async () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.1:6443');
    const { run, output } = handlerWith(new ApiUnavailableError('GET', 'no answer', { cause }));
    await run('a:fail');
    expect(output.lines()[0]).toMatchObject({
      error: {
        name: 'ApiUnavailableError',
        message: 'API server unavailable: GET: no answer',
        cause: { message: 'connect ECONNREFUSED 10.0.0.1:6443' },
      },
    });
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
