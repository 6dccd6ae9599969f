import { beforeEach, describe, expect, it } from 'vitest';
import { noFleet, type WriteResultsDeps } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import { contentHash } from '#shared/content-hash.ts';
import { BUNDLE as BUNDLE_FOLD } from '#shared/core/fleet/bundle-fold.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import { findCondition } from '#shared/core/fleet/condition.ts';
import type { FleetResult } from '#shared/core/fleet/fleet-result.ts';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import { at, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import { ApiInvalidError, ApiUnavailableError, UnknownWdsError } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { putDifferences, readDifferences } from '#shared/state/fleet/differences.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import {
  type Applied,
  putApplied,
  putHead,
  putResult,
  readApplied,
  readHead,
} from '#shared/state/head.ts';
import { ABSENT, fleetOwnedHash, OWN_OBJECT } from '#shared/state/owned-hashes.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { bundle, gitRepo } from '#test/unit/fleet/fixtures/objects.ts';
import { condition } from '#test/unit/fleet/fixtures/parts.ts';

const BUNDLE: FleetSubject = subject('bundles', 'shop');
const REPO: FleetSubject = subject('gitrepos', 'shop');
const EMPTY: FleetResult = { resource: 'bundles', parts: [], targetErrors: [] };
const WRONG: FleetResult = { ...EMPTY, targetErrors: ['spec.targets[0]: wrong'] };

let store: ItemStore;
let cluster: MemoryCluster;
let telemetry: MemoryTelemetry;
let mode: FleetMode;
/** Milliseconds since the epoch. */
let now: number;
/** Writes that the API server was asked for. */
let writes: number;
let failure: Error | undefined;

function subject(resource: 'bundles' | 'gitrepos', name: string): FleetSubject {
  return { type: 'fleet', upstream: 'rancher', resource, namespace: 'fleet-default', name };
}

function refOf({ resource, namespace, name }: FleetSubject): ObjectRef {
  return { group: 'fleet.cattle.io', version: 'v1alpha1', resource, namespace, name };
}

beforeEach(async () => {
  store = createMemoryItemStore();
  await markListed(store, BUNDLE.upstream, { epoch: 1, sequence: 0 });
  cluster = createMemoryCluster(() => 'uid');
  telemetry = createMemoryTelemetry();
  mode = 'write';
  now = Date.UTC(2026, 10, 22, 12);
  writes = 0;
  failure = undefined;
  cluster.restore(refOf(BUNDLE), bundle());
});

function api(): ObjectApi {
  return {
    ...cluster.api,
    replaceStatus: async (ref, change) => {
      writes += 1;
      if (failure !== undefined) throw failure;
      return cluster.api.replaceStatus(ref, change);
    },
  };
}

function deps(): WriteResultsDeps {
  const dirty = createMemoryMessageQueue({
    fifo: true,
    visibilityTimeoutSeconds: 30,
    maxReceiveCount: 3,
    clock: () => now,
    createMessageId: () => 'id',
  });
  const fleet = () => ({ api: api(), mode });
  return { store, dirty, telemetry, wds: noFleet, fleet, clock: () => now };
}

/** Stores a result as the aggregation does. */
async function aggregate(result: FleetResult, of = BUNDLE): Promise<void> {
  const pk = subjectPartition(of);
  const before = await readHead(store, pk);
  const revision = before.revision + 1;
  const text = stringifyJson(result as unknown as JsonValue);
  const hash = contentHash(text);
  const resultChunks = await putResult(store, pk, { revision, hash, text });
  await putHead(store, pk, { ...before, revision, hash, resultRevision: revision, resultChunks });
}

function write(of = BUNDLE): Promise<void> {
  return writeResults(deps(), [{ subject: of, objects: [] }]);
}

async function object(of = BUNDLE): Promise<JsonObject> {
  return (await cluster.api.get(refOf(of))) ?? {};
}

async function ready(of = BUNDLE): Promise<JsonObject | undefined> {
  return findCondition(at(await object(of), 'status', 'conditions'), 'Ready');
}

function applied(of = BUNDLE): Promise<Applied> {
  return readApplied(store, subjectPartition(of));
}

async function differences() {
  return (await readDifferences(store, 'rancher')).objects;
}

/** Somebody else's status. */
async function edit(status: JsonObject, of = BUNDLE): Promise<void> {
  const stood = await object(of);
  cluster.apply(refOf(of), { ...stood, status: { ...(stood['status'] as JsonObject), ...status } });
}

