import type { DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  createDynamoDbItemStore,
  type DynamoDbItemStoreOptions,
} from '#shared/adapters/dynamodb/item-store.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '#test/fakes/dynamodb-proxy.ts';
import {
  createTable,
  type LocalDynamoDb,
  localClient,
  startDynalite,
} from '#test/fakes/dynamodb-table.ts';

type RetryStrategy = NonNullable<DynamoDBClientConfig['retryStrategy']>;

/** As the SDK's standard strategy, without its pauses. */
function retriesAtOnce(maxAttempts: number): RetryStrategy {
  const token = (count: number) => ({
    getRetryCount: () => count,
    getRetryDelay: () => 0,
    getRetryCost: () => undefined,
  });
  return {
    mode: 'standard',
    acquireInitialRetryToken: async () => token(0),
    refreshRetryTokenForRetry: async (given, { errorType }) => {
      const count = given.getRetryCount() + 1;
      if (count === maxAttempts || errorType === 'CLIENT_ERROR') throw new Error('no more');
      return token(count);
    },
    recordSuccess: () => {},
  };
}

export const TABLE = 'unit';
export const MAX_ATTEMPTS = 3;

/** The store of the tests, its DynamoDB, and how long it would have waited. */
export interface Harness {
  /** On DynamoDB through the proxy. Waits no time. */
  readonly store: ItemStore;
  /** On DynamoDB directly: another process. */
  readonly other: ItemStore;
  readonly proxy: DynamoDbProxy;
  /** What the store has slept since the test began, in milliseconds, with a `random` of 0.5. */
  readonly slept: readonly number[];
  /** Another store on the proxy. */
  storeWith(config: DynamoDBClientConfig, options?: Partial<DynamoDbItemStoreOptions>): ItemStore;
  /** A partition that no test has used. */
  partition(): string;
}

/** Starts it before the tests of a file; every test begins with requests that pass. */
export function useHarness(): Harness {
  let dynamoDb: LocalDynamoDb;
  let proxy: DynamoDbProxy;
  let store: ItemStore;
  let slept: number[] = [];
  let partitions = 0;
  const storeWith: Harness['storeWith'] = (config, options) =>
    createDynamoDbItemStore({
      client: localClient(proxy.endpoint, {
        retryStrategy: retriesAtOnce(MAX_ATTEMPTS),
        ...config,
      }),
      tableName: TABLE,
      random: () => 0.5,
      sleep: async (ms) => {
        slept.push(ms);
      },
      ...options,
    });
  beforeAll(async () => {
    dynamoDb = await startDynalite();
    await createTable(dynamoDb.client, TABLE);
    proxy = await startDynamoDbProxy(dynamoDb.endpoint);
    store = storeWith({});
  });
  beforeEach(() => {
    slept = [];
    proxy.reset(() => ({ type: 'pass' }));
  });
  afterAll(async () => {
    await proxy.close();
    await dynamoDb.close();
  });
  return {
    get store() {
      return store;
    },
    get other() {
      return createDynamoDbItemStore({ client: dynamoDb.client, tableName: TABLE });
    },
    get proxy() {
      return proxy;
    },
    get slept() {
      return slept;
    },
    storeWith,
    partition: () => {
      partitions += 1;
      return `partition-${partitions}`;
    },
  };
}
