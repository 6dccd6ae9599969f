import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  type DynamoDBClientConfig,
} from '@aws-sdk/client-dynamodb';
import dynalite from 'dynalite';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { namedSigner } from './named-signer.ts';
import { PATIENT } from './patient.ts';

const POLL_MS = 100;

/** What an emulator wants to be told, whatever the environment says. */
export const EMULATED: DynamoDBClientConfig = {
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  signer: namedSigner('test'),
};

/** A client for a server on this machine. */
export function localClient(endpoint: string, config: DynamoDBClientConfig = {}): DynamoDBClient {
  return createDynamoDbClient({ ...EMULATED, endpoint, requestHandler: PATIENT, ...config });
}

/** A DynamoDB in this process. */
export interface LocalDynamoDb {
  readonly endpoint: string;
  readonly client: DynamoDBClient;
  close(): Promise<void>;
}

/** Starts dynalite on a free port. */
export async function startDynalite(): Promise<LocalDynamoDb> {
  const server = dynalite({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A TCP server that listens has an address of this type.
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = localClient(endpoint);
  return {
    endpoint,
    client,
    close: async () => {
      client.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

/** Creates the table that the item store needs, and waits until it can be used. */
export async function createTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: tableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
    }),
  );
  for (;;) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: tableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await delay(POLL_MS);
  }
}

/** Deletes a table with all that is in it. */
export async function deleteTable(client: DynamoDBClient, tableName: string): Promise<void> {
  await client.send(new DeleteTableCommand({ TableName: tableName }));
}
