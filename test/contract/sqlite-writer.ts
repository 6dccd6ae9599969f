import { writeSync } from 'node:fs';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';

// A process that writes until it is killed. Each line that it prints acknowledges what has been written: `put N`,
// `sent N` or `deleted N`. Arguments: the file, and the number to begin with.

const [file = '', first = '0'] = process.argv.slice(2);
const STDOUT = 1;

const database = openSqliteDatabase(file);
const store = createSqliteItemStore(database);
const queue = createSqliteMessageQueue(database, {
  name: 'live',
  fifo: true,
  visibilityTimeoutSeconds: 1,
  maxReceiveCount: 1_000,
  clock: Date.now,
});

for (let number = Number(first); ; number += 1) {
  const body = `${number} `.repeat(500);
  await store.put(['a', 'b', 'c'].map((sk) => ({ item: { pk: `P#${number}`, sk, body } })));
  writeSync(STDOUT, `put ${number}\n`);
  await queue.send([{ group: `group-${number % 3}`, body: String(number) }]);
  writeSync(STDOUT, `sent ${number}\n`);
  // Every other message stays.
  const messages = await queue.receive({ max: 2, waitSeconds: 0 });
  const done = messages.filter((message) => Number(message.body) % 2 === 0);
  await queue.delete(done.map((message) => message.receiptHandle));
  for (const message of done) writeSync(STDOUT, `deleted ${message.body}\n`);
  const rest = messages.filter((message) => !done.includes(message));
  await queue.changeVisibility(
    rest.map((message) => message.receiptHandle),
    0,
  );
}
