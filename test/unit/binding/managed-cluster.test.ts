import { describe, expect, it } from 'vitest';
import { isSilent, unavailableSince } from '#shared/core/binding/managed-cluster.ts';
import type { JsonObject } from '#shared/core/json.ts';

const SINCE = '2026-03-01T12:00:00Z';
const MINUTE_MS = 60_000;

function managedCluster(condition: JsonObject | undefined, spec: JsonObject = {}): JsonObject {
  const joined = { type: 'ManagedClusterJoined', status: 'True' };
  return {
    apiVersion: 'cluster.open-cluster-management.io/v1',
    kind: 'ManagedCluster',
    metadata: { name: 'edge' },
    spec,
    status: {
      conditions:
        condition === undefined
          ? [joined]
          : [joined, { type: 'ManagedClusterConditionAvailable', ...condition }],
    },
  };
}

function isSilentAfter(cluster: JsonObject, ms: number): boolean {
  return isSilent(cluster, Date.parse(SINCE) + ms);
}

describe('isSilent', () => {
  it.each([
    ['five lease durations of a minute', {}, 5 * MINUTE_MS],
    ['five of the durations that are given', { leaseDurationSeconds: 20 }, 100_000],
    [
      'the default where no duration is given that can be',
      { leaseDurationSeconds: 0 },
      5 * MINUTE_MS,
    ],
    ['the default where the duration is no number', { leaseDurationSeconds: '9' }, 5 * MINUTE_MS],
  ])('waits for %s', (_limit, spec, limit) => {
    const cluster = managedCluster({ status: 'Unknown', lastTransitionTime: SINCE }, spec);
    expect(isSilentAfter(cluster, limit)).toBe(false);
    expect(isSilentAfter(cluster, limit + 1)).toBe(true);
  });

  it('counts a cluster that is unavailable since no time that can be read', () => {
    expect(isSilentAfter(managedCluster({ status: 'False' }), 0)).toBe(true);
  });

  it.each([
    ['is available', { status: 'True', lastTransitionTime: SINCE }],
    ['has no condition that says so', undefined],
  ])('counts no cluster that %s', (_which, condition) => {
    expect(isSilentAfter(managedCluster(condition), 1_000 * MINUTE_MS)).toBe(false);
  });

  it('counts no cluster of which the hub has said nothing', () => {
    expect(isSilent({ metadata: { name: 'new' } }, 0)).toBe(false);
  });
});

describe('unavailableSince', () => {
  it.each([
    ['is when the condition changed, in UTC', '2026-03-01T13:00:00.9+01:00', { since: SINCE }],
    ['is nothing if the time is invalid', 'yesterday', {}],
  ])('%s', (_what, lastTransitionTime, expected) => {
    const cluster = managedCluster({ status: 'Unknown', lastTransitionTime });
    expect(unavailableSince(cluster)).toEqual(expected);
  });
});
