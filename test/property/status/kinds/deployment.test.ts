import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';
import { type KindSet, kindSets } from '#test/property/status/kind-sets.ts';
import { aggregate, SITUATIONS } from '#test/property/status/kind-verdicts.ts';
import { DEPLOYMENT } from './deployment-sets.ts';

const NUM_RUNS = 300;

function generationOf({ workload }: KindSet): number {
  return countAt(workload, 'metadata', 'generation');
}

describe.each(SITUATIONS)('an aggregated Deployment of WECs with %s', (_name, options) => {
  it('has counters that fit each other, as API servers demand', () => {
    fc.assert(
      fc.property(kindSets(DEPLOYMENT, options), (set) => {
        const status = aggregate(set) ?? {};
        const count = (field: string): number => countAt(status, field);
        const supplies = ['updatedReplicas', 'readyReplicas', 'availableReplicas'].map(count);
        expect(Math.max(...supplies)).toBeLessThanOrEqual(count('replicas'));
        expect(count('availableReplicas')).toBeLessThanOrEqual(count('readyReplicas'));
        expect(count('observedGeneration')).toBeLessThanOrEqual(generationOf(set));
        const numbers = Object.values(status).filter((value) => typeof value === 'number');
        expect(numbers.every((value) => value > 0)).toBe(true);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});

describe('an aggregated Deployment of WECs with one spec', () => {
  const sets = kindSets(DEPLOYMENT, { differingSpecs: false, outOfStep: true });
  const inStep = kindSets(DEPLOYMENT, { differingSpecs: false, outOfStep: false });

  it('has the lowest readiness counts of all WECs, absent and missing ones being 0', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const status = aggregate(set);
        if (status === undefined) return;
        for (const field of ['updatedReplicas', 'readyReplicas', 'availableReplicas']) {
          const each = set.wecs.map(({ object }) => countAt(object, 'status', field));
          expect(countAt(status, field)).toBe(Math.min(...each));
        }
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is held back for no other reason than a WEC that has more updated replicas than it wants', () => {
    fc.assert(
      fc.property(inStep, (set) => {
        const wanted = countAt(set.workload, 'spec', 'replicas');
        const updated = set.wecs.map(({ object }) => countAt(object, 'status', 'updatedReplicas'));
        fc.pre(updated.every((count) => count <= wanted));
        expect(aggregate(set)?.['observedGeneration']).toBe(generationOf(set));
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is, of one WEC in step, what that WEC says in the fields that are aggregated', () => {
    fc.assert(
      fc.property(
        inStep.filter(({ wecs }) => wecs.length === 1),
        (set) => {
          const { collisionCount: _kept, observedGeneration: _own, ...said } = own(set);
          const { conditions = [], ...counts } = said;
          const { observedGeneration, conditions: aggregated = [], ...rest } = aggregate(set) ?? {};
          expect(rest).toEqual(counts);
          expect(observedGeneration).toBe(generationOf(set));
          expect(byType(aggregated)).toEqual(byType(conditions));
        },
      ),
      { numRuns: NUM_RUNS },
    );
  });

  it('of WECs that all say what is aggregated of them is the same again', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const status = aggregate(set);
        if (status === undefined) return;
        const generation = generationOf(set);
        const again = (names: readonly string[]): JsonObject | undefined => {
          const fold = statusFold(set.workload, new Map());
          const more = { generation, sourceGeneration: generation };
          return fold.finish(
            foldRows(
              fold,
              names.map((wec) => reported(wec, status, more)),
            ),
          );
        };
        expect(again(['wec1', 'wec2', 'wec3'])).toEqual(again(['wec1']));
        // A WEC that says that it is behind is not believed about failures.
        if (status['observedGeneration'] === generation) expect(again(['wec1'])).toEqual(status);
      }),
      { numRuns: NUM_RUNS },
    );
  });
});

function own(set: KindSet): JsonObject {
  const status = set.wecs[0]?.perWec.row?.status;
  // The generator makes maps only.
  return status as JsonObject;
}

function byType(conditions: unknown): readonly JsonObject[] {
  // Both sides are lists of conditions.
  return [...(conditions as readonly JsonObject[])].sort((a, b) =>
    String(a['type']) < String(b['type']) ? -1 : 1,
  );
}
