import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { largeRows } from '#shared/core/collector/messages.ts';
import { at, stringifyJson } from '#shared/core/json.ts';
import { Pipeline, storedBelow } from '#test/fakes/pipeline.ts';
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

const WEB = thing('web');
const ALL = control('bindings', 'all');

function names(count: number): readonly string[] {
  return Array.from({ length: count }, (_wec, index) => `wec${index}`);
}

/** Text that does not compress, the same each time. */
function noise(seed: string, blocks: number): string {
  return Array.from({ length: blocks }, (_block, index) =>
    createHash('sha512').update(`${seed}/${index}`).digest('base64'),
  ).join('');
}

let pipeline: Pipeline;
beforeEach(() => {
  pipeline = new Pipeline();
  pipeline.snapshot();
});

describe('a Binding of many objects', () => {
  it('reaches each of more than two pages, and leaves each again', async () => {
    const things = Array.from({ length: 230 }, (_thing, index) => thing(`web-${index}`));
    for (const ref of things) {
      applyThing(pipeline, ref);
      pipeline.tell('wec1', workloadOf(ref), returned({ phase: 'Good' }));
    }
    pipeline.wds.apply(ALL, binding(['wec1'], things));
    await pipeline.settle();
    for (const ref of things)
      expect(await shown(pipeline, ref, 'status')).toEqual({ phase: 'Good' });

    pipeline.wds.apply(ALL, binding(['wec1'], things.slice(0, 5)));
    await pipeline.settle();
    const statuses = await Promise.all(things.map((ref) => shown(pipeline, ref, 'status')));
    expect(statuses.filter((status) => at(status, 'phase') === 'Good')).toHaveLength(5);
    expect(pipeline.failures).toEqual([]);
  });
});

describe('a large workload', () => {
  const wecs = names(300);
  const start = async (collectors: readonly string[] = []): Promise<void> => {
    applyThing(pipeline, WEB);
    const asked = { wantMultiWECReportedState: true, statusCollectors: collectors };
    pipeline.wds.apply(ALL, binding(wecs, [WEB], asked));
    for (const wec of wecs) pipeline.tell(wec, workloadOf(WEB), returned({ phase: 'Good' }));
    await pipeline.settle();
  };

  it('reads the rows of the one shard that changed, and no others', async () => {
    await start();
    expect(await storedBelow(pipeline.store, workloadOf(WEB), 'PART#')).toBe(16);
    expect(await shown(pipeline, WEB, 'status', 'phase')).toBe('Good');
    pipeline.rowsRead = 0;
    pipeline.tell('wec7', workloadOf(WEB), returned({ phase: 'Bad' }));
    await pipeline.settle();
    expect(pipeline.rowsRead).toBeGreaterThan(0);
    expect(pipeline.rowsRead).toBeLessThan(60);
    expect(await shown(pipeline, WEB, 'status', 'phase')).not.toBe('Good');
  });

  it('has no parts anymore when it becomes small', async () => {
    await start();
    pipeline.wds.apply(ALL, binding(wecs.slice(0, 3), [WEB]));
    await pipeline.settle();
    expect(await storedBelow(pipeline.store, workloadOf(WEB), 'PART#')).toBe(0);
    expect(await shown(pipeline, WEB, 'status', 'phase')).toBe('Good');
  });
});

describe('results and parts that are larger than an item', () => {
  const collector = control('statuscollectors', 'texts');
  const select = [
    { name: 'wec', def: 'inventory.name' },
    { name: 'text', def: 'returned.status.text' },
  ];
  const start = async (wecs: readonly string[]): Promise<void> => {
    applyThing(pipeline, WEB);
    const spec = { select, limit: 1000 };
    pipeline.wds.apply(collector, { kind: 'StatusCollector', metadata: {}, spec });
    for (const wec of wecs)
      pipeline.tell(wec, workloadOf(WEB), returned({ text: noise(wec, 1400) }));
    await pipeline.settle();
    pipeline.wds.apply(ALL, binding(wecs, [WEB], { statusCollectors: ['texts'] }));
    await pipeline.settle();
  };
  const change = async (wecs: readonly string[]): Promise<void> => {
    for (const wec of wecs) pipeline.tell(wec, workloadOf(WEB), returned({ text: `short ${wec}` }));
    await pipeline.settle();
  };

  it('a result in several chunks is written, and replaced without a trace', async () => {
    const wecs = names(6);
    await start(wecs);
    expect(stringifyJson(combinedStatuses(pipeline)[0])).toContain(noise('wec5', 1400));
    expect(await storedBelow(pipeline.store, workloadOf(WEB), 'RESULT#')).toBe(2);
    await change(wecs);
    expect(stringifyJson(combinedStatuses(pipeline)[0])).toContain('"short wec5"');
    expect(await storedBelow(pipeline.store, workloadOf(WEB), 'RESULT#')).toBe(1);
    expect(pipeline.failures).toEqual([]);
  });

  it('parts too large to store are folded again; a result too large for a CombinedStatus is reported', async () => {
    pipeline = new Pipeline(4);
    pipeline.snapshot();
    const wecs = names(20);
    await start(wecs);
    const error = largeRows(1000, 983_040);
    expect(stringifyJson(combinedStatuses(pipeline)[0])).toContain(error);
    expect(await shown(pipeline, ALL, 'status', 'errors')).toEqual([
      expect.stringContaining(`StatusCollector texts, things.example.org shop/web: ${error}`),
    ]);
    await change(wecs);
    expect(stringifyJson(combinedStatuses(pipeline)[0])).toContain('"short wec19"');
    expect(await shown(pipeline, ALL, 'status', 'errors')).toBeUndefined();
    expect(pipeline.failures).toEqual([]);
  });
});
