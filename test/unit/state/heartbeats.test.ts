import { expect, it } from 'vitest';
import { heartbeatItem, readHeartbeats, readSourceHeartbeats } from '#shared/state/heartbeats.ts';
import { versionText } from '#shared/state/keys.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';

const VERSION = { epoch: 2, sequence: 7 };

it('lists the sources of a type that have reported, by name', async () => {
  const store = createMemoryItemStore();
  for (const [type, name] of [
    ['wec', 'b'],
    ['fleet', 'rancher2'],
    ['wds', 'wds1'],
    ['wec', 'a'],
    ['fleet', 'rancher1'],
  ] as const)
    await store.put([{ item: heartbeatItem({ type, name }, VERSION, 5) }]);
  const said = { version: versionText(VERSION), heardMs: 5 };
  expect(await readSourceHeartbeats(store, 'fleet')).toEqual([
    { name: 'rancher1', ...said },
    { name: 'rancher2', ...said },
  ]);
  expect(await readHeartbeats(store)).toEqual([
    { wec: 'a', ...said },
    { wec: 'b', ...said },
  ]);
});
