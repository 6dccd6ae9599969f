import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import type { Scope } from '#shared/ports/status-source.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import { histories } from '#test/histories.ts';
import { checkRows, rowsOf } from './check-rows.ts';
import { histories as anyHistory, SourceWorld } from './source-world.ts';

const SCOPES: readonly Scope[] = ['cluster', 'all-namespaces', { namespace: 'shop' }];

describe('the rows of a query', () => {
  it('are those of the objects that the WDS has, in the order of names, from any position on', async () => {
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const world = new SourceWorld(2);
        await world.play(history);
        for (const scope of SCOPES) await checkRows(world, scope, world.expected(scope));
      }),
      { numRuns: histories({ first: 15, all: 40 }) },
    );
  });

  /** A walk reads at most 500 objects. */
  it('go on after the objects of one walk', async () => {
    const pipeline = new Pipeline();
    const names = Array.from(
      { length: 520 },
      (_, index) => `web-${String(index).padStart(3, '0')}`,
    );
    const ref = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop' };
    for (const name of names)
      pipeline.wds.apply(
        { ...ref, name },
        {
          ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
          metadata: { name, namespace: 'shop' },
        },
      );
    const bound = names.map((name): JsonObject => ({ ...ref, name, resourceVersion: '1' }));
    const control = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' };
    pipeline.wds.apply(
      { ...control, resource: 'bindings', name: 'all' },
      {
        ...{ apiVersion: 'control.kubestellar.io/v1alpha1', kind: 'Binding' },
        metadata: { name: 'all' },
        spec: { destinations: [{ clusterId: 'east' }], workload: { namespaceScope: bound } },
      },
    );
    await pipeline.settle();
    const { store } = pipeline;
    const source = createStatusSource({ store, wds: 'wds1', clock: () => pipeline.now });
    const rows = await rowsOf({ source }, { namespace: 'shop' });
    expect(rows.map(({ workload }) => workload.name)).toEqual(names);
  });
});
