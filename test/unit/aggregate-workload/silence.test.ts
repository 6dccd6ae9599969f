import { beforeEach, describe, expect, it } from 'vitest';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { readHead } from '#shared/state/head.ts';
import { MULTI, Pipeline, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';

const WECS = Array.from({ length: 64 }, (_wec, index) => `wec${index}`);
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
const SILENCE: DirtyMessage = { type: 'subject', subject: WEB_SUBJECT, silence: true };

let pipeline: Pipeline;
/** What was read of the rows and the silences, and what was put, since it was emptied. */
let calls: string[];

function counted(inner: ItemStore): ItemStore {
  return {
    ...inner,
    query: (query) => {
      if (query.from?.startsWith('R#') || query.pk === 'SILENCE') calls.push(query.pk);
      return inner.query(query);
    },
    put: (puts) => {
      calls.push(...puts.map(({ item }) => `put ${item.sk.slice(0, 4)}`));
      return inner.put(puts);
    },
  };
}

async function aggregate(...messages: readonly DirtyMessage[]): Promise<readonly string[]> {
  calls = [];
  await handleDirty(pipeline.aggregateDeps(counted(pipeline.store)), messages);
  return calls;
}

/** A large workload of WECs that have all reported and speak, but the first, which has just fallen silent. */
async function begin(def: string): Promise<void> {
  pipeline = new Pipeline(4);
  await pipeline.listWds();
  await pipeline.apply(
    { ...CONTROL, resource: 'statuscollectors', name: 's' },
    { kind: 'StatusCollector', metadata: { name: 's' }, spec: { select: [{ name: 'x', def }] } },
  );
  await pipeline.begin(WECS);
  await pipeline.bind(WECS, { ...MULTI, statusCollectors: ['s'] });
  const speak = (wecs: readonly string[]): Promise<void> =>
    pipeline.record(
      ...wecs.map((name) => pipeline.event({ type: 'wec', name }, { type: 'heartbeat' })),
    );
  await pipeline.record(...WECS.map((wec) => pipeline.said(wec, 3)));
  await speak(WECS);
  await pipeline.settle();
  pipeline.now += SILENCE_LIMIT_MS + 1;
  await speak(WECS.slice(1));
  await pipeline.sweep();
  expect(pipeline.takeDirty()).toEqual([SILENCE]);
}

const ROWS = subjectPartition(WEB_SUBJECT);

describe('a silence that a collector asks for', () => {
  beforeEach(() => begin('propagation.stale'));

  it('folds the shard of its WEC again, and no other', async () => {
    expect((await readHead(pipeline.store, ROWS)).shards).toBe(8);
    expect((await aggregate(SILENCE)).filter((call) => call === ROWS)).toHaveLength(1);
    expect((await aggregate(SILENCE)).filter((call) => call === ROWS)).toHaveLength(0);
  });

  it('that is reported again puts the head, as every aggregation', async () => {
    await aggregate(SILENCE);
    expect(await aggregate(SILENCE)).toEqual(['SILENCE', 'put HEAD']);
  });
});

describe('a silence that no collector asks for', () => {
  beforeEach(() => begin('inventory.name'));

  it('is not read, and nothing is folded or put', async () => {
    expect(await aggregate(SILENCE)).toEqual([]);
  });

  it('hides no change that is reported with it', async () => {
    await pipeline.record(pipeline.said('wec7', 1));
    expect(await aggregate(SILENCE, ...pipeline.takeDirty(), SILENCE)).toContain('put HEAD');
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(1);
  });
});
