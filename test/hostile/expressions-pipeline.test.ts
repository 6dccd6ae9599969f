import { expect, it } from 'vitest';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
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
import { HOSTILE_EXPRESSIONS } from './expressions.ts';
import { collectorsOf, WEB } from './folded-result.ts';

const ALL = control('bindings', 'all');
const HOSTILE = control('statuscollectors', 'hostile');

function list(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** The texts of errors in the result of a StatusCollector. */
function errorsOf(result: JsonValue | undefined): readonly string[] {
  const found = [...list(at(result, 'rowErrors')), ...list(at(result, 'aggregationErrors'))];
  return found.map((entry) => String(at(entry, 'error')));
}

/** A status that is nested more deeply is never sent (`events.test.ts`). */
const SENT = HOSTILE_EXPRESSIONS.filter(({ name }) => !name.includes('a value nested'));

it.each(SENT)(
  'from a WEC to the WDS, an honest StatusCollector beside it keeps its result: $name',
  async ({ expression, status, end }) => {
    const pipeline = new Pipeline();
    pipeline.snapshot();
    applyThing(pipeline, WEB);
    const hostile = { select: [{ name: 'c', def: expression }] };
    const collectors = collectorsOf({ collectors: { hostile } });
    for (const [name, spec] of collectors)
      pipeline.wds.apply(control('statuscollectors', name), {
        kind: 'StatusCollector',
        metadata: {},
        spec,
      });
    pipeline.tell('wec1', workloadOf(WEB), returned(status()));
    const statusCollectors = collectors.map(([name]) => name);
    pipeline.wds.apply(ALL, binding(['wec1'], [WEB], { statusCollectors }));
    await pipeline.settle();

    const results = list(combinedStatuses(pipeline)[0]?.['results']);
    const honest = results.at(-1);
    expect(list(at(list(at(honest, 'rows'))[0], 'columns'))).toEqual([
      { type: 'Number', float: '1' },
    ]);
    expect(errorsOf(honest)).toEqual([]);
    expect(pipeline.failures).toEqual([]);
    const refused = list(await shown(pipeline, HOSTILE, 'status', 'errors'));
    expect(refused.length > 0).toBe(end === 'refused');
    if (end === 'over budget') expect(errorsOf(results[0])).not.toEqual([]);
    expect(results).toHaveLength(end === 'refused' ? 1 : 2);
  },
);
