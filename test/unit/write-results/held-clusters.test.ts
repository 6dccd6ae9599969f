import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ClusterHeldError,
  createHeldClusters,
  type HeldClusters,
  HOLD_MS,
} from '#functions/write-results/held-clusters.ts';

let clusters: HeldClusters;
beforeEach(() => {
  vi.useFakeTimers();
  clusters = createHeldClusters(Date.now);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Work that ends when it is told to; what became of it for who waits. */
function begin(cluster = 'WDS slow') {
  const work = Promise.withResolvers<string>();
  let isBegun = false;
  let outcome: unknown = 'open';
  const ran = clusters.run(cluster, () => {
    isBegun = true;
    return work.promise;
  });
  void ran.then(
    (result) => {
      outcome = result;
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  return {
    end: () => work.resolve('done'),
    fail: () => work.reject(new Error('refused')),
    isBegun: () => isBegun,
    outcome: () => outcome,
  };
}

function pass(ms: number): Promise<unknown> {
  return vi.advanceTimersByTimeAsync(ms);
}

describe('a cluster that is slow', () => {
  it('delays one subject, and those under way end when they have taken as long', async () => {
    const works = [begin(), begin(), begin()];
    await pass(HOLD_MS);
    const outcomes = works.map(({ outcome }) => outcome());
    expect(outcomes).toEqual(['open', expect.any(ClusterHeldError), expect.any(ClusterHeldError)]);
    works[0]?.end();
    await pass(0);
    expect(works[0]?.outcome()).toBe('done');
  });

  it('has none begun while one takes long, and as long again; then one is tried', async () => {
    const first = begin();
    await pass(HOLD_MS);
    const during = begin();
    await pass(0);
    expect([during.isBegun(), during.outcome()]).toEqual([false, expect.any(ClusterHeldError)]);
    first.end();
    await pass(HOLD_MS - 1);
    const early = begin();
    await pass(1);
    expect(early.isBegun()).toBe(false);
    const [trial, beside] = [begin(), begin()];
    await pass(0);
    expect([trial.isBegun(), beside.isBegun()]).toEqual([true, false]);
  });

  it('has all places again if one is done or rejected in time', async () => {
    for (const ends of ['end', 'fail'] as const) {
      const first = begin();
      await pass(HOLD_MS);
      first.end();
      await pass(HOLD_MS);
      const trial = begin();
      trial[ends]();
      await pass(0);
      const after = [begin(), begin(), begin()];
      await pass(0);
      expect(after.map(({ isBegun }) => isBegun())).toEqual([true, true, true]);
      for (const one of after) one.end();
      await pass(0);
    }
  });

  it('stays slow while those that are tried take long', async () => {
    begin().end();
    const first = begin();
    await pass(HOLD_MS);
    first.end();
    await pass(HOLD_MS);
    const trial = begin();
    await pass(HOLD_MS);
    expect(trial.outcome()).toBe('open');
    const beside = begin();
    await pass(0);
    expect(beside.isBegun()).toBe(false);
  });

  it('is retried although what held it up never ends, as in a process that was frozen', async () => {
    begin();
    await pass(HOLD_MS);
    await pass(60_000);
    expect(begin().isBegun()).toBe(true);
  });

  it('is nothing to another cluster', async () => {
    begin();
    await pass(HOLD_MS);
    const other = begin('Fleet upstream');
    other.end();
    await pass(0);
    expect(other.outcome()).toBe('done');
  });

  it('says what waits for what', async () => {
    begin();
    await pass(HOLD_MS);
    await expect(clusters.run('WDS slow', async () => 'x')).rejects.toMatchObject({
      code: 'cluster-held',
      retryable: true,
      message: expect.stringMatching(/^WDS slow: .*longer than 10 s.*check whether its API server/),
    });
  });
});
