import { describe, expect, it } from 'vitest';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import {
  CHECK_CREDENTIALS,
  CHECK_KEY,
  deployQueue,
  RENEW_CREDENTIALS,
} from '#shared/adapters/sqs/messages.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { startSqsServer } from '#test/fakes/sqs-server/server.ts';
import { firstCalls, serveQueues } from './served-queue.ts';

const served = serveQueues();

const METHODS = [
  ['SendMessageBatch', 'send', (queue: MessageQueue) => queue.send([{ body: 'payload' }])],
  ['ReceiveMessage', 'receive', (queue: MessageQueue) => queue.receive({ max: 1, waitSeconds: 0 })],
  ['DeleteMessageBatch', 'delete', (queue: MessageQueue) => queue.delete(['some/1'])],
  [
    'ChangeMessageVisibilityBatch',
    'changeVisibility',
    (queue: MessageQueue) => queue.changeVisibility(['some/1'], 0),
  ],
] as const;

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe.each(METHODS)('%s', (operation, _method, call) => {
  it.each([
    ['RequestThrottled', 400, ''],
    ['ThrottlingException', 400, ''],
    ['InternalError', 500, ''],
    ['ServiceUnavailable', 503, ''],
    ['QueueDoesNotExist', 400, deployQueue('')],
    ['AccessDenied', 403, 'allow sqs:'],
    ['AccessDeniedException', 400, 'allow sqs:'],
    ['ExpiredToken', 403, RENEW_CREDENTIALS],
    ['ExpiredTokenException', 400, RENEW_CREDENTIALS],
    ['InvalidClientTokenId', 403, RENEW_CREDENTIALS],
    ['SignatureDoesNotMatch', 403, CHECK_CREDENTIALS],
    ['KmsDisabled', 400, CHECK_KEY],
    ['KmsAccessDenied', 400, CHECK_KEY],
    ['SomethingNew', 400, ''],
  ])('that ends with %s (%s) can be retried, and says what to do', async (...row) => {
    const [code, status, remedy] = row;
    const { queue, queueUrl } = await served.make('standard');
    served.server().fault = () => ({ type: 'refusal', code, status });
    const error = await errorOf(call(queue));
    expect(error).toBeInstanceOf(QueueUnavailableError);
    expect(error).toMatchObject({
      retryable: true,
      cause: expect.objectContaining({ name: code }),
    });
    const { message } = error as QueueUnavailableError; // Checked above.
    for (const part of [operation, queueUrl.split('/').at(-1), code, remedy])
      expect(message).toContain(part);
    expect(message).not.toContain('payload');
  });

  it('continues if SQS throttles once: the SDK retries', async () => {
    const { queue } = await served.make('standard', { maxAttempts: 2 });
    served.server().fault = firstCalls(1, { type: 'refusal', code: 'RequestThrottled' });
    await call(queue);
    expect(served.server().calls).toHaveLength(2);
  });

  it('fails if there is no server', async () => {
    const gone = await startSqsServer();
    await gone.close();
    const client = createSqsClient({ ...gone.config(), maxAttempts: 1 });
    const queue = createSqsMessageQueue({ client, queueUrl: `${gone.url}/1/x`, fifo: false });
    await expect(call(queue)).rejects.toThrow(
      expect.objectContaining({
        code: 'queue-unavailable',
        message: expect.stringMatching(`${operation} on x: ECONNREFUSED`),
      }),
    );
  });

  it('fails if the server does not answer', async () => {
    const requestHandler = { requestTimeout: 50, throwOnRequestTimeout: true };
    const { queue } = await served.make('standard', { requestHandler }, 50);
    served.server().fault = () => ({ type: 'no-answer' });
    await expect(call(queue)).rejects.toThrow(/ETIMEDOUT/);
  });

  it('fails if the server has lost the connection', async () => {
    const { queue } = await served.make('standard');
    served.server().fault = () => ({ type: 'lost-answer' });
    await expect(call(queue)).rejects.toThrow(QueueUnavailableError);
  });

  it('fails if there are no credentials, and reports it', async () => {
    const credentials = async (): Promise<never> => {
      throw Object.assign(new Error('none found'), { name: 'CredentialsProviderError' });
    };
    const { queue } = await served.make('standard', { credentials });
    await expect(call(queue)).rejects.toThrow(/none found; renew the credentials/);
  });
});

it('also reports a failure that is not an error', async () => {
  const { queue } = await served.make('standard');
  const error = await errorOf(queue.send([{ body: 'x' }], AbortSignal.abort('out of time')));
  expect(error).toMatchObject({
    code: 'queue-unavailable',
    message: expect.stringContaining('out of time'),
    cause: 'out of time',
  });
});
