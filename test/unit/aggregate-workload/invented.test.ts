import { describe, expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import { putApplied, readHead } from '#shared/state/head.ts';
import { putStrays } from '#shared/state/strays.ts';
import { Pipeline, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';

const PK = subjectPartition(WEB_SUBJECT);
const TOLD = { type: 'subject', subject: WEB_SUBJECT, wecs: ['wec1'] } as const;

/** A WEC has said that it has an object of which its WDS has never told anything. */
async function invented(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  await pipeline.record(pipeline.said('wec1', 3));
  pipeline.takeDirty();
  return pipeline;
}

describe('an object that only WECs have reported', () => {
  it('is aggregated, and the writer is not notified', async () => {
    const pipeline = await invented();
    await pipeline.aggregate(TOLD);
    expect((await readHead(pipeline.store, PK)).revision).toBe(1);
    expect(pipeline.takeHints()).toEqual([]);
  });

  it('is written once its WDS and a Binding report it', async () => {
    const pipeline = await invented();
    await pipeline.aggregate(TOLD);
    await pipeline.begin(['wec1']);
    expect(await pipeline.ready()).toBe(3);
  });

  it('is reported if a writer has noted that it must check it', async () => {
    const pipeline = await invented();
    await pipeline.aggregate(TOLD);
    await putStrays(pipeline.store, { pk: PK }, [{ namespace: 'shop', name: 'stray' }]);
    await pipeline.aggregate(TOLD);
    expect(pipeline.takeHints()).toMatchObject([{ subject: WEB_SUBJECT }]);
  });

  it('is reported if the writer has checked it before', async () => {
    const pipeline = await invented();
    await pipeline.aggregate(TOLD);
    const pending = { revision: 1, hash: '', owned: {}, errorBindings: [], reported: [] };
    await putApplied(pipeline.store, PK, pending);
    await pipeline.aggregate(TOLD);
    expect(pipeline.takeHints()).toMatchObject([{ subject: WEB_SUBJECT }]);
  });
});
