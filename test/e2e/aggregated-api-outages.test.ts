/**
 * What an APIService does to its WDS while its server is up, while the server cannot read its table, and while the server is down.
 * The namespace controller asks every group what it has before it lets a namespace go.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { at, isArray } from '#shared/core/json.ts';
import { StoreUnavailableError } from '#shared/errors.ts';
import { FakeStatusSource } from '#test/fakes/status-source.ts';
import { bindIn, boundObjects, putBound, removeFromWecs } from './aggregated/objects.ts';
import { serveFrom } from './aggregated/served-from.ts';
import { AggregatedWorld, APISERVICE } from './aggregated/world.ts';
import { apply, read, remove } from './clusters.ts';
import { configMap } from './workloads.ts';

const START_TIMEOUT_MS = 40 * 60_000;
const TEST_TIMEOUT_MS = 300_000;
/** An API server notices after half a minute that a server is gone. The namespace controller waits longer after each failure. */
const PATIENCE = { timeout: 150_000, interval: 250 };
const namespace = 'aggregated-outages';
const bound = boundObjects(namespace);
let world: AggregatedWorld;

const placeOf = (name: string) => ({ ...bound.place, name });

/** A namespace with an object in it. */
async function occupied(name: string): Promise<void> {
  const metadata = { name };
  await apply(world.wds, placeOf(name), { apiVersion: 'v1', kind: 'Namespace', metadata });
  const content = configMap({ namespace: name, name: 'content' });
  await apply(world.wds, content.ref, content.object);
}

async function isGone(name: string): Promise<void> {
  await vi.waitFor(
    async () => expect(await read(world.wds, placeOf(name))).toBeUndefined(),
    PATIENCE,
  );
}

/** The message of a condition of a namespace, if it is True. */
async function conditionOf(name: string, type: string): Promise<string> {
  const conditions = at(await read(world.wds, placeOf(name)), 'status', 'conditions');
  const found = isArray(conditions)
    ? conditions.find((one) => at(one, 'type') === type)
    : undefined;
  return at(found, 'status') === 'True' ? String(at(found, 'message')) : '';
}

beforeAll(async () => {
  world = await AggregatedWorld.start('aggregated-outages');
  await putBound(world.wds, bound);
  await world.startControllers('namespace-controller');
}, START_TIMEOUT_MS);

afterAll(async () => {
  await removeFromWecs(bound);
  await world.dispose();
});

describe('an APIService', { timeout: TEST_TIMEOUT_MS }, () => {
  it('does not hold the deletion of a namespace about which WECs report, while its server is up', async () => {
    await occupied('up');
    const { ref } = configMap({ namespace: 'up', name: 'content' });
    await bindIn(world.wds, 'up', [[ref, {}]]);
    await vi.waitFor(
      async () =>
        expect((await world.kubectl(['get', 'wecst', '-n', 'up', '-o', 'name'])).stdout).toContain(
          'wec2',
        ),
      PATIENCE,
    );
    await remove(world.wds, placeOf('up'));
    await isGone('up');
  });

  it('has its discovery answered while the table cannot be read', async () => {
    const source = new FakeStatusSource();
    source.failure = new StoreUnavailableError('the table is away');
    const faults: unknown[] = [];
    const server = await serveFrom(world, source, (error) => faults.push(error));
    await world.program.end('SIGTERM');
    world.proxy.aim(server.url);
    world.proxy.drop();
    const resources = ['api-resources', '--api-group', 'status.starfold.dev', '-o', 'name'];
    expect((await world.kubectl(resources)).stdout).toContain('wecstatuses.status.starfold.dev');
    expect((await world.kubectl(['explain', 'wecst.state'])).stdout).toContain('WECStatus');
    await expect(world.kubectl(['get', 'wecst', '-n', namespace])).rejects.toThrow(
      'the table is away',
    );
    await occupied('unread');
    await remove(world.wds, placeOf('unread'));
    await isGone('unread');
    expect(await conditionOf('unread', 'NamespaceDeletionDiscoveryFailure')).toBe('');
    await server.stop();
    await world.startProgram();
  });

  it('holds the deletion of every namespace while its server is down, until it is removed', async () => {
    await occupied('down');
    await world.proxy.cut();
    // What the controller reads is what the API server has found last.
    await vi.waitFor(async () => {
      const { stdout } = await world.kubectl(['get', 'apiservice', APISERVICE]);
      expect(stdout).toContain('False (FailedDiscoveryCheck)');
    }, PATIENCE);
    await remove(world.wds, placeOf('down'));
    await vi.waitFor(
      async () =>
        expect(await conditionOf('down', 'NamespaceDeletionDiscoveryFailure')).toContain(
          'status.starfold.dev/v1alpha1',
        ),
      PATIENCE,
    );
    // The content is deleted, but the namespace stays. Nothing else is affected.
    const content = configMap({ namespace: 'down', name: 'content' });
    await vi.waitFor(
      async () => expect(await read(world.wds, content.ref)).toBeUndefined(),
      PATIENCE,
    );
    expect(await read(world.wds, placeOf('down'))).toMatchObject({
      status: { phase: 'Terminating' },
    });
    await occupied('beside');
    await expect(world.kubectl(['get', 'wecst', '-n', namespace])).rejects.toThrow(
      /currently unable to handle the request|doesn't have a resource type/,
    );
    await world.kubectl(['delete', 'apiservice', APISERVICE]);
    await isGone('down');
  });

  it('can be created again when its server is back', async () => {
    await world.proxy.restore();
    await world.install();
    const { stdout } = await world.kubectl(['get', 'wecst', '-n', namespace, '-o', 'name']);
    expect(stdout).toContain('deployments.apps:app:wec1');
  });
});
