import { describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import { readApplied, readHead } from '#shared/state/head.ts';
import { readParts } from '#shared/state/parts.ts';
import { shardOf } from '#shared/state/shards.ts';
import { interrupted, Pipeline, WDS, WEB_SUBJECT } from './pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const HINT = { subject: WEB_SUBJECT, objects: [] };

function dirty(...wecs: readonly string[]): DirtyMessage {
  return { type: 'subject', subject: WEB_SUBJECT, wecs };
}

describe('a slower aggregator', () => {
  it('that has read older rows does not pass a faster one', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    await pipeline.record(pipeline.said('wec1', 1));
    const slow = interrupted(
      pipeline.store,
      { call: 'query', sk: 'R#', when: 'after' },
      async () => {
        await pipeline.record(pipeline.said('wec1', 5));
        await pipeline.aggregate(dirty('wec1'));
      },
    );
    await pipeline.aggregate(dirty('wec1'), slow);
    // Both messages are handled; nothing but the hints is left.
    pipeline.takeDirty();
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(5);
  });

  it('that dies does not leave the part of a shard that it folded from older rows', async () => {
    const pipeline = new Pipeline(1);
    const wecs = Array.from({ length: 8 }, (_, index) => `wec${index + 1}`);
    await pipeline.begin(wecs);
    await pipeline.record(...wecs.map((wec) => pipeline.said(wec, 7)));
    await pipeline.settle();
    await pipeline.record(pipeline.said('wec1', 1));
    const overtaken = interrupted(
      pipeline.store,
      { call: 'query', sk: 'R#', when: 'after' },
      async () => {
        await pipeline.record(pipeline.said('wec1', 5));
        await pipeline.aggregate(dirty('wec1'));
      },
    );
    const dying = interrupted(overtaken, { call: 'put', sk: 'HEAD', when: 'before' }, () =>
      Promise.reject(new Error('crash')),
    );
    await expect(pipeline.aggregate(dirty('wec1'), dying)).rejects.toThrow('crash');
    pipeline.takeDirty();
    // Other shards change: what stands for the first one is its stored part.
    const { shards } = await readHead(pipeline.store, PK);
    const others = wecs.filter((wec) => shardOf(wec, shards) !== shardOf('wec1', shards));
    expect(others).not.toEqual([]);
    await pipeline.record(...others.map((wec) => pipeline.said(wec, 6)));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(5);
  });

  it('folds a shard again that had other rows with an earlier number of shards', async () => {
    const pipeline = new Pipeline(1);
    const wecs = ['wec1', 'wec2', 'wec3', 'wec4'];
    await pipeline.begin(wecs);
    await pipeline.record(...wecs.map((wec) => pipeline.said(wec, 7)));
    await pipeline.settle();
    const before = await readHead(pipeline.store, PK);
    expect(
      (await readParts(pipeline.store, { pk: PK, layoutRevision: before.layoutRevision })).size,
    ).toBe(before.shards);
    await pipeline.bind(['wec1']);
    await pipeline.settle();
    await pipeline.record(pipeline.said('wec1', 3));
    await pipeline.settle();
    await pipeline.bind(wecs);
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(3);
    expect(
      (await readParts(pipeline.store, { pk: PK, layoutRevision: before.layoutRevision })).size,
    ).toBe(0);
  });
});

