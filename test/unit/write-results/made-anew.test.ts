import { describe, expect, it } from 'vitest';
import { at } from '#shared/core/json.ts';
import { Pipeline } from '#test/fakes/pipeline.ts';
import {
  applyThing,
  binding,
  control,
  returned,
  shown,
  thing,
  workloadOf,
} from './pipeline-objects.ts';

const WEB = thing('web');
const ALL = control('bindings', 'all');

/** An object whose status is written, in a WDS of whose changes nothing is heard from now on. */
async function written(): Promise<Pipeline> {
  const pipeline = new Pipeline();
  applyThing(pipeline, WEB);
  pipeline.wds.apply(ALL, binding(['wec1'], [WEB]));
  pipeline.tell('wec1', workloadOf(WEB), returned({ step: 1 }));
  await pipeline.settle();
  expect(await shown(pipeline, WEB, 'status')).toEqual({ step: 1 });
  pipeline.wds.onChange = () => undefined;
  return pipeline;
}

describe('an object that was deleted and made again', () => {
  it('is not given the status of the one before, however late its own event is', async () => {
    const pipeline = await written();
    pipeline.wds.remove(WEB);
    applyThing(pipeline, WEB);
    const before = pipeline.writes.length;
    pipeline.tell('wec1', workloadOf(WEB), returned({ step: 2 }));
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toBeUndefined();
    expect(await shown(pipeline, WEB, 'metadata', 'labels')).toBeUndefined();
    expect(pipeline.writes.slice(before)).toEqual([]);

    pipeline.relist();
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toEqual({ step: 2 });
    expect(pipeline.failures).toEqual([]);
  });

  it('is given a status that is the same as that of the one before, once its own event has come', async () => {
    const pipeline = await written();
    const uid = await shown(pipeline, WEB, 'metadata', 'uid');
    pipeline.wds.remove(WEB);
    applyThing(pipeline, WEB);
    pipeline.tell('wec1', workloadOf(WEB), returned({ step: 2 }));
    pipeline.tell('wec1', workloadOf(WEB), returned({ step: 1 }));
    await pipeline.settle();
    expect(await shown(pipeline, WEB, 'status')).toBeUndefined();
    pipeline.relist();
    await pipeline.settle();
    const object = await pipeline.wds.api.get(WEB);
    expect(at(object, 'status')).toEqual({ step: 1 });
    expect(at(object, 'metadata', 'uid')).not.toBe(uid);
  });
});
