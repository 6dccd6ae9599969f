import { beforeEach, describe, expect, it } from 'vitest';
import {
  awaiting,
  isUnsettled,
  lookAtWds,
  notAsked,
  notifyWaiting,
} from '#functions/aggregate-workload/awaited.ts';
import { type AggregateDeps, rememberState } from '#functions/aggregate-workload/deps.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { EventSource } from '#shared/core/event.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { putApplied, readApplied, readHead } from '#shared/state/head.ts';
import { SORT } from '#shared/state/keys.ts';
import { putWait, takeWaits } from '#shared/state/waits.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const SUBJECT: Subject = { type: 'binding', wds: 'wds1', name: 'b' };
const PK = subjectPartition(SUBJECT);
const CHANGE = { changedMs: 5 };

function wec(name: string): EventSource {
  return { type: 'wec', name };
}

let store: ItemStore;
let dirty: SentMessages;
let deps: AggregateDeps;
beforeEach(() => {
  store = createMemoryItemStore();
  dirty = new SentMessages();
  deps = depsOf(store);
});

function depsOf(of: ItemStore): AggregateDeps {
  return {
    store: of,
    ...rememberState(of),
    schemas: createBuiltInSchemas(),
    dirty,
    hints: new SentMessages(),
    telemetry: createMemoryTelemetry(),
    clock: () => 7,
  };
}

async function endListing(source: EventSource): Promise<void> {
  await store.put([{ item: { pk: sourcePartition(source), sk: SORT.snapshot, version: '1' } }]);
}

async function waiting(source: EventSource): Promise<readonly Subject[]> {
  const found: Subject[] = [];
  for await (const subjects of takeWaits(store, sourcePartition(source))) found.push(...subjects);
  return found;
}

/** The subjects that were told, with what the message says beside. */
function told(): readonly unknown[] {
  return dirty.bodies.splice(0).map((body) => parseDirty(body));
}

describe('a subject', () => {
  it('is asked for what is missing until something was applied, or all was there', async () => {
    const head = await readHead(store, PK);
    expect(await isUnsettled(deps, SUBJECT, head)).toBe(true);
    expect(await isUnsettled(deps, SUBJECT, { ...head, whole: true })).toBe(false);
    await putApplied(store, PK, { ...(await readApplied(store, PK)), revision: 1 });
    expect(await isUnsettled(deps, SUBJECT, head)).toBe(false);
  });

  it('is whole when nothing is missing; that something was awaited stays known', async () => {
    const head = await readHead(store, PK);
    expect(await awaiting(deps, { subject: SUBJECT, head }, [])).toEqual({ whole: true });
    const held = { ...head, awaits: ['wec/a'] };
    expect(await awaiting(deps, { subject: SUBJECT, head: held }, [])).toEqual({
      whole: true,
      awaits: [],
      awaited: 0,
    });
    expect(notAsked(held)).toEqual({ whole: true, awaits: [], awaited: 0 });
    expect(notAsked({ ...held, whole: true })).toEqual({});
  });

  it('waits for the first of those that are missing, and names ten of them', async () => {
    const head = await readHead(store, PK);
    const missing = Array.from({ length: 12 }, (_one, index) => wec(`edge${index}`));
    expect(await awaiting(deps, { subject: SUBJECT, head }, missing)).toEqual({
      awaits: missing.slice(0, 10).map(({ name }) => `wec/${name}`),
      awaited: 12,
    });
    expect(await waiting(wec('edge0'))).toEqual([SUBJECT]);
    expect(await waiting(wec('edge1'))).toEqual([]);
  });

  it('begins again if the first of them has reported everything since the check', async () => {
    const head = await readHead(store, PK);
    const racing: ItemStore = {
      ...store,
      // The source ends its listing when the subject is about to wait, and tells those that wait before.
      put: async (puts) => {
        await endListing(wec('edge'));
        await notifyWaiting(deps, wec('edge'), CHANGE);
        return store.put(puts);
      },
    };
    const outcome = awaiting(depsOf(racing), { subject: SUBJECT, head }, [wec('edge'), wec('b')]);
    expect(await outcome).toBe('again');
    expect(told()).toEqual([]);
  });
});

describe('a source that has reported everything', () => {
  it('notifies those that wait for it, once', async () => {
    await putWait(store, sourcePartition(wec('edge')), SUBJECT);
    await notifyWaiting(deps, wec('edge'), CHANGE);
    expect(told()).toEqual([
      expect.objectContaining({ type: 'subject', subject: SUBJECT, ...CHANGE }),
    ]);
    await notifyWaiting(deps, wec('edge'), CHANGE);
    expect(told()).toEqual([]);
  });

  it('notifies them again if the message could not be sent', async () => {
    await putWait(store, sourcePartition(wec('edge')), SUBJECT);
    dirty.mode = 'lost';
    await expect(notifyWaiting(deps, wec('edge'), CHANGE)).rejects.toThrow();
    dirty.mode = 'accept';
    await notifyWaiting(deps, wec('edge'), CHANGE);
    expect(told()).toHaveLength(1);
  });
});

describe('a WDS', () => {
  const WDS: EventSource = { type: 'wds', name: 'wds1' };

  it('notifies those that wait for it when its listing has ended, and is not checked again', async () => {
    await putWait(store, sourcePartition(WDS), SUBJECT);
    await lookAtWds(deps, 'wds1', CHANGE);
    expect(told()).toEqual([]);
    await endListing(WDS);
    await lookAtWds(deps, 'wds1', CHANGE);
    expect(told()).toHaveLength(1);
    await putWait(store, sourcePartition(WDS), SUBJECT);
    await lookAtWds(deps, 'wds1', CHANGE);
    expect(told()).toEqual([]);
  });

  it('is checked again by a process that could not notify all of them', async () => {
    await putWait(store, sourcePartition(WDS), SUBJECT);
    await endListing(WDS);
    dirty.mode = 'lost';
    await expect(lookAtWds(deps, 'wds1', CHANGE)).rejects.toThrow();
    dirty.mode = 'accept';
    await lookAtWds(deps, 'wds1', CHANGE);
    expect(told()).toHaveLength(1);
  });
});
