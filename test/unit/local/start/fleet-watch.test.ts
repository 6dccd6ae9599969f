import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { objectsDiffer, objectsRejected } from '#local/start/display-messages.ts';
import { startFleetWatch } from '#local/start/fleet-watch.ts';
import { fleetState } from '#local/start/messages.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import { putDifferences } from '#shared/state/fleet/differences.ts';
import { FLEET_JOURNALED_KEYS } from '#shared/state/fleet/fleet-changes.ts';
import { createFleetSource } from '#shared/state/fleet/fleet-source.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { journaled } from '#test/fakes/memory-journal.ts';
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
  ['compare', fleetState('compare', objectsDiffer(3)), 3],
  // What differs was found when it was compared.
  ['write', fleetState('write', objectsRejected(1)), 1],
])('in the mode %s a user is shown: %s', async (mode, says, count) => {
  const file = await stateFile();
  const said: string[] = [];
  const counts: number[] = [];
  const watch = await startFleetWatch(
    { cluster: { name: 'rancher1', context: 'rancher1' }, mode, api: undefined },
    {
      file,
      source: createFleetSource({
        ...{ store: createMemoryItemStore(), upstream: 'rancher1', clock: Date.now },
      }),
      observability: createObservedOutput({ service: 'starfold' }).observability,
      monitor: { fleetDiffers: (differing) => counts.push(differing), message: expect.fail },
      output: { say: (thing, text) => said.push(`${thing}: ${text}`) },
    },
  );
  await expect.poll(() => said).toEqual([`rancher1 Fleet: ${says}`]);
  expect(counts).toEqual([count]);
  await watch.stop();
});

test('the HTTP API about Fleet and the API of BundleDeployments share the address', async () => {
  const file = await stateFile();
  const { store, journal } = journaled(createMemoryItemStore(), { keys: FLEET_JOURNALED_KEYS });
  const watch = await startFleetWatch(
    {
      cluster: { name: 'rancher1', context: 'rancher1' },
      mode: 'compare',
      api: { host: '127.0.0.1', port: 0 },
    },
    {
      file,
      source: createFleetSource({ store, upstream: 'rancher1', journal, clock: Date.now }),
      observability: createObservedOutput({ service: 'starfold' }).observability,
      monitor: { fleetDiffers: () => undefined, message: expect.fail },
      output: { say: () => undefined },
    },
  );
  const answer = async (path: string) => {
    const response = await fetch(`${watch.url}${path}`);
    return { status: response.status, body: await response.json() };
  };
  expect(await answer('/v1/fleet/none/differences')).toMatchObject({
    status: 404,
    body: { detail: expect.stringContaining('none') },
  });
  expect(await answer('/apis/status.starfold.dev/v1alpha1/bundledeploymentstatuses')).toMatchObject(
    {
      status: 200,
      body: { kind: 'BundleDeploymentStatusList', items: [] },
    },
  );
  await watch.stop();
});
