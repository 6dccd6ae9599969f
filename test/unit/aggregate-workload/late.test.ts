import { beforeEach, describe, expect, it } from 'vitest';
import type { AggregateDeps } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { contentHash } from '#shared/content-hash.ts';
import { subjectPartition } from '#shared/core/subject.ts';
import { type DirtyMessage, encodeDirty, parseDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { readHead } from '#shared/state/head.ts';
import { readParts } from '#shared/state/parts.ts';
import { shardOf } from '#shared/state/shards.ts';
import { interrupted, Pipeline, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const SHARDS = 32;
const WECS = Array.from({ length: 1000 }, (_wec, index) => `wec${index}`);
/** More than 128 and fewer than 1000: 16 shards. */
const FEWER = WECS.slice(0, 300);

type SubjectMessage = Extract<DirtyMessage, { type: 'subject' }>;

let pipeline: Pipeline;
/** How often rows of a shard were read. */
let folds = 0;
/** So long does a shard take, on the fake clock. */
let shardMs = 0;

/** The store, on which reading the rows of a shard takes time. */
function slow(store: ItemStore): ItemStore {
  return {
    ...store,
    query: (query) => {
      if (query.from?.startsWith('R#')) {
        folds += 1;
        pipeline.now += shardMs;
      }
      return store.query(query);
    },
  };
}

function aggregate(messages: readonly DirtyMessage[], more: Partial<AggregateDeps> = {}) {
  const store = slow(more.store ?? pipeline.store);
  return handleDirty({ ...pipeline.aggregateDeps(), ...more, store }, messages);
}

/** What is to do for the Deployment; errors of Bindings are not looked at here. */
function waiting(): readonly SubjectMessage[] {
  return pipeline
    .takeDirty()
    .filter((message) => message.type === 'subject')
    .filter(({ subject }) => subject.type === 'workload');
}

function changed(wecs: readonly string[]): DirtyMessage {
  return { type: 'subject', subject: WEB_SUBJECT, wecs };
}

/** Handles a message and those that follow from it; how many invocations that took, and the shards of each. */
async function invocations(first: DirtyMessage): Promise<readonly number[]> {
  const shards: number[] = [];
  for (let next: readonly DirtyMessage[] = [first]; next.length > 0; next = waiting()) {
    const before = folds;
    await aggregate(next);
    shards.push(folds - before);
    if (shards.length > 100) throw new Error('it does not come to rest');
  }
  return shards;
}

async function record(wecs: readonly string[], ready: number): Promise<void> {
  await pipeline.record(...wecs.map((wec) => pipeline.said(wec, ready)));
}

async function written(): Promise<unknown> {
  for (const hint of pipeline.takeHints()) await pipeline.write(hint);
  return pipeline.ready();
}

beforeEach(async () => {
  pipeline = new Pipeline();
  folds = 0;
  shardMs = 0;
  await pipeline.begin(WECS);
  await record(WECS, 3);
  await pipeline.settle();
  pipeline.takeDirty();
  expect(await readHead(pipeline.store, PK)).toMatchObject({ shards: SHARDS });
});

describe('a fold that takes longer than an invocation', () => {
  beforeEach(async () => {
    await record(WECS, 7);
    waiting();
    folds = 0;
  });

  it('ends after as many invocations as it takes, each of which does its share', async () => {
    shardMs = 3_001;
    expect(await invocations(changed(WECS))).toEqual([4, 4, 4, 4, 4, 4, 4, 4]);
    expect(await written()).toBe(7);
  });

  it('makes progress however late it is from the beginning', async () => {
    shardMs = 60_000;
    expect(await invocations(changed(WECS))).toEqual(new Array(SHARDS).fill(1));
    expect(await written()).toBe(7);
  });

  it('is one invocation if there is enough time', async () => {
    expect(await invocations(changed(WECS))).toEqual([SHARDS]);
    expect(await written()).toBe(7);
  });

  it('shows nothing before its end', async () => {
    shardMs = 3_001;
    const before = await readHead(pipeline.store, PK);
    await aggregate([changed(WECS)]);
    expect(await readHead(pipeline.store, PK)).toEqual(before);
    expect(pipeline.takeHints()).toEqual([]);
  });

  it('leaves a message that names the shards which are not folded, not the WECs', async () => {
    shardMs = 3_001;
    await aggregate([{ ...changed(WECS), changedMs: 17 } as DirtyMessage]);
    const { layoutRevision } = await readHead(pipeline.store, PK);
    const left = Array.from({ length: SHARDS - 4 }, (_shard, index) => index + 4);
    expect(waiting()).toEqual([
      {
        type: 'subject',
        subject: WEB_SUBJECT,
        rest: [{ layoutRevision, shards: SHARDS, left }],
        rows: [],
        strays: [],
        changedMs: 17,
      },
    ]);
  });

  it('leaves each row of a table that it has not begun once, however many messages name it', async () => {
    shardMs = 3_001;
    const rows = ['CLUSTER#c/1', 'CLUSTER#c/2'];
    const message = { ...changed(WECS), rows } as DirtyMessage;
    await aggregate([message, message]);
    expect(waiting()).toMatchObject([{ rows }]);
  });

  it('folds what changes in the meantime with the rest', async () => {
    shardMs = 3_001;
    await aggregate([changed(WECS)]);
    const [rest] = waiting();
    await record(['wec0'], 1);
    const messages = waiting();
    folds = 0;
    shardMs = 0;
    await aggregate([...messages, ...(rest === undefined ? [] : [rest])]);
    const isFolded = shardOf('wec0', SHARDS) < 4;
    expect(folds).toBe(SHARDS - 4 + Number(isFolded));
    expect(await written()).toBe(1);
  });

  it('loses nothing when it is killed at its end and its messages come again', async () => {
    shardMs = 3_001;
    const killed: MessageSender = {
      ...pipeline.aggregateDeps().dirty,
      send: () => Promise.reject(new Error('killed')),
    };
    await expect(aggregate([changed(WECS)], { dirty: killed })).rejects.toThrow('killed');
    expect(await invocations(changed(WECS))).toHaveLength(8);
    expect(await written()).toBe(7);
  });

  it('asks again for what it asked for before, if another fold left the same', async () => {
    shardMs = 60_000;
    const ids = new Set<string | undefined>();
    const send: MessageSender['send'] = async (messages) => {
      for (const { deduplicationId } of messages) ids.add(deduplicationId);
    };
    const dirty: MessageSender = { ...pipeline.aggregateDeps().dirty, send };
    for (let times = 0; times < 3; times += 1) await aggregate([changed(WECS)], { dirty });
    expect(ids.size).toBe(3);
  });

  it('reports strays only at its end', async () => {
    shardMs = 11_000;
    const strays = [{ namespace: 'shop', name: 'x' }];
    await aggregate([{ type: 'subject', subject: WEB_SUBJECT, wecs: WECS, strays }]);
    expect(pipeline.takeHints()).toEqual([]);
    const [rest] = waiting();
    expect(rest).toMatchObject({ strays });
    shardMs = 0;
    await invocations(rest ?? changed([]));
    expect(pipeline.takeHints()).toContainEqual({ subject: WEB_SUBJECT, objects: strays });
  });
});

describe('a fold of another number of shards', () => {
  it('continues in the layout revision that it began, and leaves no part of another', async () => {
    await pipeline.bind(FEWER);
    for (const message of pipeline.takeDirty()) await aggregate([message]);
    for (const message of waiting()) await aggregate([message]);
    const before = await readHead(pipeline.store, PK);
    expect(before.shards).toBe(16);
    await pipeline.bind(WECS);
    const messages = pipeline.takeDirty();
    for (const message of messages) await aggregate([message]);
    const [told] = waiting();
    folds = 0;
    shardMs = 3_001;
    expect(await invocations(told ?? changed([]))).toHaveLength(8);
    expect(folds).toBe(SHARDS);
    const { layoutRevision, shards } = await readHead(pipeline.store, PK);
    expect({ layoutRevision, shards }).toEqual({
      layoutRevision: before.revision + 1,
      shards: SHARDS,
    });
    expect(
      (await readParts(pipeline.store, { pk: PK, layoutRevision: before.layoutRevision })).size,
    ).toBe(0);
  });

  it('counts no part that a fold stored before the shards were others', async () => {
    await record(WECS, 7);
    waiting();
    shardMs = 3_001;
    await aggregate([changed(WECS)]);
    const [rest] = waiting();
    shardMs = 0;
    await pipeline.bind(FEWER);
    for (const message of pipeline.takeDirty()) await aggregate([message]);
    await pipeline.settle();
    folds = 0;
    await aggregate(rest === undefined ? [] : [rest]);
    expect(folds).toBe(16);
    expect(await written()).toBe(7);
  });
});

describe('two folds at once', () => {
  it('keep what each has stored: no shard is folded again that was since the messages came', async () => {
    await record(WECS, 7);
    waiting();
    folds = 0;
    // The other one stores a part where this one has folded about half.
    const other = async (): Promise<void> => {
      const [middle = ''] = WECS.filter((wec) => shardOf(wec, SHARDS) === 16);
      await record([middle], 5);
      for (const message of waiting()) await aggregate([message]);
    };
    const { items } = await pipeline.store.query({ pk: PK, from: 'PART#', to: 'PART#\u{10ffff}' });
    const { sk = '' } = items[16] ?? {};
    const store = interrupted(pipeline.store, { call: 'put', sk, when: 'before' }, other);
    await aggregate([changed(WECS)], { store });
    // 32 of its own, one of the other's, and the one that both have.
    expect(folds).toBe(SHARDS + 2);
    expect(await written()).toBe(5);
  });
});

describe('a message about the rest of a fold', () => {
  it('is read as it was written', () => {
    const rest = [
      { table: 'BUNDLE', layoutRevision: 3, shards: 8, left: [1, 7] },
      { layoutRevision: 1, shards: 2, left: [] },
    ];
    const message: DirtyMessage = { type: 'subject', subject: WEB_SUBJECT, rest };
    const { body, group } = encodeDirty(message, 'rest');
    expect(parseDirty(body)).toEqual(message);
    expect(group).toBe(contentHash(PK));
  });
});
