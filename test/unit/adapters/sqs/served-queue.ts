import { randomUUID } from 'node:crypto';
import { CreateQueueCommand, type SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { type SqsFault, type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';

/** A queue on the test server, and how the adapter waited. */
export interface TriedQueue {
  readonly queue: MessageQueue;
  readonly queueUrl: string;
  /** Milliseconds of each wait between attempts; none takes any time. */
  readonly waits: number[];
}

/** A test server for one file, and new queues on it. */
export interface ServedQueues {
  server(): SqsServer;
  /** A client of the server that tries once unless told otherwise. */
  client(config?: SQSClientConfig): SQSClient;
  make(
    kind: 'standard' | 'fifo',
    config?: SQSClientConfig,
    requestTimeoutMs?: number,
  ): Promise<TriedQueue>;
}

/** Registers the hooks that start, reset and stop the server. */
export function serveQueues(): ServedQueues {
  let server: SqsServer;
  const clients: SQSClient[] = [];
  beforeAll(async () => {
    server = await startSqsServer();
  });
  afterEach(() => {
    server.fault = () => undefined;
  });
  afterAll(async () => {
    for (const client of clients) client.destroy();
    await server.close();
  });
  const connect: ServedQueues['client'] = (config = {}) => {
    const client = createSqsClient({ ...server.config(), maxAttempts: 1, ...config });
    clients.push(client);
    return client;
  };
  return {
    server: () => server,
    client: connect,
    make: async (kind, config = {}, requestTimeoutMs = 120_000) => {
      const client = connect(config);
      const fifo = kind === 'fifo';
      const { QueueUrl = '' } = await connect().send(
        new CreateQueueCommand({
          QueueName: `${randomUUID()}${fifo ? '.fifo' : ''}`,
          Attributes: fifo ? { FifoQueue: 'true', DeduplicationScope: 'messageGroup' } : {},
        }),
      );
      server.calls.length = 0;
      const waits: number[] = [];
      const queue = createSqsMessageQueue({
        client,
        queueUrl: QueueUrl,
        fifo,
        requestTimeoutMs,
        random: () => 0.5,
        sleep: async (ms, signal) => {
          waits.push(ms);
          signal?.throwIfAborted();
        },
      });
      return { queue, queueUrl: QueueUrl, waits };
    },
  };
}

/** A fault for the first so many calls. */
export function firstCalls(count: number, fault: SqsFault): () => SqsFault | undefined {
  let calls = 0;
  return () => {
    calls += 1;
    return calls <= count ? fault : undefined;
  };
}

/** Entries with one of the bodies fail, in a way that SQS does not put down to the request. */
export function failingBodies(...bodies: readonly string[]): SqsFault {
  return {
    type: 'failed-entries',
    failed: ({ MessageBody = '' }) =>
      bodies.includes(MessageBody) ? { Code: 'InternalError', SenderFault: false } : undefined,
  };
}

/** Every entry fails. */
export function failingEntries(Code: string, SenderFault: boolean): SqsFault {
  return { type: 'failed-entries', failed: () => ({ Code, SenderFault }) };
}