describe('a management cluster that has not been read completely', () => {
  it.each(['write', 'compare'] as const)(
    'is not changed in the mode %s until it has',
    async (one) => {
      mode = one;
      const listed = { pk: `E#fleet/${BUNDLE.upstream}`, sk: 'LISTED' };
      await store.delete([{ key: listed }]);
      await aggregate(WRONG);
      await write();
      expect([writes, (await applied()).revision]).toEqual([0, 0]);
      expect((await readDifferences(store, BUNDLE.upstream)).objects).toEqual([]);
      await markListed(store, BUNDLE.upstream, { epoch: 1, sequence: 0 });
      await write();
      expect((await applied()).revision).toBe(1);
    },
  );
});

describe('the status of an object of Fleet, in the mode write,', () => {
  it('becomes what the result says, beside what others have written there', async () => {
    await edit({ partitions: [{ name: 'all' }] });
    await aggregate(EMPTY);
    await write();
    const { status } = await object();
    expect(status).toMatchObject({
      display: { readyClusters: '0/0' },
      partitions: [{ name: 'all' }],
    });
    const own = (await applied()).owned[OWN_OBJECT];
    expect(own?.observed).toBe(fleetOwnedHash(await object()));
    expect(telemetry.counts).toMatchObject({ Writes: 1 });
  });

  it('is written once, and its times stay as long as nothing else changes', async () => {
    await aggregate(WRONG);
    await write();
    const said = await ready();
    expect(said).toMatchObject({ status: 'False', lastUpdateTime: '2026-11-22T12:00:00Z' });
    now += 3_600_000;
    await write();
    await aggregate({ ...WRONG, parts: [{ repo: 'a', helmOp: '', part: BUNDLE_FOLD.empty }] });
    await write();
    expect(await ready()).toEqual(said);
    expect(writes).toBe(1);
  });

  it('is made right again after somebody has changed it', async () => {
    await aggregate(EMPTY);
    await write();
    await edit({ unavailable: 7 });
    await write();
    expect(at(await object(), 'status', 'unavailable')).toBe(0);
    expect(writes).toBe(2);
  });

  it('is not changed while only what changes all the time has changed', async () => {
    await aggregate(EMPTY);
    await write();
    await edit({ agent: { lastSeen: '2026-11-22T12:30:00Z' } });
    const before = await applied();
    await write();
    expect(await applied()).toEqual(before);
    expect(writes).toBe(1);
  });

  it('is written on the resourceVersion that was read: a conflict begins again', async () => {
    await aggregate(EMPTY);
    const { get } = cluster.api;
    let raced = false;
    const racing: ObjectApi = {
      ...api(),
      get: async (ref) => {
        const found = await get(ref);
        if (!raced) await edit({ unavailable: 9 });
        raced = true;
        return found;
      },
    };
    const fleet = () => ({ api: racing, mode });
    await writeResults({ ...deps(), fleet }, [{ subject: BUNDLE, objects: [] }]);
    expect(at(await object(), 'status', 'unavailable')).toBe(0);
    expect(telemetry.counts).toMatchObject({ WriteConflicts: 1 });
  });

  it('that the API server rejects is reported, and not retried until something changes', async () => {
    failure = new ApiInvalidError('replace status', 'status.summary: too large');
    await aggregate(EMPTY);
    await write();
    await write();
    expect(writes).toBe(1);
    expect((await applied()).reported).toEqual(['status.summary: too large']);
    expect(telemetry.counts).toMatchObject({ WritesRefused: 1 });
    expect(await differences()).toEqual([
      {
        subject: BUNDLE,
        sinceMs: now,
        total: 0,
        differences: [],
        refused: 'status.summary: too large',
      },
    ]);
    await edit({ unavailable: 3 });
    await write();
    expect(writes).toBe(2);
    failure = undefined;
    await aggregate(WRONG);
    await write();
    expect(writes).toBe(3);
    expect(await differences()).toEqual([]);
  });

  it('that was rejected is not retried either by a writer that follows one that died', async () => {
    failure = new ApiInvalidError('replace status', 'too large');
    await aggregate(EMPTY);
    await write();
    const { revision, ...rest } = await applied();
    const announced = { ...rest, hash: '', revision: revision + 1 };
    expect(await putApplied(store, subjectPartition(BUNDLE), announced)).toBe(true);
    await write();
    expect(writes).toBe(1);
    expect(await applied()).toMatchObject({ reported: ['too large'], revision: revision + 2 });
    expect(await differences()).toMatchObject([{ refused: 'too large' }]);
  });

  it('waits while the API server does not answer', async () => {
    failure = new ApiUnavailableError('replace status', 'down');
    await aggregate(EMPTY);
    await expect(write()).rejects.toBe(failure);
    failure = undefined;
    await write();
    expect(at(await object(), 'status', 'display', 'readyClusters')).toBe('0/0');
  });

  it('is not wanted of a GitRepo that is being deleted, nor of what is gone', async () => {
    const metadata = { deletionTimestamp: '2026-11-22T11:00:00Z' };
    cluster.restore(refOf(REPO), gitRepo({ metadata }));
    const below = { part: BUNDLE_FOLD.empty, cells: CELLS.empty, bundleError: '', job: null };
    await aggregate({ resource: 'gitrepos', hasBundles: false, ...below }, REPO);
    await write(REPO);
    expect((await applied(REPO)).owned[OWN_OBJECT]?.observed).toBe(
      fleetOwnedHash(await object(REPO)),
    );
    await aggregate(EMPTY);
    cluster.remove(refOf(BUNDLE));
    await write();
    expect((await applied()).owned[OWN_OBJECT]?.observed).toBe(ABSENT);
    expect(writes).toBe(0);
  });

  it('waits for the management cluster to be registered', async () => {
    await aggregate(EMPTY);
    const failed = writeResults({ ...deps(), fleet: noFleet }, [{ subject: BUNDLE, objects: [] }]);
    await expect(failed).rejects.toThrow(UnknownWdsError);
    await expect(failed).rejects.toThrow(
      'management cluster rancher is not registered: add it, with the place of its kubeconfig, to fleet.upstreams',
    );
  });

  it('makes the differences go that were found in the mode compare', async () => {
    mode = 'compare';
    await aggregate(EMPTY);
    await write();
    expect(await differences()).toHaveLength(1);
    mode = 'write';
    await write();
    expect(writes).toBe(1);
    expect(await differences()).toEqual([]);
  });
});

