import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NO_VERDICT } from '#shared/core/health/verdict.ts';
import { boundedCounts } from '#shared/core/health/workload-counts.ts';
import {
  type Counting,
  countWorkloads,
  putCounting,
  readCounting,
} from '#shared/state/workload-counts.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { putJudged, workloadNamed } from './named-workloads.ts';

it('a count reads the entries of one WDS, and the verdicts of their heads', async () => {
  const store = createMemoryItemStore();
  await putJudged(store, workloadNamed('a'), 'Healthy');
  await putJudged(store, workloadNamed('b'), 'Degraded');
  await putJudged(store, workloadNamed('c', 'services'), undefined);
  await putJudged(store, { ...workloadNamed('d'), wds: 'wds2' }, 'Healthy');
  const { counts, after } = await countWorkloads(store, 'wds1');
  expect(after).toBeUndefined();
  expect(boundedCounts(counts)).toEqual([
    { resource: 'deployments.apps', verdict: 'Degraded', objects: 1 },
    { resource: 'deployments.apps', verdict: 'Healthy', objects: 1 },
    { resource: 'services', verdict: 'None', objects: 1 },
  ]);
});

it('a WDS without workload objects has no counts', async () => {
  expect(await countWorkloads(createMemoryItemStore(), 'wds1')).toEqual({ counts: [] });
});

it('a count in steps finds the same as a count at once: each object once', async () => {
  const verdict = fc.constantFrom('Healthy', 'Degraded', 'Progressing', undefined);
  const resource = fc.constantFrom('deployments', 'statefulsets', 'services');
  const objects = fc.array(fc.record({ resource, verdict }), { maxLength: 1_300 });
  await fc.assert(
    fc.asyncProperty(objects, fc.integer({ min: 1, max: 1_300 }), async (given, most) => {
      const store = createMemoryItemStore();
      const naive: Record<string, number> = {};
      for (const [index, { resource: of, verdict: status }] of given.entries()) {
        const workload = workloadNamed(`w${index}`, of);
        await putJudged(store, workload, status);
        const key = `${of} ${status ?? NO_VERDICT}`;
        naive[key] = (naive[key] ?? 0) + 1;
      }
      let counting: Counting = await countWorkloads(store, 'wds1', { most });
      while (counting.after !== undefined)
        counting = await countWorkloads(store, 'wds1', { before: counting, most });
      const found = counting.counts.map((one) => [
        `${one.resource.split('.')[0]} ${one.verdict}`,
        one.objects,
      ]);
      expect(Object.fromEntries(found)).toEqual(naive);
    }),
    { numRuns: 25, examples: [[Array(1_001).fill({ resource: 'services' }), 1]] },
  );
});

it('a stored count is replaced only by the one that has read it', async () => {
  const store = createMemoryItemStore();
  const none = await readCounting(store, 'wds1');
  expect(none).toEqual({ revision: 0, counts: [], published: [] });
  const published = [{ resource: 'services', verdict: 'None', objects: 2 }];
  expect(await putCounting(store, 'wds1', { ...none, published, after: 'x' })).toBe(true);
  expect(await putCounting(store, 'wds1', none)).toBe(false);
  const stored = { revision: 1, counts: [], published, after: 'x' };
  expect(await readCounting(store, 'wds1')).toEqual(stored);
  expect(await putCounting(store, 'wds1', { ...stored, published: [] })).toBe(true);
  expect(await readCounting(store, 'wds2')).toEqual(none);
});
