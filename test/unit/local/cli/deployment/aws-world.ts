import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { createTable, type LocalDynamoDb, startDynalite } from '#test/fakes/dynamodb-table.ts';
import { type SqsServer, startSqsServer } from '#test/fakes/sqs-server/server.ts';
import type { Variables } from '#test/unit/local/cli/command.ts';
import { type AwsServer, startAwsServer } from './aws-server.ts';
import { OPERATOR } from './fake-account.ts';

const KEYS = {
  EventsQueueUrl: 'starfold-prod-events',
  EventsDeadLetterQueueUrl: 'starfold-prod-events-dlq',
  DirtyQueueUrl: 'starfold-prod-dirty.fifo',
  DirtyDeadLetterQueueUrl: 'starfold-prod-dirty-dlq.fifo',
  HintsQueueUrl: 'starfold-prod-hints.fifo',
  HintsDeadLetterQueueUrl: 'starfold-prod-hints-dlq.fifo',
} as const;
/** An output of the stack that is the URL of a queue. */
export type QueueKey = keyof typeof KEYS;

/** The credentials of the operator. */
export const CREDENTIALS = { AWS_ACCESS_KEY_ID: OPERATOR, AWS_SECRET_ACCESS_KEY: 'secret' };

const TO_AWS = {
  HOME: '/nowhere',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_MAX_ATTEMPTS: '1',
  AWS_REGION: 'eu-west-1',
} as const;

/** The APIs of AWS on this machine, with the deployment of the stage `prod`. */
export interface AwsWorld {
  readonly aws: AwsServer;
  readonly sqs: SqsServer;
  readonly dynamoDb: LocalDynamoDb;
  /** The outputs of the stack. */
  readonly urls: Readonly<Record<string, string>>;
  /** The variables of an operator who has nothing but these. */
  environment(variables: Variables): Variables;
  close(): Promise<void>;
}

/** Starts the servers, and creates the table and the queues. */
export async function startAwsWorld(): Promise<AwsWorld> {
  const [aws, sqs, dynamoDb] = await Promise.all([
    startAwsServer(),
    startSqsServer(),
    startDynalite(),
  ]);
  await createTable(dynamoDb.client, 'table');
  const client = new SQSClient(sqs.config());
  const urls: Record<string, string> = { TableName: 'table' };
  for (const [key, name] of Object.entries(KEYS)) {
    const Attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({ QueueName: name, Attributes }),
    );
    urls[key] = QueueUrl;
  }
  client.destroy();
  aws.outputs = urls;
  return {
    aws,
    sqs,
    dynamoDb,
    urls,
    environment: (variables) => ({
      ...TO_AWS,
      AWS_ENDPOINT_URL: aws.url,
      AWS_ENDPOINT_URL_SQS: sqs.url,
      AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.endpoint,
      ...variables,
    }),
    close: async () => {
      await Promise.all([aws.close(), sqs.close(), dynamoDb.close()]);
    },
  };
}
