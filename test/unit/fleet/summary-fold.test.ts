import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_STATES, type BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import {
  countOf,
  deploymentsIn,
  EMPTY_SUMMARY,
  firstOf,
  mergeSummaries,
  type SummaryPart,
  summaryJson,
  worstState,
} from '#shared/core/fleet/summary-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { condition } from './fixtures/parts.ts';
import { shuffled } from './fixtures/shuffled.ts';
import { CHANGED, ROLLING_OUT, rowIn } from './fixtures/states.ts';

/** Rows of clusters whose names begin with a text, so many in a state. */
function rows(state: BundleState, prefix: string, count = 1): readonly DeploymentRow[] {
  return Array.from({ length: count }, (_, index) =>
    rowIn(state, { cluster: `${prefix}${10 + index}` }),
  );
}

function summaryOf(all: readonly DeploymentRow[]): SummaryPart {
  return foldRows(BUNDLE, all).byCluster;
}

/** The states of the deployments that a summary lists, by cluster. */
function listed(all: readonly DeploymentRow[]): readonly (readonly [unknown, unknown])[] {
  const list = (summaryJson(summaryOf(all))['nonReadyResources'] ?? []) as readonly JsonObject[];
  return list.map(({ name, bundleState }) => [name, bundleState]);
}

const NON_READY = BUNDLE_STATES.filter((state) => state !== 'Ready');

describe('the counters of a summary', () => {
  it.each([
    ['NotReady', 'notReady'],
    ['Pending', 'pending'],
    ['OutOfSync', 'outOfSync'],
    ['Modified', 'modified'],
    ['WaitApplied', 'waitApplied'],
    ['ErrApplied', 'errApplied'],
  ] as const)("for %s are %s and desiredReady (Fleet's code, BundleSummary)", (state, name) => {
    const { nonReadyResources: _list, ...counters } = summaryJson(summaryOf(rows(state, 'c', 3)));
    expect(counters).toEqual({ [name]: 3, ready: 0, desiredReady: 3 });
  });

  it('for Ready are ready and desiredReady, which are there also when they are 0', () => {
    expect(summaryJson(summaryOf(rows('Ready', 'c', 2)))).toEqual({ ready: 2, desiredReady: 2 });
    expect(summaryJson(EMPTY_SUMMARY)).toEqual({ ready: 0, desiredReady: 0 });
  });

  it('are those of every state', () => {
    const part = summaryOf(BUNDLE_STATES.flatMap((state, index) => rows(state, state, index + 1)));
    for (const [index, state] of BUNDLE_STATES.entries())
      expect(countOf(part, state)).toBe(index + 1);
    expect(deploymentsIn(part)).toBe(28);
    expect(summaryJson(part)).toMatchObject({ ready: 1, notReady: 2, errApplied: 7 });
  });
});

describe('the worst state (Fleet, Status Fields, State Ranking)', () => {
  it.each(NON_READY.map((state, index) => [state, index] as const))('is %s', (state, index) => {
    const better = BUNDLE_STATES.slice(0, index + 1).flatMap((one) => rows(one, one, 2));
    expect(worstState(summaryOf([...better, ...rows(state, 'c')]))).toBe(state);
  });

  it('is Ready if all are, or there are none', () => {
    expect(worstState(summaryOf(rows('Ready', 'c', 3)))).toBe('Ready');
    expect(worstState(EMPTY_SUMMARY)).toBe('Ready');
  });

  it('is that of the eleventh deployment as well, which Fleet does not see', () => {
    const all = [...rows('NotReady', 'a', 10), ...rows('ErrApplied', 'z')];
    expect(worstState(summaryOf(all))).toBe('ErrApplied');
  });
});

