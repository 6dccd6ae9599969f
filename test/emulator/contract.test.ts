import { beforeAll } from 'vitest';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { describeDynamoDb } from '#test/contract/dynamodb-suite.ts';
import { describeMessageQueue } from '#test/contract/message-queue.ts';
import { createSqsQueueMaker } from '#test/contract/sqs-queues.ts';
import { type Emulator, startEmulator } from './emulator.ts';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
  return () => emulator[Symbol.asyncDispose]();
});

// That DynamoDB ends a page of a query after 1 MB is left to dynalite: MiniStack returns all that there is.

describeDynamoDb('DynamoDB (emulator)', () => {
  const client = createDynamoDbClient(emulator.config());
  return Promise.resolve({
    client,
    close: () => Promise.resolve(client.destroy()),
  });
});

describeMessageQueue(
  'SQS (emulator)',
  createSqsQueueMaker(() => createSqsClient(emulator.config())),
);