describe('a slower writer', () => {
  it('that recorded an older result than the one desired in the meantime writes again', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    await pipeline.record(pipeline.said('wec1', 1));
    await pipeline.settle();
    await pipeline.record(pipeline.said('wec1', 2));
    await pipeline.aggregate(dirty('wec1'));
    pipeline.takeDirty();
    pipeline.takeHints();
    // Back to what was applied last: the aggregator sends no hint, the writer has checked the head already.
    const slow = interrupted(
      pipeline.store,
      { call: 'put', sk: 'APPLIED', when: 'before' },
      async () => {
        await pipeline.record(pipeline.said('wec1', 1));
        await pipeline.aggregate(dirty('wec1'));
        expect(pipeline.takeHints()).toEqual([]);
        pipeline.takeDirty();
      },
    );
    await pipeline.write(HINT, slow);
    expect(await pipeline.ready()).toBe(1);
  });

  it('does not record over what another one recorded since it began', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    await pipeline.record(pipeline.said('wec1', 1));
    await pipeline.aggregate(dirty('wec1'));
    const slow = interrupted(
      pipeline.store,
      { call: 'put', sk: 'APPLIED', when: 'before' },
      async () => {
        await pipeline.record(pipeline.said('wec1', 2));
        await pipeline.aggregate(dirty('wec1'));
        await pipeline.write(HINT);
      },
    );
    await pipeline.write(HINT, slow);
    const [head, applied] = [
      await readHead(pipeline.store, PK),
      await readApplied(pipeline.store, PK),
    ];
    expect(applied.hash).toBe(head.hash);
    expect(await pipeline.ready()).toBe(2);
  });

  it('does not take for applied what another one has written over since', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    const want = async (ready: number): Promise<string> => {
      await pipeline.record(pipeline.said('wec1', ready));
      await pipeline.aggregate(dirty('wec1'));
      pipeline.takeDirty();
      return (await readHead(pipeline.store, PK)).hash ?? '';
    };
    await want(1);
    await pipeline.settle();
    const second = await want(2);
    pipeline.takeHints();
    // Wanted are 1, 2, 1, 2 in turn. The slow writer has written 2; another one writes 1 over it, which is what was
    // applied before both; then 2 is wanted again, and is what the slow one has just recorded.
    const recording = { call: 'put', sk: 'APPLIED', body: second } as const;
    const written = interrupted(pipeline.store, { ...recording, when: 'before' }, async () => {
      await want(1);
      await pipeline.write(HINT);
      pipeline.takeHints();
    });
    const slow = interrupted(written, { ...recording, when: 'after' }, async () => {
      await want(2);
    });
    await pipeline.write(HINT, slow);
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(2);
  });
});

describe('recording', () => {
  it('reports a known version again, but not an older one', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    const [older, newer] = [pipeline.said('wec1', 1), pipeline.said('wec1', 2)];
    await pipeline.record(newer);
    expect(pipeline.takeDirty()).toEqual([dirty('wec1')]);
    // The same cause is told once: a queue would drop the second message, so another pipeline stands for a later time.
    const again = new Pipeline();
    await again.store.put((await pipeline.store.query({ pk: PK })).items.map((item) => ({ item })));
    await again.record(older);
    expect(again.takeDirty()).toEqual([]);
    await again.record(newer);
    expect(again.takeDirty()).toEqual([dirty('wec1')]);
  });

  it('notifies a workload once for all rows of an invocation', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1', 'wec2']);
    await pipeline.record(
      pipeline.said('wec2', 1),
      pipeline.said('wec1', 1),
      pipeline.said('wec1', 2),
    );
    expect(pipeline.takeDirty()).toEqual([dirty('wec1', 'wec2')]);
  });

  it('buries a row that is older than the last complete listing of its WEC', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1', 'wec2']);
    const late = pipeline.said('wec1', 9);
    await pipeline.record(pipeline.said('wec2', 9));
    const since = { epoch: 2, sequence: 0 };
    await pipeline.record(
      pipeline.event({ type: 'wec', name: 'wec1' }, { type: 'snapshot', since }, 2),
    );
    await pipeline.settle();
    await pipeline.record(late);
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(undefined);
  });

  it('sweeps what a WEC has no more, and keeps what it said again', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    await pipeline.record(pipeline.said('wec1', 4));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(4);
    const snapshot = (epoch: number) =>
      pipeline.event(
        { type: 'wec', name: 'wec1' },
        { type: 'snapshot', since: { epoch, sequence: 0 } },
        epoch,
      );
    await pipeline.record(pipeline.said('wec1', 4, 2), snapshot(2));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(4);
    await pipeline.record(snapshot(3));
    await pipeline.settle();
    expect(await pipeline.ready()).toBe(undefined);
  });

  it('looks at everything in a WDS after a complete listing of it', async () => {
    const pipeline = new Pipeline();
    await pipeline.begin(['wec1']);
    const since = { epoch: 1, sequence: 0 };
    await pipeline.record(pipeline.event({ type: 'wds', name: WDS }, { type: 'snapshot', since }));
    for (const message of pipeline.takeDirty()) await pipeline.aggregate(message);
    expect(pipeline.takeHints().map(({ subject }) => subject.type)).toEqual([
      'binding',
      'workload',
    ]);
  });
});
