import { expect, it } from 'vitest';
import { subjectPartition } from '#shared/core/subject.ts';
import { putChecks } from '#shared/state/collector-checks.ts';
import { RANGE, range } from '#shared/state/keys.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  combinedStatuses,
  control,
  returned,
  thing,
  workloadOf,
} from '#test/unit/write-results/pipeline-objects.ts';

const WEB = thing('web');
const COLLECTOR = control('statuscollectors', 'texts');
const COLLECTED = {
  kind: 'StatusCollector',
  metadata: {},
  spec: { limit: 20, select: [{ name: 'phase', def: 'returned.status.phase' }] },
};

it('a StatusCollector that was deleted leaves no check, and is checked again if it is created again', async () => {
  const pipeline = new Pipeline();
  pipeline.snapshot();
  const pk = subjectPartition({ type: 'collector', wds: workloadOf(WEB).wds, name: 'texts' });
  const checks = async (): Promise<readonly string[]> => {
    const { items } = await pipeline.store.query(range(pk, RANGE.check));
    return items.map(({ sk }) => sk);
  };
  applyThing(pipeline, WEB);
  pipeline.tell('wec1', workloadOf(WEB), returned({ phase: 'Good' }));
  pipeline.wds.apply(COLLECTOR, COLLECTED);
  const asked = { statusCollectors: ['texts'] };
  pipeline.wds.apply(control('bindings', 'all'), binding(['wec1'], [WEB], asked));
  await pipeline.settle();
  const before = await checks();
  expect(before).toHaveLength(1);
  const [shown] = combinedStatuses(pipeline);
  // A release with other rules has left one too.
  await pipeline.store.put([{ item: { pk, sk: `${RANGE.check}older`, body: '{}' } }]);

  pipeline.wds.remove(COLLECTOR);
  await pipeline.settle();
  expect(await checks()).toEqual([]);

  // A check of the former content, by an aggregation that read it before the deletion, changes nothing.
  await putChecks(pipeline.store, [[pk, { contentHash: 'former' }]]);
  pipeline.wds.apply(COLLECTOR, COLLECTED);
  await pipeline.settle();
  expect(await checks()).toEqual(before);
  expect(combinedStatuses(pipeline)[0]?.['results']).toEqual(shown?.['results']);
  expect(pipeline.failures).toEqual([]);
});
