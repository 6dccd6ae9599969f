import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createTable, deleteTable } from '#test/fakes/dynamodb-table.ts';
import { describeItemStore, type MadeItemStore } from './item-store.ts';
import type { ItemStoreScope } from './item-store-query.ts';
import { describeStatusSource } from './status-source.ts';

/** A client of some DynamoDB, and how to get rid of it. */
export interface MadeDynamoDbClient {
  readonly client: DynamoDBClient;
  readonly close?: () => Promise<void>;
}

/**
 * The promises of the item-store port, of the DynamoDB adapter on some DynamoDB, in a table that is new and goes again.
 * DynamoDB compares strings by their UTF-8 bytes; `versionOrder` is for an emulator that does not.
 */
export function describeDynamoDb(
  name: string,
  make: () => Promise<MadeDynamoDbClient>,
  versionOrder: ItemStoreScope['versionOrder'] = 'utf-8',
): void {
  const makeStore = async (): Promise<MadeItemStore> => {
    const { client, close } = await make();
    const tableName = `contract-${process.pid}-${Date.now()}`;
    await createTable(client, tableName);
    return {
      store: createDynamoDbItemStore({ client, tableName }),
      close: async () => {
        await deleteTable(client, tableName);
        await close?.();
      },
    };
  };
  describeItemStore(name, makeStore, versionOrder);
  describeStatusSource(name, makeStore);
}
