import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createTable, startDynalite } from '#test/fakes/dynamodb-table.ts';
import { times } from './ask.bench.ts';
import { type Figure, quantile } from './figure.ts';
import { QUESTIONS, reportedStore, statusReader } from './status-reader.ts';

const TABLE = 'starfold-bench';
const PUT_BATCH = 500;
const GOAL_MS = 1_000;

/** Measures serve-api's answers about 10,000 rows, over a DynamoDB in this process. It is slower than the real one. */
export async function benchAskOnDynamoDb(): Promise<readonly Figure[]> {
  const dynamoDb = await startDynalite();
  await createTable(dynamoDb.client, TABLE);
  const store = createDynamoDbItemStore({ client: dynamoDb.client, tableName: TABLE });
  const items = await (await reportedStore()).items();
  for (let from = 0; from < items.length; from += PUT_BATCH)
    await store.put(items.slice(from, from + PUT_BATCH).map((item) => ({ item })));
  const section = 'ask every WEC: serve-api, on DynamoDB in this process';
  const figures: Figure[] = [];
  for (const [what, url] of Object.entries(QUESTIONS)) {
    const read = statusReader(store);
    const found = await times(() => read(url));
    const at = (which: number) => ({ section, value: quantile(found, which), unit: 'ms' });
    figures.push({ ...at(0.5), what: `${what}, p50` });
    figures.push({ ...at(0.99), what: `${what}, p99`, goal: { type: 'at most', value: GOAL_MS } });
  }
  await dynamoDb.close();
  return figures;
}
