import { describe, expect, it } from 'vitest';
import { BUNDLE_STATES, NON_READY_STATES, rankOf } from '#shared/core/fleet/bundle-state.ts';

describe('the states of a BundleDeployment', () => {
  it.each([
    ['Ready', 0],
    ['NotReady', 1],
    ['Pending', 2],
    ['OutOfSync', 3],
    ['Modified', 4],
    ['WaitApplied', 5],
    ['ErrApplied', 6],
  ] as const)('%s has the rank %i (Fleet, Status Fields, State Ranking)', (state, rank) => {
    expect(rankOf(state)).toBe(rank);
  });

  it('are these seven', () => {
    expect(BUNDLE_STATES).toHaveLength(7);
  });

  it('stand in messages in alphabetical order, without Ready (Fleet, Status Fields, Ready Condition)', () => {
    expect(NON_READY_STATES).toEqual([
      'ErrApplied',
      'Modified',
      'NotReady',
      'OutOfSync',
      'Pending',
      'WaitApplied',
    ]);
  });
});
