import { workerData } from 'node:worker_threads';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';

// What the test starts this with.
const { file, count } = workerData as { readonly file: string; readonly count: number };
const database = openSqliteDatabase(file);
const store = createSqliteItemStore(database);
for (let index = 0; index < count; index += 1)
  await store.put([{ item: { pk: 'W#a', sk: `R#worker ${index}` } }]);
database.close();
