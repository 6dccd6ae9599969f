import { describe, expect, it } from 'vitest';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { createWorkloadFold, type WorkloadResult } from '#shared/core/desired/workload-fold.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_OBJECT_ROWS_BYTES, MAX_OBJECT_STEPS } from '#shared/core/limits.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  combinedStatuses,
  control,
  returned,
  shown,
  thing,
  workloadOf,
} from '#test/unit/write-results/pipeline-objects.ts';

const REF = { wds: 'w', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };
/** A quarter of a shard. */
const WECS = Array.from({ length: 32 }, (_wec, index) => `wec${String(index).padStart(3, '0')}`);

/** Close to what a row may take. */
const DEAR: JsonObject = {
  select: [
    {
      name: 'c',
      def: 'returned.status.l.map(x, returned.status.l.filter(y, y == x).size()).size()',
    },
  ],
  limit: 10_000,
};
/** A tenth of what a row may take in steps, and much of what a CombinedStatus may take. */
const LARGE: JsonObject = { select: [{ name: 'c', def: 'returned.status.text' }], limit: 10_000 };
const FAILING: JsonObject = {
  select: Array.from({ length: 100 }, (_column, index) => ({
    name: `c${index}`,
    def: 'returned.status[returned.status.text]',
  })),
  limit: 10_000,
};
/** Nearly what the patterns of a collector may take together, each with an automaton of many states. */
const PATTERNS: JsonObject = {
  select: Array.from({ length: 90 }, (_column, index) => ({
    name: `c${index}`,
    def: `returned.status.text.matches("[ab]*a[ab]{8}(?:[^abx]|${index})")`,
  })),
};
const HONEST: JsonObject = {
  combinedFields: [{ name: 'n', type: 'SUM', subject: 'returned.status.readyReplicas' }],
};

const STATUS = {
  readyReplicas: 2,
  l: Array.from({ length: 120 }, (_element, index) => index),
  text: 'x'.repeat(14_000),
};

/** Binding by Binding, the collectors that it names. */
type Asked = Readonly<Record<string, Readonly<Record<string, JsonObject>>>>;

function of(spec: JsonObject): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join('; '));
  return compilation.collector;
}

function folded(
  asked: Asked,
  wecsOf: (binding: string) => readonly string[] = () => WECS,
): {
  readonly steps: number;
  readonly result: WorkloadResult;
  readonly bytes: number;
} {
  const specs = Object.assign({}, ...Object.values(asked)) as Record<string, JsonObject>;
  const compiled = new Map([...new Set(Object.values(specs))].map((spec) => [spec, of(spec)]));
  const fold = createWorkloadFold({
    ref: REF,
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop', uid: 'u' },
    },
    memberships: Object.entries(asked).map(([binding, collectors]) => ({
      binding,
      bindingUid: binding,
      version: 'v1',
      modulation: {
        statusCollectors: Object.keys(collectors),
        wantSingletonReportedState: false,
        wantMultiWECReportedState: false,
      },
      destinations: createDestinations(binding, wecsOf(binding)),
    })),
    collectors: new Map(
      // Each spec has been compiled.
      Object.entries(specs).map(([name, spec]) => [name, compiled.get(spec) as CompiledCollector]),
    ),
    specs: new Map(),
  });
  const part = foldRows(
    fold,
    WECS.map((wec) => ({ wec, row: { wec, ...returned(STATUS) } })),
  );
  const steps = part
    .map((one) => at(one, 'steps'))
    .reduce<number>((sum, one) => sum + Number(one ?? 0), 0);
  return { steps, bytes: jsonBytes(part), result: fold.finish(part) };
}

/** Puts an object with its Bindings and collectors into the WDS, and waits until nothing changes any more. */
async function toldOf(pipeline: Pipeline, asked: Asked): Promise<void> {
  const web = thing('web');
  applyThing(pipeline, web);
  for (const [name, spec] of Object.values(asked).flatMap((named) => Object.entries(named)))
    pipeline.wds.apply(control('statuscollectors', name), {
      kind: 'StatusCollector',
      metadata: {},
      spec,
    });
  for (const wec of WECS) pipeline.tell(wec, workloadOf(web), returned(STATUS));
  for (const [name, named] of Object.entries(asked))
    pipeline.wds.apply(
      control('bindings', name),
      binding(WECS, [web], { statusCollectors: Object.keys(named) }),
    );
  await pipeline.settle();
}