describe('the deployments that a summary lists', () => {
  it("have what is known of them, members as in Fleet's code", () => {
    const conditions = [condition('Monitored', 'False', { message: 'slow' })];
    const status = { conditions, modifiedStatus: [CHANGED] };
    expect(summaryJson(summaryOf([rowIn('NotReady', { status })]))['nonReadyResources']).toEqual([
      {
        name: 'fleet-default/c1',
        bundleState: 'NotReady',
        message: 'slow',
        modifiedStatus: [CHANGED],
        nonReadyStatus: [ROLLING_OUT],
      },
    ]);
  });

  it('have no members that say nothing', () => {
    const pending = rowIn('Pending');
    expect(summaryJson(summaryOf([pending]))['nonReadyResources']).toEqual([
      { name: 'fleet-default/c1', bundleState: 'Pending' },
    ]);
    const nameless = { ...pending, name: '' };
    expect(summaryJson(foldRows(BUNDLE, [nameless]).byUid)['nonReadyResources']).toEqual([
      { bundleState: 'Pending' },
    ]);
  });

  it('are all of up to ten, in the order of their list', () => {
    const all = [...rows('NotReady', 'a', 5), ...rows('ErrApplied', 'b', 3), ...rows('Ready', 'c')];
    expect(listed(shuffled(all, 5))).toEqual([
      ...[10, 11, 12, 13, 14].map((index) => [`fleet-default/a${index}`, 'NotReady']),
      ...[10, 11, 12].map((index) => [`fleet-default/b${index}`, 'ErrApplied']),
    ]);
  });

  it('are ten of more: one of each state that there is, then the worst', () => {
    const all = NON_READY.flatMap((state, index) => rows(state, 'fedcba'[index] ?? '', 3));
    expect(listed(shuffled(all, 9))).toEqual([
      ['fleet-default/a10', 'ErrApplied'],
      ['fleet-default/a11', 'ErrApplied'],
      ['fleet-default/a12', 'ErrApplied'],
      ['fleet-default/b10', 'WaitApplied'],
      ['fleet-default/b11', 'WaitApplied'],
      ['fleet-default/b12', 'WaitApplied'],
      ['fleet-default/c10', 'Modified'],
      ['fleet-default/d10', 'OutOfSync'],
      ['fleet-default/e10', 'Pending'],
      ['fleet-default/f10', 'NotReady'],
    ]);
  });

  it('have the only error among them, wherever it is', () => {
    const all = [...rows('NotReady', 'a', 40), ...rows('ErrApplied', 'z')];
    expect(listed(all)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => [`fleet-default/a${10 + index}`, 'NotReady']),
      ['fleet-default/z10', 'ErrApplied'],
    ]);
  });

  it('are the same whatever the order of 4,000 clusters', () => {
    const all = Array.from({ length: 4000 }, (_, index) => ({
      ...rowIn(NON_READY[index % 6] ?? 'Ready'),
      namespace: `cluster-${index}`,
      cluster: `fleet-default/c${index}`,
    }));
    const once = stringifyJson(summaryOf(all));
    for (const seed of [1, 2, 3]) expect(stringifyJson(summaryOf(shuffled(all, seed)))).toBe(once);
    expect(once.length).toBeLessThan(40_000);
  });
});

describe('the summaries of several levels', () => {
  it('equal one side if the other has no deployments', () => {
    const part = summaryOf(rows('Modified', 'c'));
    expect(mergeSummaries(part, EMPTY_SUMMARY)).toEqual(part);
    expect(mergeSummaries(EMPTY_SUMMARY, part)).toEqual(part);
  });

  it('are together the first of both, and all counters', () => {
    const [a, b] = [rows('NotReady', 'x', 9), rows('NotReady', 'a', 9)].map(summaryOf);
    const both = mergeSummaries(a ?? EMPTY_SUMMARY, b ?? EMPTY_SUMMARY);
    expect(countOf(both, 'NotReady')).toBe(18);
    expect(firstOf(both, 'NotReady').map(({ name }) => name)).toEqual([
      ...Array.from({ length: 9 }, (_, index) => `fleet-default/a${10 + index}`),
      'fleet-default/x10',
    ]);
  });
});
