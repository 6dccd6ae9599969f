import { describe, expect, it } from 'vitest';
import { lagsIn } from '#console/model/query/lags.ts';
import type { ResultRow } from '#console/model/query/result.ts';

function row(name: string, ...generations: readonly number[]): ResultRow {
  const workload = {
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    namespace: 'a',
    name,
  };
  const cells = generations.map((one) => ({ type: 'Number', float: String(one) }) as const);
  return { key: name, cells, of: { workload, wec: 'edge-1' } };
}

describe('the objects of a WEC that are behind', () => {
  it('have those first that are furthest behind', () => {
    const lags = lagsIn({ rows: [row('near', 11, 12), row('far', 3, 12)] });
    expect(lags).toEqual([
      { place: { resource: 'deployments.apps', namespace: 'a', name: 'far' }, has: 3, wanted: 12 },
      {
        place: { resource: 'deployments.apps', namespace: 'a', name: 'near' },
        has: 11,
        wanted: 12,
      },
    ]);
  });

  it('are without those of which no generation is known', () => {
    expect(lagsIn({ rows: [row('silent', 0, 12), row('half', 3)] })).toEqual([]);
  });
});
