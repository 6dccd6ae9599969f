import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { startDynamoDbProxy } from '#test/fakes/dynamodb-proxy.ts';
import { createTable, localClient, startDynalite } from '#test/fakes/dynamodb-table.ts';
import { Loser, type Losses } from './losses.ts';
import type { Scheduler } from './scheduler.ts';

/** A DynamoDB in this process, for worlds that play one after the other. */
export interface Tables {
  /** The adapter on a new table of this name. */
  createStore(scheduler: Scheduler, tableName: string, losses: Losses): ItemStore;
  readonly loser: Loser;
  close(): Promise<void>;
}

const PUTS = new Set(['PutItem', 'BatchWriteItem']);

/** Starts dynalite, and beside it what loses answers. */
export async function startTables(): Promise<Tables> {
  const { endpoint, client, close } = await startDynalite();
  const proxy = await startDynamoDbProxy(endpoint);
  // A client has a quota of retries: each world gets all of it.
  let detour: DynamoDBClient | undefined;
  const loser = new Loser();
  proxy.reset(({ operation }) => ({
    type: PUTS.has(operation) && loser.takes() ? 'lose' : 'pass',
  }));
  return {
    createStore: (scheduler, tableName, losses) => {
      loser.restart(losses.seed);
      const made = scheduler.outside(() => createTable(client, tableName));
      const outside = <T>(call: () => Promise<T>): Promise<T> =>
        scheduler.outside(() => made.then(call));
      const store = createDynamoDbItemStore({ client, tableName });
      // Only what is to be lost goes by the proxy, which takes its time.
      detour?.destroy();
      detour = localClient(proxy.endpoint);
      const losing = createDynamoDbItemStore({ client: detour, tableName });
      return {
        get: (keys) => outside(() => store.get(keys)),
        query: (query) => outside(() => store.query(query)),
        put: (puts) => {
          if (!loser.chooses(losses.puts)) return outside(() => store.put(puts));
          return outside(() => {
            loser.loseNext();
            return losing.put(puts);
          });
        },
        delete: (deletes) => outside(() => store.delete(deletes)),
      };
    },
    loser,
    close: async () => {
      detour?.destroy();
      await proxy.close();
      await close();
    },
  };
}
