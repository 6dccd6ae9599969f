import { afterEach, beforeEach, expect, it } from 'vitest';
import { openQueues } from '#local/stack/queues.ts';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import type { Subject } from '#shared/core/subject.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';

const ALL = { max: 10, waitSeconds: 0 };
const WEB: Subject = {
  type: 'workload',
  workload: { wds: 'wds1', group: '', resource: 'services', namespace: 'shop', name: 'web' },
};
const CAUSES = Array.from({ length: 30 }, (_cause, index) => String(index));

let database: SqliteDatabase;
beforeEach(() => {
  database = openSqliteDatabase(':memory:');
});
afterEach(() => database.close());

it('delivers all that waits for one subject together, to be aggregated and to be written once', async () => {
  const { dirty, hints } = openQueues(database);
  await dirty.send(
    CAUSES.map((cause) =>
      encodeDirty(
        { type: 'subject', subject: WEB, wecs: [cause], changedBy: `wec/${cause}` },
        cause,
      ),
    ),
  );
  await hints.send(CAUSES.map((cause) => encodeHint({ subject: WEB, objects: [] }, cause)));
  expect(await dirty.receive(ALL)).toHaveLength(30);
  expect(await hints.receive(ALL)).toHaveLength(30);
});

it('delivers at most ten steps of a walk together', async () => {
  const { dirty } = openQueues(database);
  const page = { type: 'members', wds: 'wds1', binding: 'all', revision: 1 } as const;
  await dirty.send(CAUSES.map((cause) => encodeDirty({ ...page, cursor: cause }, cause)));
  expect(await dirty.receive(ALL)).toHaveLength(10);
});
