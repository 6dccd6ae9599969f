import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startFleetWatch } from '#local/start/fleet-watch.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { FleetMode } from '#shared/core/fleet/fleet-object.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'starfold-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A state file with two objects that differ, and one that differs and is refused. */
async function stateFile(): Promise<string> {
  const file = join(folder, 'state.sqlite');
  const database = openSqliteDatabase(file);
  const store = createSqliteItemStore(database);
  for (const name of ['a', 'b', 'c'])
    await putDifferences(
      store,
      { type: 'fleet', upstream: 'rancher1', resource: 'bundles', namespace: 'default', name },
      {
        revision: 1,
        nowMs: Date.now(),
        total: 1,
        differences: [{ field: 'status.display.state', fleet: '"Ready"', starfold: null }],
        ...(name === 'c' ? { refused: 'too long' } : {}),
      },
    );
  database.close();
  return file;
}

test.each<[FleetMode, string, number]>([
  ['compare', 'compare: 3 objects differ', 3],
  // What differs was found when it was compared.
  ['write', 'write: 1 object rejected', 1],
])('in the mode %s a user is shown: %s', async (mode, says, count) => {
  const file = await stateFile();
  const said: string[] = [];
  const counts: number[] = [];
  const watch = await startFleetWatch(
    { cluster: { name: 'rancher1', context: 'rancher1' }, mode, api: undefined },
    {
      file,
      observability: createObservedOutput({ service: 'starfold' }).observability,
      monitor: { fleetDiffers: (differing) => counts.push(differing), message: expect.fail },
      output: { say: (thing, text) => said.push(`${thing}: ${text}`) },
    },
  );
  await expect.poll(() => said).toEqual([`rancher1 Fleet: ${says}`]);
  expect(counts).toEqual([count]);
  await watch.stop();
});
