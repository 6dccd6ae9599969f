import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { ruleOf, statusFold, statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import { createLifeCheck } from '#shared/core/status/other-life.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { histories } from '#test/histories.ts';
import { type KindSet, type KindSets, kindSets } from './kind-sets.ts';
import { JOB } from './kinds/job-sets.ts';
import { POD } from './kinds/pod-sets.ts';
import { WORKFLOW } from './kinds/workflow-sets.ts';

const KINDS: readonly KindSets[] = [JOB, WORKFLOW, POD];
const UID = 'the-uid-in-the-wds';
const CREATED = '2026-03-01T10:00:30Z';

/** How a WEC's object stands to the one in the WDS. */
const LIVES = ['same by source', 'same by age', 'other by source', 'other by age', 'other by spec'];
type Life = (typeof LIVES)[number];

function isOther(life: Life): boolean {
  return life.startsWith('other');
}

/** What the row of a WEC with such an object says besides; what is less certain says what would be right. */
function marks(life: Life, specHash: string): Partial<WecRow> {
  switch (life) {
    case 'same by source':
      return { sourceUid: UID, created: '2026-02-01T00:00:00Z' };
    case 'same by age':
      return { created: CREATED };
    case 'other by source':
      return { sourceUid: 'an-earlier-uid', created: CREATED };
    case 'other by age':
      return { created: '2026-02-01T00:00:00Z' };
    default:
      return { created: CREATED, specHash };
  }
}

interface Reborn {
  readonly set: KindSet;
  readonly lives: readonly Life[];
  readonly workload: WorkloadObject;
  readonly rows: readonly PerWecRow[];
  readonly specs: ReadonlyMap<string, JsonValue>;
}

/** A spec that contradicts whatever the WDS's is. */
const CONTRADICTION: Readonly<Record<string, JsonObject>> = {
  Job: { completions: 99, completionMode: 'Other' },
  Workflow: { entrypoint: 'of-the-release-before' },
};

function reborn(set: KindSet, given: readonly Life[]): Reborn {
  const metadata = { ...set.workload.metadata, uid: UID, creationTimestamp: CREATED };
  const workload = { ...set.workload, metadata };
  const contradiction = CONTRADICTION[workload.kind];
  const lives = given.map((life) =>
    // Nothing of the spec of a Pod is compared.
    contradiction === undefined && life === 'other by spec' ? 'other by age' : life,
  );
  const rows = set.wecs.map(({ perWec }, index): PerWecRow => {
    const life = lives[index] ?? 'same by source';
    return perWec.row === undefined
      ? perWec
      : { ...perWec, row: { ...perWec.row, ...marks(life, 'contradiction') } };
  });
  const specs = new Map([...set.specsByHash, ['contradiction', contradiction ?? {}] as const]);
  return { set, lives, workload, rows, specs };
}

function scenes(kind: KindSets, lives: readonly Life[]): fc.Arbitrary<Reborn> {
  return fc
    .tuple(
      kindSets(kind, { differingSpecs: false, outOfStep: true }),
      fc.array(fc.constantFrom(...lives), { minLength: 6, maxLength: 6 }),
    )
    .map(([set, given]) => reborn(set, given));
}

function aggregateOf({ workload, specs }: Reborn, rows: readonly PerWecRow[]) {
  const fold = statusFold(workload, specs);
  return fold.finish(foldRows(fold, rows));
}

/** As if nobody asked for lives: the rule of the kind alone. */
function bareAggregate({ workload, specs, rows }: Reborn): JsonObject | undefined {
  const generations = createGenerationTranslator(workload, specs);
  const fold = ruleOf(workload)?.({ workload, specsByHash: specs, generations });
  if (fold === undefined) throw new RangeError('the kind has a rule');
  return fold.finish(foldRows(fold, rows));
}

function hasEnded({ row }: PerWecRow): boolean {
  const { phase } = isObject(row?.status) ? row.status : {};
  return phase === 'Succeeded' || phase === 'Failed';
}

describe.each(KINDS)('$kind', (kind) => {
  it('is as if all whose object is of another life had returned nothing', () => {
    fc.assert(
      fc.property(scenes(kind, LIVES), (scene) => {
        const { rows, lives } = scene;
        const missing = rows.map((row, index): PerWecRow => {
          const isUncounted = isOther(lives[index] ?? '') && (kind.kind !== 'Pod' || hasEnded(row));
          return isUncounted ? { wec: row.wec } : row;
        });
        expect(aggregateOf(scene, rows)).toEqual(bareAggregate({ ...scene, rows: missing }));
      }),
      { numRuns: histories({ first: 120, all: 400 }) },
    );
  });

  it('does not end through objects of another life, in the aggregate or in a copy', () => {
    fc.assert(
      fc.property(scenes(kind, LIVES.filter(isOther)), (scene) => {
        const { workload, specs } = scene;
        const rows = kind.kind === 'Pod' ? scene.rows.filter(hasEnded) : scene.rows;
        expect(aggregateOf(scene, rows)).toBeUndefined();
        const copy = statusFoldFor('copy', workload, specs);
        for (const row of rows) expect(copy.finish(copy.lift(row))).toBeUndefined();
      }),
      { numRuns: histories({ first: 60, all: 200 }) },
    );
  });

  it('is Progressing while one WEC has an object of another life and the others are fine', () => {
    fc.assert(
      fc.property(scenes(kind, LIVES), (scene) => {
        const { lives, rows, workload } = scene;
        const isUncounted = rows.some(
          (row, index) => isOther(lives[index] ?? '') && (kind.kind !== 'Pod' || hasEnded(row)),
        );
        fc.pre(isUncounted);
        const status = aggregateOf(scene, rows) ?? {};
        const verdict = assessArgoCd({ ...workload, status }, '3')?.status;
        expect(verdict).not.toBe('Healthy');
        expect(verdict).not.toBe('Suspended');
      }),
      { numRuns: histories({ first: 120, all: 400 }) },
    );
  });

  it('is what the rule makes of the rows where all are of the same life', () => {
    fc.assert(
      fc.property(scenes(kind, ['same by source', 'same by age']), (scene) => {
        const check = createLifeCheck(scene.workload, scene.specs);
        for (const { row } of scene.rows) if (row !== undefined) expect(check(row)).toBeUndefined();
        expect(aggregateOf(scene, scene.rows)).toEqual(bareAggregate(scene));
      }),
      { numRuns: histories({ first: 120, all: 400 }) },
    );
  });
});