describe('the status of an object of Fleet, in the mode compare,', () => {
  beforeEach(() => {
    mode = 'compare';
  });

  it('is not changed, and its differences are reported', async () => {
    await edit({ conditions: [condition('Ready', 'True')] });
    const before = await object();
    await aggregate(WRONG);
    await write();
    expect(await object()).toEqual(before);
    expect(writes).toBe(0);
    const [found] = await differences();
    expect(found).toMatchObject({ subject: BUNDLE, sinceMs: now });
    expect(found?.differences).toContainEqual({
      field: 'status.conditions[Ready].status',
      fleet: '"True"',
      starfold: '"False"',
    });
  });

  it('differs since it began to', async () => {
    const began = now;
    await aggregate(EMPTY);
    await write();
    now += 60_000;
    await edit({ unavailable: 5 });
    await write();
    const [found] = await differences();
    expect(found?.sinceMs).toBe(began);
    expect(found?.differences).toContainEqual({
      field: 'status.unavailable',
      fleet: '5',
      starfold: '0',
    });
  });

  it('differs no more once its owner has made it right, or has removed the object', async () => {
    mode = 'write';
    await aggregate(EMPTY);
    await write();
    const { status } = await object();
    cluster.restore(refOf(BUNDLE), bundle());
    mode = 'compare';
    await write();
    expect(await differences()).toHaveLength(1);
    await edit(status as JsonObject);
    await write();
    expect(await differences()).toEqual([]);
    await edit({ unavailable: 5 });
    await write();
    expect(await differences()).toHaveLength(1);
    cluster.remove(refOf(BUNDLE));
    await write();
    expect(await differences()).toEqual([]);
  });

  it('is not a hash that an event shows while it differs, so that each event is checked', async () => {
    await aggregate(EMPTY);
    await write();
    const seen = fleetOwnedHash(await object());
    const before = await applied();
    expect(before.owned[OWN_OBJECT]?.observed).not.toBe(seen);
    await write();
    expect(await applied()).toEqual(before);
    mode = 'write';
    await write();
    mode = 'compare';
    await write();
    expect(await differences()).toEqual([]);
    expect((await applied()).owned[OWN_OBJECT]?.observed).toBe(fleetOwnedHash(await object()));
  });

  it('is reported also if the writer died before it could report', async () => {
    await aggregate(EMPTY);
    const { put } = store;
    const dying: ItemStore = {
      ...store,
      put: async (puts) => {
        if (puts.some(({ item }) => item.pk.startsWith('FLEETDIFF#'))) throw new Error('died');
        return put(puts);
      },
    };
    const died = writeResults({ ...deps(), store: dying }, [{ subject: BUNDLE, objects: [] }]);
    await expect(died).rejects.toThrow('died');
    await write();
    expect(await differences()).toHaveLength(1);
  });

  it('is not reported by a writer that was overtaken', async () => {
    await aggregate(EMPTY);
    await putDifferences(store, BUNDLE, { revision: 99, nowMs: 1, total: 3, differences: [] });
    await write();
    expect(await differences()).toMatchObject([{ total: 3 }]);
  });
});
