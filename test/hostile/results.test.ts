import { describe, expect, it } from 'vitest';
import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_COMBINED_STATUS_BYTES } from '#shared/core/limits.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  combinedStatuses,
  control,
  returned,
  shown,
  workloadOf,
} from '#test/unit/write-results/pipeline-objects.ts';
import { collectorsOf, folded, names, WEB } from './folded-result.ts';
import { HOSTILE_RESULTS, type HostileResult } from './results.ts';

const ALL = control('bindings', 'all');

function errorsIn(list: JsonValue | undefined): readonly string[] {
  return isArray(list) ? list.map((entry) => String(at(entry, 'error'))) : [];
}

/** What a CombinedStatus tells of the hostile collectors, and the only cell of the honest one. */
function told(combined: JsonObject | undefined): { hostile: readonly string[]; honest: unknown } {
  const results = combined?.['results'];
  const all = isArray(results) ? results : [];
  const honest = all.at(-1);
  const [row] = [at(honest, 'rows')].flatMap((rows) => (isArray(rows) ? rows : []));
  return {
    hostile: all
      .slice(0, -1)
      .flatMap((one) => [
        ...errorsIn(at(one, 'rowErrors')),
        ...errorsIn(at(one, 'aggregationErrors')),
      ]),
    honest: at(row, 'columns'),
  };
}

function expectTold(hostile: HostileResult, combined: JsonObject | undefined): void {
  const { hostile: errors, honest } = told(combined);
  expect(honest).toEqual([{ type: 'Number', float: String(hostile.wecs) }]);
  for (const text of hostile.tells) expect(errors).toContainEqual(expect.stringMatching(text));
  expect(jsonBytes(combined)).toBeLessThanOrEqual(MAX_COMBINED_STATUS_BYTES + 1024);
}

function expectErrors({ errors = [] }: HostileResult, found: readonly unknown[]): void {
  expect(found).toHaveLength(errors.length);
  for (const text of errors) expect(found).toContainEqual(expect.stringMatching(text));
}

describe('what is too large', () => {
  it.each(HOSTILE_RESULTS.map((one) => [one.name, one] as const))(
    '%s, ends as an error of its own in the fold',
    (_name, hostile) => {
      const { part, result } = folded(hostile);
      const { desired, bindingErrors } = result;
      expectTold(hostile, desired.combinedStatuses[0]?.object);
      expectErrors(hostile, bindingErrors.get('all') ?? []);
      const collected = part.slice(2);
      for (const one of collected)
        expect(jsonBytes(one)).toBeLessThan(2 * MAX_COMBINED_STATUS_BYTES);
      if (hostile.wantsStatus === true) expect(desired.status.type).toBe('none');
    },
  );

  it.each(
    HOSTILE_RESULTS.filter(({ foldAlone }) => foldAlone !== true).map(
      (one) => [one.name, one] as const,
    ),
  )('%s, is told in the WDS, and the other results stand there', async (_name, hostile) => {
    const pipeline = new Pipeline();
    pipeline.snapshot();
    applyThing(pipeline, WEB);
    for (const [name, spec] of collectorsOf(hostile))
      pipeline.wds.apply(control('statuscollectors', name), {
        kind: 'StatusCollector',
        metadata: {},
        spec,
      });
    for (const [index, wec] of names(hostile).entries())
      pipeline.tell(wec, workloadOf(WEB), returned(hostile.status(index)));
    const asked = {
      statusCollectors: collectorsOf(hostile).map(([name]) => name),
      wantMultiWECReportedState: hostile.wantsStatus ?? false,
    };
    pipeline.wds.apply(ALL, binding(names(hostile), [WEB], asked));
    await pipeline.settle();
    expectTold(hostile, combinedStatuses(pipeline)[0]);
    const errors = await shown(pipeline, ALL, 'status', 'errors');
    expectErrors(hostile, isArray(errors) ? errors : []);
    if (hostile.wantsStatus === true) expect(await shown(pipeline, WEB, 'status')).toBeUndefined();
    expect(pipeline.failures).toEqual([]);
  });
});
