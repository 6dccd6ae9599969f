import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { Statuses } from '#functions/serve-api/statuses.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import type { Item, ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { httpEvent } from '#test/unit/serve-api/request.ts';
import { fill } from './ask.bench.ts';
import { createUseCaseWorld } from './use-case-world.ts';

const SHOP = '/wds/wds1/apis/status.starfold.dev/v1alpha1/namespaces/shop/wecstatuses';

/** What is asked of 10,000 rows. */
export const QUESTIONS = {
  'a page of 500': `${SHOP}?limit=500`,
  'a get': `${SHOP}/deployments.apps:web-0:edge-00042`,
} as const;

/** A store with the reports of 10,000 WECs about one object, and all of its items. */
export async function reportedStore(): Promise<{
  readonly store: ItemStore;
  items(): Promise<readonly Item[]>;
}> {
  const inner = createMemoryItemStore();
  const keys = new Map<string, ItemKey>();
  const store: ItemStore = {
    ...inner,
    put: (puts) => {
      for (const { item } of puts) keys.set(`${item.pk}\n${item.sk}`, item);
      return inner.put(puts);
    },
  };
  const database = openSqliteDatabase(':memory:');
  const world = createUseCaseWorld(store, (name) =>
    createSqliteMessageQueue(database, {
      ...{ name, fifo: true, visibilityTimeoutSeconds: 60, maxReceiveCount: 5 },
      clock: Date.now,
    }),
  );
  await fill(world, { objects: 1, wecs: 10_000 });
  database.close();
  const items = async (): Promise<readonly Item[]> => {
    const found = await inner.get([...keys.values()]);
    return found.filter((item) => item !== undefined);
  };
  return { store: inner, items };
}

/** Asks the function, as API Gateway does for somebody whom IAM has let in and who accepts gzip. */
export function statusReader(
  store: ItemStore,
): (url: string) => Promise<APIGatewayProxyStructuredResultV2> {
  const onError = (error: unknown): void => {
    throw error;
  };
  const statuses = new Statuses({ store, wdses: new Set(['wds1']), clock: Date.now, onError });
  return async (url) => {
    const event = { ...httpEvent(url), headers: { 'accept-encoding': 'gzip' } };
    const authorizer = { iam: { userArn: 'arn:aws:iam::111122223333:role/reader' } };
    const requestContext = { ...event.requestContext, authorizer };
    const answer = await statuses.handle({ ...event, requestContext });
    if (answer.statusCode === 200) return answer;
    throw new RangeError(`${url}: ${answer.statusCode}: ${answer.body}`);
  };
}
