import { afterAll } from 'vitest';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { startSqsServer } from '#test/fakes/sqs-server/server.ts';
import { describeMessageQueue } from './message-queue.ts';
import { createSqsQueueMaker } from './sqs-queues.ts';

const server = await startSqsServer();
const client = createSqsClient(server.config());

describeMessageQueue(
  'SQS (test server)',
  createSqsQueueMaker(() => client),
);

afterAll(async () => {
  client.destroy();
  await server.close();
});
