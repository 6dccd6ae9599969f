import { expect, it } from 'vitest';
import { silentSince } from '#local/stack/silent-since.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { heartbeatItem } from '#shared/state/heartbeats.ts';
import { versionText } from '#shared/state/keys.ts';
import { putSilence } from '#shared/state/silence.ts';

const HEARD = Date.UTC(2026, 10, 25, 10);

it('gives the last heartbeat of a silent WEC, and nothing for one that has reported since', async () => {
  const store = createSqliteItemStore(openSqliteDatabase(':memory:'));
  expect(await silentSince(store)).toEqual(new Map());
  const [first, second] = [1, 2].map((sequence) => ({ epoch: 1, sequence }));
  if (first === undefined || second === undefined) throw new Error('there are two versions');
  const heard = (wec: string, version = first, ms = HEARD) =>
    store.put([{ item: heartbeatItem({ type: 'wec', name: wec }, version, ms) }]);
  for (const wec of ['wec1', 'wec2', 'wec3']) await heard(wec);
  const entry = { heartbeat: versionText(first), silent: true, notified: false };
  await putSilence(
    store,
    ['wec1', 'wec2'].map((name) => ({ name, ...entry })),
    HEARD + 300_000,
  );
  await heard('wec2', second, HEARD + 301_000);
  expect(await silentSince(store)).toEqual(new Map([['wec1', '2026-11-25T10:00:00.000Z']]));
});