function collectors(count: number, prefix: string, spec: JsonObject): Record<string, JsonObject> {
  return Object.fromEntries(
    Array.from({ length: count }, (_one, index) => [`${prefix}${index}`, spec]),
  );
}

function bindings(count: number, of: (index: number) => Record<string, JsonObject>): Asked {
  return Object.fromEntries(
    Array.from({ length: count }, (_one, index) => [`hostile${index}`, of(index)]),
  );
}

const ALONE: Asked = { honest: { 'honest-sum': HONEST } };

/** The results of a Binding in its CombinedStatus. */
function resultsOf({ desired }: WorkloadResult, binding: string): readonly JsonValue[] {
  const found = desired.combinedStatuses.find(({ name }) => name === `u.${binding}`);
  const results = found?.object['results'];
  return isArray(results) ? results : [];
}

function errorsOf(result: JsonValue | undefined): readonly unknown[] {
  const errors = at(result, 'rowErrors');
  return isArray(errors) ? errors.map((error) => at(error, 'error')) : [];
}

describe('collectors of many Bindings on one object', () => {
  const honest = resultsOf(folded(ALONE).result, 'honest');

  it.each([
    ['a Binding with 200 dear collectors', bindings(1, () => collectors(200, 'dear', DEAR))],
    [
      '20 Bindings with 100 dear collectors each',
      bindings(20, () => collectors(100, 'dear', DEAR)),
    ],
    ['100 Bindings with a dear collector each', bindings(100, () => collectors(1, 'dear', DEAR))],
    [
      '100 Bindings with 100 dear collectors each',
      bindings(100, () => collectors(100, 'dear', DEAR)),
    ],
    [
      'a Binding of 200 collectors with an error in each of 100 columns',
      bindings(1, () => collectors(200, 'failing', FAILING)),
    ],
    ['a Binding with 200 large results', bindings(1, () => collectors(200, 'large', LARGE))],
    ['40 Bindings with 10 large results each', bindings(40, () => collectors(10, 'large', LARGE))],
    [
      'nine Bindings with 100 collectors of 90 patterns each',
      bindings(9, () => collectors(100, 'patterns', PATTERNS)),
    ],
    [
      'a Binding with 100 collectors of 90 patterns each',
      bindings(1, () => collectors(100, 'patterns', PATTERNS)),
    ],
  ])('%s: take no more than the object has, and nothing from another Binding', (_name, hostile) => {
    const { steps, bytes, result } = folded({ ...ALONE, ...hostile });
    expect(steps).toBeLessThanOrEqual(MAX_OBJECT_STEPS * WECS.length);
    expect(bytes).toBeLessThan(1.6 * MAX_OBJECT_ROWS_BYTES);
    expect(resultsOf(result, 'honest')).toEqual(honest);
    expect(result.bindingErrors.get('honest')).toBeUndefined();
  });

  it.each([
    ['go nowhere', []],
    ['go to other WECs', ['elsewhere']],
  ])('take nothing from an honest one where they %s', (_where, elsewhere) => {
    const hostile = bindings(3000, () => ({ dear: DEAR }));
    const honest: Asked = { honest: { 'honest-sum': HONEST, large: LARGE } };
    const { result } = folded({ ...honest, ...hostile }, (binding) =>
      binding === 'honest' ? WECS : elsewhere,
    );
    const alone = folded(honest).result;
    expect(resultsOf(result, 'honest')).toEqual(resultsOf(alone, 'honest'));
  });

  it('tell in their own CombinedStatus what they may take', () => {
    const { result } = folded({ ...ALONE, ...bindings(1, () => collectors(200, 'dear', DEAR)) });
    expect(errorsOf(resultsOf(result, 'hostile0')[0])[0]).toMatch(
      /^the expressions take more than 160 steps: this is the share of one of 200 collectors of one of 2 Bindings/,
    );
  });

  it('tell in their own CombinedStatus and Binding that their rows are too large', () => {
    const { result } = folded({ ...ALONE, ...bindings(1, () => collectors(200, 'large', LARGE)) });
    expect(result.bindingErrors.get('hostile0')?.[0]).toMatch(
      /^StatusCollector large0, .*: its first 10000 rows take more than 83886 bytes: give a lower limit, or select less \(this is the share of one of 200 collectors/,
    );
  });

  it('tell in their own CombinedStatus and Binding that their share is too small', () => {
    const { result } = folded({ ...ALONE, ...bindings(100, () => collectors(100, 'dear', DEAR)) });
    expect(result.bindingErrors.get('hostile0')?.[0]).toMatch(
      /^StatusCollector dear0, .*: not evaluated, as it may take 6 steps for a WEC and takes 10 or more/,
    );
  });

  it('tell in their own CombinedStatus and Binding that they take too much compiled', () => {
    const named = { ...collectors(9, 'patterns', PATTERNS), small: HONEST };
    const { result } = folded({ ...ALONE, ...bindings(1, () => named) });
    const results = resultsOf(result, 'hostile0');
    const failed = results.filter((one) => isArray(at(one, 'aggregationErrors')));
    // Three have room, and so has the small one behind the others.
    expect(failed.map((one) => at(one, 'name'))).toEqual(
      [3, 4, 5, 6, 7, 8].map((index) => `patterns${index}`),
    );
    expect(result.bindingErrors.get('hostile0')).toHaveLength(6);
    expect(result.bindingErrors.get('hostile0')?.[0]).toMatch(
      /^StatusCollector patterns3, .*: not evaluated, as it takes \d+ bytes compiled, and the collectors of a Binding may take 16777216 together for the object \(this is the share of one of 2 Bindings with collectors for the object\): give it fewer or shorter expressions/,
    );
  });

  it('tell of what they take compiled in the WDS as in a fold of all', async () => {
    const asked: Asked = { ...ALONE, ...bindings(9, () => collectors(3, 'patterns', PATTERNS)) };
    const pipeline = new Pipeline();
    pipeline.snapshot();
    await toldOf(pipeline, asked);
    const alone = new Pipeline();
    alone.snapshot();
    await toldOf(alone, ALONE);
    const honest = combinedStatuses(alone).flatMap(({ results }) => results);
    const shownResults = combinedStatuses(pipeline).map(({ results }) => results);
    expect(shownResults).toContainEqual(honest);
    const expected = resultsOf(folded(asked).result, 'hostile0');
    expect(shownResults.filter((results) => isArray(results) && results.length === 3)).toEqual(
      Array(9).fill(expected),
    );
    expect(errorsOf(expected[0])).toEqual([]);
    expect(await shown(pipeline, control('bindings', 'hostile8'), 'status', 'errors')).toEqual([
      expect.stringContaining('StatusCollector patterns0'),
      expect.stringContaining('StatusCollector patterns1'),
      expect.stringContaining('StatusCollector patterns2'),
    ]);
    expect(pipeline.failures).toEqual([]);
  });

  it('tell so in the WDS, where the honest Binding has its result', async () => {
    const pipeline = new Pipeline();
    pipeline.snapshot();
    await toldOf(pipeline, { ...ALONE, ...bindings(2, () => collectors(100, 'dear', DEAR)) });
    const results = combinedStatuses(pipeline).map(({ results }) =>
      isArray(results) ? results : [],
    );
    const rows = results.flat().filter((one) => at(one, 'name') === 'honest-sum');
    expect(rows.map((one) => at(one, 'rows'))).toEqual([
      [{ columns: [{ type: 'Number', float: String(2 * WECS.length) }] }],
    ]);
    const dear = results.flat().filter((one) => at(one, 'name') === 'dear0');
    expect(dear.map((one) => errorsOf(one)[0])).toEqual([
      expect.stringContaining('more than 213 steps'),
      expect.stringContaining('more than 213 steps'),
    ]);
    expect(
      await shown(pipeline, control('bindings', 'honest'), 'status', 'errors'),
    ).toBeUndefined();
    expect(pipeline.failures).toEqual([]);
  });
});
