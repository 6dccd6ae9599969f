import { describe, expect, it } from 'vitest';
import { CLUSTER, type ClusterPart } from '#shared/core/fleet/cluster-fold.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { firstOf, summaryJson } from '#shared/core/fleet/summary-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { condition, counts } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';

function folded(...rows: readonly DeploymentRow[]): ClusterPart {
  return foldRows(CLUSTER, rows);
}

describe('the deployments of a Cluster', () => {
  it('are counted by state, those that wait for a BundleDeployment as well (docs/fleet.md)', () => {
    const { summary } = folded(
      rowIn('Ready', { name: 'a' }),
      rowIn('Pending', { name: 'b' }),
      rowIn('ErrApplied', { name: 'c' }),
    );
    expect(summaryJson(summary)).toMatchObject({
      ready: 1,
      pending: 1,
      errApplied: 1,
      desiredReady: 3,
    });
  });

  it('are listed by name (Fleet, Status Fields, "Clusters"), then by Bundle, then by namespace', () => {
    const said = (message: string) => ({
      status: { conditions: [condition('Installed', 'True', { message })] },
    });
    const { summary } = folded(
      rowIn('NotReady', { name: 'b', ...said('fourth') }),
      rowIn('NotReady', { name: 'a', bundleNamespace: 'fleet-east', ...said('third') }),
      rowIn('NotReady', { name: 'a', metadata: { namespace: 'n2' }, ...said('second') }),
      rowIn('NotReady', { name: 'a', metadata: { namespace: 'n1' }, ...said('first') }),
    );
    const messages = firstOf(summary, 'NotReady').map(({ message }) => message);
    expect(messages).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('have the resources of all of them, whoever made them (Fleet, Status Fields, "Resource Counts")', () => {
    const part = folded(
      rowIn('Ready', { name: 'a' }),
      rowIn('NotReady', { name: 'b', repo: '', helmOp: 'cache' }),
      rowIn('Ready', { name: 'fleet-agent-c1', repo: '' }),
    );
    expect(part.counts).toEqual(counts({ ready: 5, notReady: 1, desiredReady: 6 }));
  });

  it('are counted for each GitRepo and HelmOp, which are sorted', () => {
    const part = folded(
      rowIn('Ready', { name: 'b', repo: 'shop' }),
      rowIn('NotReady', { name: 'a', repo: 'shop' }),
      rowIn('Ready', { name: 'c', repo: 'base' }),
      rowIn('Ready', { name: 'd', repo: '', helmOp: 'cache' }),
      rowIn('Ready', { name: 'fleet-agent-c1', repo: '' }),
    );
    expect(part.repos).toMatchObject([
      { source: 'fleet-default/base', cell: { deployments: 1, ready: 1 }, own: 1 },
      { source: 'fleet-default/shop', cell: { deployments: 2, ready: 1 }, own: 2 },
    ]);
    expect(part.repos[1]?.cell.counts).toEqual(counts({ ready: 3, notReady: 1, desiredReady: 4 }));
    expect(part.repos[1]?.cell.cluster).toBe('fleet-default/c1');
    expect(part.helmOps).toMatchObject([{ source: 'fleet-default/cache', own: 1 }]);
  });

  it("are a GitRepo's own if they have the label of a HelmOp too (Fleet's code)", () => {
    const { repos, helmOps } = folded(
      rowIn('Ready', { name: 'a', helmOp: 'cache' }),
      rowIn('Ready', { name: 'b', repo: '', helmOp: 'cache' }),
    );
    expect(repos).toMatchObject([{ source: 'fleet-default/shop', own: 1 }]);
    expect(helmOps).toMatchObject([{ cell: { deployments: 2 }, own: 1 }]);
  });
});
