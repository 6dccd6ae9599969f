import { describe, expect, it } from 'vitest';
import { BUNDLE } from '#shared/core/fleet/bundle-fold.ts';
import { CELLS } from '#shared/core/fleet/cells-fold.ts';
import type { ConditionChange } from '#shared/core/fleet/condition.ts';
import { leftOut } from '#shared/core/fleet/messages.ts';
import { NO_RESOURCES } from '#shared/core/fleet/resource-counts.ts';
import { helmOpStatus, type SourceInputs } from '#shared/core/fleet/source-status.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { helmOp } from './fixtures/objects.ts';
import { condition, resource } from './fixtures/parts.ts';
import { rowIn } from './fixtures/states.ts';
import { conditionOf } from './known-fleet.ts';

const NOTHING: SourceInputs = {
  object: helmOp(),
  part: BUNDLE.empty,
  cells: CELLS.empty,
  bundleError: '',
};

const NONE_LEFT = { resources: 0, cut: 0, clusters: 0 };

function truncated(inputs: Partial<SourceInputs>): ConditionChange | undefined {
  return conditionOf(helmOpStatus({ ...NOTHING, ...inputs }), 'Truncated');
}

/** So many clusters without resources. */
function clusters(count: number): SourceInputs['cells'] {
  const cells = Array.from({ length: count }, (_, index) => ({
    cluster: `fleet-default/c${index}`,
    deployments: 1,
    ready: 1,
    counts: NO_RESOURCES,
  }));
  return foldRows(CELLS, cells);
}

/** So many resources in each of so many clusters. */
function resources(count: number, clusterCount: number): SourceInputs['part'] {
  const list = Array.from({ length: count }, (_, index) => resource(`settings-${index}`));
  const rows = Array.from({ length: clusterCount }, (_, index) =>
    rowIn('Ready', { cluster: `c${index}`, status: { resources: list } }),
  );
  return foldRows(BUNDLE, rows);
}

describe('a status that is too large (docs/fleet.md, sizes)', () => {
  it('says how many clusters perClusterResourceCounts leaves out', () => {
    expect(truncated({ cells: clusters(1003) })).toEqual({
      type: 'Truncated',
      status: 'True',
      reason: 'TooLarge',
      message: leftOut({ ...NONE_LEFT, clusters: 3 }),
    });
    expect(truncated({ cells: clusters(1000) })).toBeUndefined();
  });

  it('says of how many resources not all clusters are named', () => {
    const { status, message } = truncated({ part: resources(500, 100) }) ?? {};
    expect(status).toBe('True');
    expect(message).toBe(leftOut({ ...NONE_LEFT, cut: 500 }));
  });

  it('says how many resources are left out, before all else', () => {
    const part = resources(6000, 1);
    const { message } = truncated({ part, cells: clusters(1001) }) ?? {};
    expect(message).toMatch(
      /^\d+ resources are left out; of \d+ resources not all clusters are named; perClusterResourceCounts leaves out 1 clusters$/,
    );
  });

  it('no longer reports it when it has become smaller', () => {
    const object = helmOp({ status: { conditions: [condition('Truncated', 'True')] } });
    expect(truncated({ object })).toEqual({ type: 'Truncated', status: 'False' });
    expect(truncated({ object, cells: clusters(1001) })?.status).toBe('True');
  });
});
