import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { SORT } from '#shared/state/keys.ts';
import { putTrying, readTrying } from '#shared/state/set-aside.ts';

const BODIES = ['one', 'two'];

test.each([{ fifo: true }, { fifo: false }])(
  'what a process held when it died is delivered at once, a delayed message is not (fifo: $fifo)',
  async ({ fifo }) => {
    const folder = mkdtempSync(join(tmpdir(), 'starfold-in-flight-'));
    const file = join(folder, 'state.sqlite');
    const opened = () => {
      const database = openSqliteDatabase(file);
      const options = { name: 'q', fifo, visibilityTimeoutSeconds: 600, maxReceiveCount: 5 };
      return {
        database,
        queue: createSqliteMessageQueue(database, { ...options, clock: Date.now }),
      };
    };
    const group = fifo ? { group: 'g' } : {};
    const dying = opened();
    await dying.queue.send(BODIES.map((body) => ({ body, ...group })));
    if (!fifo) await dying.queue.send([{ body: 'later', delaySeconds: 600 }]);
    expect(await dying.queue.receive({ max: 2, waitSeconds: 0 })).toHaveLength(2);
    dying.database.close();

    const next = opened();
    expect(await next.queue.receive({ max: 2, waitSeconds: 0 })).toHaveLength(0);
    returnInFlight(next.database, SORT.trying);
    const again = await next.queue.receive({ max: 10, waitSeconds: 0 });
    expect(again.map(({ body }) => body)).toEqual(BODIES);
    expect(again.map(({ receiveCount }) => receiveCount)).toEqual([2, 2]);
    next.database.close();
    rmSync(folder, { recursive: true });
  },
);

test('what was being tried alone when the process died is not taken for the cause', async () => {
  const database = openSqliteDatabase(':memory:');
  const store = createSqliteItemStore(database);
  expect(await putTrying(store, { pk: 'W#wds1/web', nowMs: 1 }, undefined)).toBeDefined();
  returnInFlight(database, SORT.trying);
  expect(await readTrying(store, 'W#wds1/web')).toBeUndefined();
  database.close();
});
