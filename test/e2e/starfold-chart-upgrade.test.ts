/**
 * Upgrades of both charts under load. There is no earlier release to take the programs from. So the older and the newer program are
 * made from these sources, with other versions, and where the layout of the state file matters, with another layout; the state file
 * of release 0.1 is made from its tables and from what it has stored.
 */
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseFileError } from '#shared/adapters/sqlite/database.ts';
import { SCHEMA_0_1 } from '#test/unit/adapters/sqlite/schema-0-1.ts';
import stored from '../fixtures/stored/0.1.0.json' with { type: 'json' };
import { eventually } from './controls.ts';
import { eventuallyReady } from './program-world.ts';
import { makeRelease, NEWER_LAYOUT } from './starfold-release.ts';
import { UpgradeWorld } from './upgrade-world.ts';

const WECS = ['cluster1', 'cluster2'];
const CHANGES = 40;
/** Pods are started several times. */
const LIMIT_MS = 300_000;
let world: UpgradeWorld;
let worlds = 0;

beforeEach(async () => {
  worlds += 1;
  world = await UpgradeWorld.create(`starfold-upgrade-${worlds}`);
});
afterEach(() => world.dispose());

/** Makes the state file that release 0.1 leaves: its tables, with what it has stored. */
async function leaveState(file: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(SCHEMA_0_1);
  const add = database.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, NULL)');
  for (const item of stored.items) {
    const { pk, sk, version = null, body = null, base64 } = item as Record<string, string>;
    add.run(
      pk ?? '',
      sk ?? '',
      version,
      base64 === undefined ? body : Buffer.from(base64, 'base64'),
    );
  }
  database.close();
}

function layoutOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const { user_version: version } = database.prepare('PRAGMA user_version').get() ?? {};
  database.close();
  return version;
}

/** Nothing is on its way any more, and every forwarder goes on: none was refused for good. */
async function expectTruth(): Promise<void> {
  await world.endLoad();
  await world.comesThrough();
  await eventually(() => world.differences(), []);
  for (const forwarder of world.forwarders.values()) {
    await eventuallyReady(forwarder);
    await eventually(() => forwarder.metric('unsent_events'), 0);
  }
}

describe('helm upgrade of Starfold under load', () => {
  it(
    'and back loses nothing, between two versions of these sources that begin with the state file of 0.1',
    async () => {
      const older = await makeRelease(world.path('older'), '0.1.1');
      const newer = await makeRelease(world.path('newer'), '0.2.0');
      await leaveState(world.stateFile);
      expect(layoutOf(world.stateFile)).toBe(1);
      await world.startPod(older);
      for (const wec of WECS) await world.startForwarder(wec);
      world.beginLoad();
      await world.comesThrough();
      for (const release of [newer, older, newer]) {
        await world.moreChanges(CHANGES);
        expect(await world.endPod()).toBe(0);
        await world.moreChanges(CHANGES);
        // What WECs have reported meanwhile waits in the forwarders.
        expect(await world.differences()).not.toEqual([]);
        await world.startPod(release);
        await world.comesThrough();
      }
      await expectTruth();
    },
    LIMIT_MS,
  );

  it(
    'to a newer layout of the state file is refused on the way back with the remedy, and loses nothing once the newer one runs again',
    async () => {
      const older = await makeRelease(world.path('older'), '0.1.1');
      const newer = await makeRelease(world.path('newer'), '0.2.0', NEWER_LAYOUT);
      await world.startPod(older);
      for (const wec of WECS) await world.startForwarder(wec);
      world.beginLoad();
      await world.comesThrough();
      expect(await world.endPod()).toBe(0);
      expect(layoutOf(world.stateFile)).toBe(4);
      await world.startPod(newer);
      await world.comesThrough();
      expect(await world.endPod()).toBe(0);

      const refused = world.startRefused(older);
      expect(await refused.ended).toBe(1);
      const { message } = new DatabaseFileError({ file: world.stateFile, problem: 'newer-schema' });
      expect(refused.output()).toContain(message);
      expect(layoutOf(world.stateFile)).toBe(5);
      await world.moreChanges(CHANGES);
      await world.startPod(newer);
      await expectTruth();
    },
    LIMIT_MS,
  );
});

describe('helm upgrade of the forwarder under load', () => {
  it(
    'and back loses nothing: the next pod waits for the Lease, and leads when the pod before it has ended',
    async () => {
      const newer = await makeRelease(world.path('newer'), '0.2.0');
      await world.startPod(newer);
      const program = world.path('newer/functions/event-forwarder/program/main.ts');
      await world.startForwarder('cluster2');
      let before = await world.startForwarder('cluster1');
      await eventually(() => before.metric('leader'), 1);
      world.beginLoad();
      for (const main of [program, undefined]) {
        await world.moreChanges(CHANGES);
        const next = await world.startForwarder('cluster1', main);
        await eventuallyReady(next);
        expect(await next.metric('leader')).toBe(0);
        const epoch = await before.metric('epoch');
        before.kill('SIGTERM');
        expect(await before.ended).toBe(0);
        await eventually(() => next.metric('leader'), 1);
        expect(await next.metric('epoch')).toBeGreaterThan(epoch);
        await world.comesThrough();
        before = next;
      }
      await expectTruth();
    },
    LIMIT_MS,
  );
});
