import { expect, it } from 'vitest';
import { Pipeline } from '#test/fakes/pipeline.ts';
import { applyThing, binding, control, returned, thing, workloadOf } from './pipeline-objects.ts';

it('the time of a write is counted from when the events queue took the change, through all functions', async () => {
  const pipeline = new Pipeline();
  const web = thing('web');
  applyThing(pipeline, web);
  pipeline.wds.apply(control('bindings', 'all'), binding(['wec1'], [web]));
  await pipeline.settle();
  pipeline.telemetry.times.length = 0;
  pipeline.tell('wec1', workloadOf(web), returned({ phase: 'Good' }));
  await pipeline.settle();
  // What is told again changes nothing, so there is no second time.
  pipeline.relist();
  await pipeline.settle();
  // So much later the fake lets the functions begin.
  expect(pipeline.telemetry.times).toEqual([301_000]);
});
