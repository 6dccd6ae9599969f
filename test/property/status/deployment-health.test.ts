import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { statusFold } from '#shared/core/status/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';
import { checkFoldLaws } from '#test/property/fold-laws.ts';
import { type DeploymentSet, deploymentSets, type KnownWec } from './deployment-sets.ts';

const NUM_RUNS = 300;

function aggregate({ workload, wecs, specsByHash }: DeploymentSet): JsonObject | undefined {
  const fold = statusFold(workload, specsByHash);
  return fold.finish(
    foldRows(
      fold,
      wecs.map(({ perWec }) => perWec),
    ),
  );
}

function generationOf({ workload }: DeploymentSet): number {
  return countAt(workload, 'metadata', 'generation');
}

function verdict(object: JsonObject): ArgoCdStatus {
  return assessArgoCd(object)?.status ?? 'Unknown';
}

function verdictOn({ object, current }: KnownWec): ArgoCdStatus {
  return current && object !== undefined ? verdict(object) : 'Progressing';
}

const SITUATIONS = [
  ['one spec, all in step', { differingSpecs: false, outOfStep: false }],
  ['one spec, some missing or out of step', { differingSpecs: false, outOfStep: true }],
  ['specs that differ, all in step', { differingSpecs: true, outOfStep: false }],
  ['specs that differ, some missing or out of step', { differingSpecs: true, outOfStep: true }],
] as const;

describe.each(SITUATIONS)('an aggregated Deployment of WECs with %s', (_name, options) => {
  const sets = deploymentSets(options);

  it('is to Argo CD what the worst WEC is: never better, never worse (design, section 9.4)', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const status = aggregate(set) ?? {};
        expect(verdict({ ...set.workload, status })).toBe(worst(set.wecs.map(verdictOn)));
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is a status that an API server accepts', () => {
    fc.assert(
      fc.property(sets, (set) => {
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
  const sets = deploymentSets({ differingSpecs: false, outOfStep: true });

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
    const inStep = deploymentSets({ differingSpecs: false, outOfStep: false });
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
    const one = deploymentSets({ differingSpecs: false, outOfStep: false }).filter(
      ({ wecs }) => wecs.length === 1,
    );
    fc.assert(
      fc.property(one, (set) => {
        const { observedGeneration: _own, conditions = [], ...counts } = own(set);
        const { observedGeneration, conditions: aggregated = [], ...rest } = aggregate(set) ?? {};
        expect(rest).toEqual(counts);
        expect(observedGeneration).toBe(generationOf(set));
        expect(byType(aggregated)).toEqual(byType(conditions));
      }),
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

function own(set: DeploymentSet): JsonObject {
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

describe('the fold of a Deployment', () => {
  const sets = deploymentSets({ differingSpecs: true, outOfStep: true });
  const folds = sets.map(({ workload }) => statusFold(workload, new Map()));
  const rows = sets.chain(({ wecs }) =>
    fc
      .tuple(fc.constantFrom(...wecs), fc.integer({ min: 0, max: 40 }))
      .map(([{ perWec }, index]) => ({ ...perWec, wec: `wec${index}` })),
  );
  checkFoldLaws(folds, rows, { key: ({ wec }) => wec, numRuns: 100 });
});
