import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { copyStatusFold } from '#shared/core/status/copy.ts';
import type { StatusAction } from '#shared/core/status/decision.ts';
import type { StatusFold } from '#shared/core/status/kind-rule.ts';
import { ruleOf, STATUS_RULES, statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { counts, deployment, reported } from '#test/fixtures/wec-rows.ts';
import { type KindSets, kindSets } from '#test/property/status/kind-sets.ts';
import { aggregate, misjudgements } from '#test/property/status/kind-verdicts.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';

/** The random sets of each rule, the first ones where there are several. */
const SETS_OF_RULES = new Map(
  ALL_KINDS.toReversed().map(([, sets]) => {
    const { apiVersion, kind } = sets;
    return [ruleOf({ apiVersion, kind, metadata: {} }), sets];
  }),
);

/** Each API version that a rule covers, besides that of its sets; one that does not exist stands for any. */
const OTHER_VERSIONS = [...STATUS_RULES].flatMap(([name, rule]): [string, KindSets][] => {
  const sets = SETS_OF_RULES.get(rule);
  const apiVersion = name.slice(0, name.lastIndexOf('/')).replace('*', 'v0');
  return sets === undefined || sets.apiVersion === apiVersion ? [] : [[apiVersion, sets]];
});

/** Of the older version, where Argo CD 2.14 or 3 judges it. */
function misjudgementsOf(kind: KindSets, apiVersion: string) {
  const older = { ...kind, apiVersion };
  const sets = fc.sample(kindSets(older, { differingSpecs: true, outOfStep: false }), {
    numRuns: 50,
    seed: 1,
  });
  return sets.flatMap((set) =>
    misjudgements(older, set).filter(({ found }) => found !== 'Unknown'),
  );
}

function result(fold: StatusFold, ...rows: readonly PerWecRow[]): JsonObject | undefined {
  return fold.finish(foldRows(fold, rows));
}

const STATUS = {
  ...counts(3, [3, 3, 3]),
  observedGeneration: 9,
  collisionCount: 1,
  conditions: [{ type: 'Available', status: 'True', observedGeneration: 9 }, 'odd', { type: 'B' }],
};
const ROW = reported('wec1', STATUS, { generation: 9, sourceGeneration: 2 });

describe('the fold that a decision asks for', () => {
  const foldFor = (action: StatusAction) => statusFoldFor(action, deployment(2), new Map());

  it('copies the status of the one WEC verbatim', () => {
    expect(result(foldFor('copy'), ROW)).toEqual(STATUS);
    expect(result(foldFor('copy'), reported('wec1', {}))).toEqual({});
  });

  it('copies it with the generations in the numbers of the WDS if an annotation asks for that', () => {
    const plain = deployment(2);
    const annotations = { 'starfold.dev/translate-observed-generation': 'true' };
    const workload = { ...plain, metadata: { ...plain.metadata, annotations } };
    const fold = statusFoldFor('copy', workload, new Map());
    expect(result(fold, ROW)).toEqual({
      ...STATUS,
      observedGeneration: 2,
      conditions: [
        { ...(STATUS.conditions[0] as JsonObject), observedGeneration: 2 },
        'odd',
        { type: 'B' },
      ],
    });
  });

  it.each([
    ['has returned nothing', { wec: 'wec1' }],
    ['has no status', { wec: 'wec1', row: { wec: 'wec1', uid: 'u', generation: 1 } }],
    ['has a null status', reported('wec1', null)],
    ['has a status that is no map', reported('wec1', 'fine')],
  ])('copies nothing if the WEC %s', (_name, row) => {
    expect(result(foldFor('copy'), row)).toBeUndefined();
  });

  it('copies the first WEC by name, were it ever given several', () => {
    const other = reported('wec0', { replicas: 1 });
    expect(result(foldFor('copy'), ROW, other)).toEqual({ replicas: 1 });
    expect(result(foldFor('copy'), other, ROW)).toEqual({ replicas: 1 });
  });

  it('aggregates by the rule of the kind', () => {
    const done = { ...counts(3, [3, 3, 3]), observedGeneration: 2 };
    const rows = [ROW, { ...ROW, wec: 'wec2' }];
    expect(result(foldFor('aggregate'), ...rows)).toMatchObject(done);
    expect(result(foldFor('aggregate'), ...rows)).not.toHaveProperty('collisionCount');
    const other = { ...deployment(2), apiVersion: 'example.com/v1' };
    const generic = statusFoldFor('aggregate', other, new Map());
    expect(result(generic, ...rows)).toHaveProperty('collisionCount');
  });

  it.each(['apps/v1', 'example.com/v1'])(
    'aggregates what shards without rows add to: %s',
    (apiVersion) => {
      const fold = statusFoldFor('aggregate', { ...deployment(2), apiVersion }, new Map());
      const part = fold.lift(ROW);
      expect(fold.merge(fold.empty, part)).toEqual(part);
      expect(fold.merge(part, fold.empty)).toEqual(part);
      expect(fold.finish(fold.empty)).toBeUndefined();
    },
  );

  it.each(['clear', 'leave'] as const)('gives nothing to %s', (action) => {
    expect(result(foldFor(action), ROW, { wec: 'wec2' }, ROW)).toBeUndefined();
  });
});

describe('the rule of a kind', () => {
  it.each(OTHER_VERSIONS)('covers %s too: $kind', (apiVersion, sets) => {
    const situation = { differingSpecs: true, outOfStep: true };
    for (const set of fc.sample(kindSets(sets, situation), { numRuns: 50, seed: 1 })) {
      const workload = { ...set.workload, apiVersion };
      expect(aggregate({ ...set, workload })).toEqual(aggregate(set));
      expect(refusals(set.workload, aggregate({ ...set, workload }) ?? {})).toEqual([]);
    }
    expect(misjudgementsOf(sets, apiVersion)).toEqual([]);
  });

  it.each(['v2/Pod', 'apps/v1beta1/Deployment', 'argoproj.io/v1alpha1/Experiment', '*/Pod'])(
    'does not cover %s',
    (name) => {
      const slash = name.lastIndexOf('/');
      const [apiVersion, kind] = [name.slice(0, slash), name.slice(slash + 1)];
      expect(ruleOf({ apiVersion, kind, metadata: {} })).toBeUndefined();
    },
  );
});

describe('a copied status with translated generations', () => {
  const fold = copyStatusFold(createGenerationTranslator(deployment(2), new Map()));

  it("has the WDS's numbers in the status and its conditions, and is verbatim otherwise", () => {
    expect(result(fold, ROW)).toEqual({
      ...STATUS,
      observedGeneration: 2,
      conditions: [
        { type: 'Available', status: 'True', observedGeneration: 2 },
        'odd',
        { type: 'B' },
      ],
    });
  });

  it('is verbatim if there are none', () => {
    expect(result(fold, reported('wec1', { phase: 'Bound' }))).toEqual({ phase: 'Bound' });
  });
});
