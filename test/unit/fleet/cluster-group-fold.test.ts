import { describe, expect, it } from 'vitest';
import type { BundleState } from '#shared/core/fleet/bundle-state.ts';
import type { ClusterContact } from '#shared/core/fleet/cluster-contact.ts';
import { CLUSTER } from '#shared/core/fleet/cluster-fold.ts';
import {
  CLUSTER_GROUP,
  contactHeadings,
  type GroupPart,
  type GroupRow,
  isClusterReady,
} from '#shared/core/fleet/cluster-group-fold.ts';
import { firstOf, summaryJson } from '#shared/core/fleet/summary-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { counts, NAMESPACE } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';

const CONNECTED: ClusterContact = { type: 'connected' };
const NEVER: ClusterContact = { type: 'never' };
const SILENT: ClusterContact = { type: 'silent', lastSeen: '2026-11-21T10:00:00Z' };

/** A Cluster with a deployment in each of the states, called b0, b1 and so on. */
function row(name: string, states: readonly BundleState[], contact = CONNECTED): GroupRow {
  const rows = states.map((state, index) => rowIn(state, { name: `b${index}`, cluster: name }));
  return { namespace: NAMESPACE, name, contact, part: foldRows(CLUSTER, rows) };
}

function folded(...rows: readonly GroupRow[]): GroupPart {
  return foldRows(CLUSTER_GROUP, rows);
}

describe('the Clusters of a ClusterGroup', () => {
  it.each<readonly [source: string, row: GroupRow, isReady: boolean]>([
    ["Fleet's code: all deployments Ready", row('c1', ['Ready', 'Ready']), true],
    ["Fleet's code: no deployments", row('c1', []), true],
    ["Fleet's code: one deployment not Ready", row('c1', ['Ready', 'NotReady']), false],
    ['docs/fleet.md: a target without a BundleDeployment', row('c1', ['Pending']), false],
    ['docs/fleet.md: an agent that was never seen', row('c1', [], NEVER), false],
    ['docs/fleet.md: an agent that has fallen silent', row('c1', ['Ready'], SILENT), false],
  ])('%s', (_source, one, isReady) => {
    expect(isClusterReady(one)).toBe(isReady);
    const { clusters, notReady } = folded(one, row('c0', ['Ready']));
    expect(clusters).toBe(2);
    expect(notReady).toEqual(isReady ? { count: 0, first: [] } : { count: 1, first: [['c1', '']] });
  });

  it('are named up to ten, by name, and all counted', () => {
    const names = Array.from({ length: 12 }, (_, index) => `c${index + 10}`);
    const { notReady } = folded(...names.toReversed().map((name) => row(name, ['NotReady'])));
    expect(notReady.count).toBe(12);
    expect(notReady.first.map(([name]) => name)).toEqual(names.slice(0, 10));
  });

  it('give the sums of their summaries and resources (Fleet, Status Fields, "ClusterGroups")', () => {
    const part = folded(row('c1', ['Ready', 'NotReady']), row('c2', ['ErrApplied']));
    expect(summaryJson(part.summary)).toMatchObject({ ready: 1, notReady: 1, errApplied: 1 });
    expect(part.counts).toEqual(counts({ ready: 5, notReady: 1, desiredReady: 6 }));
  });

  it('give their deployments in the order of clusters, then of names (docs/fleet.md)', () => {
    const named = (cluster: string, ...names: readonly string[]): GroupRow => ({
      ...row(cluster, []),
      part: foldRows(
        CLUSTER,
        names.map((name) => rowIn('NotReady', { name, cluster })),
      ),
    });
    const part = folded(named('c2', 'a2'), named('c1', 'b1', 'c1'), named('c3', 'a3'));
    const names = firstOf(part.summary, 'NotReady').map(({ name }) => name);
    expect(names).toEqual(['b1', 'c1', 'a2', 'a3']);
  });

  it('that do not report have a heading each: how many, the first and when it was seen', () => {
    const part = folded(row('c3', [], SILENT), row('c2', [], SILENT), row('c4', [], NEVER));
    expect(contactHeadings(part)).toEqual([
      {
        state: 'Offline',
        count: 2,
        kind: 'Cluster',
        name: 'fleet-default/c2',
        message: 'agent last seen 2026-11-21T10:00:00Z',
      },
      {
        state: 'WaitCheckIn',
        count: 1,
        kind: 'Cluster',
        name: 'fleet-default/c4',
        message: '',
      },
    ]);
  });

  it('have no heading if all report', () => {
    expect(contactHeadings(folded(row('c1', ['NotReady'])))).toEqual([]);
  });
});
