import { expect, it } from 'vitest';
import { UNREADABLE_REPORTS } from '#functions/aggregate-workload/messages.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { reportedKey } from '#shared/state/keys.ts';
import { Pipeline, WDS, WEB_SUBJECT } from '#test/unit/protocol/pipeline.ts';

const WEC = { type: 'wec', name: 'wec1' } as const;

it('a sweep warns once of entries that cannot be read, and sweeps the others', async () => {
  const pipeline = new Pipeline();
  await pipeline.begin([WEC.name, 'wec2']);
  await pipeline.record(pipeline.said(WEC.name, 3), pipeline.said('wec2', 3));
  await pipeline.settle();
  const bad = Array.from({ length: 25 }, (_entry, index) => {
    const pk = `W#${WDS}//pods/shop/a/${index + 10}`;
    return reportedKey(WEC, { pk, sk: 'R#0#wec1' });
  });
  await pipeline.store.put(bad.map((key) => ({ item: { ...key, version: '1' } })));
  const since = { epoch: 2, sequence: 0 };
  await pipeline.aggregate({ type: 'sweep', source: WEC, since });
  expect(pipeline.takeDirty()).toEqual([
    { type: 'subject', subject: WEB_SUBJECT, wecs: [WEC.name] },
  ]);
  expect(pipeline.telemetry.lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      message: UNREADABLE_REPORTS,
      fields: { wec: WEC.name, entries: bad.slice(0, 20).map(({ sk }) => sk), count: 25 },
    },
  ]);
});

/** Says that the listing of the WEC that began at a version is complete. */
function listed(pipeline: Pipeline, sequence: number): ForwarderEvent {
  return pipeline.event(WEC, { type: 'snapshot', since: { epoch: 2, sequence } }, 2);
}

it('the complete listings that a source reports in one batch cause one sweep, that of the newest', async () => {
  const pipeline = new Pipeline();
  await pipeline.begin([WEC.name]);
  await pipeline.settle();
  await pipeline.record(...[10, 30, 20].map((sequence) => listed(pipeline, sequence)));
  expect(pipeline.takeDirty()).toMatchObject([
    { type: 'sweep', source: WEC, since: { epoch: 2, sequence: 30 } },
  ]);
});

it('a sweep ends once the source has ended a later listing, and the later sweep finds what is gone', async () => {
  const pipeline = new Pipeline();
  await pipeline.begin([WEC.name]);
  await pipeline.record(pipeline.said(WEC.name, 3));
  await pipeline.settle();
  await pipeline.record(listed(pipeline, 10));
  const earlier = pipeline.takeDirty();
  await pipeline.record(listed(pipeline, 20));
  const later = pipeline.takeDirty();
  for (const message of earlier) await pipeline.aggregate(message);
  expect(pipeline.takeDirty()).toEqual([]);
  for (const message of later) await pipeline.aggregate(message);
  expect(pipeline.takeDirty()).toMatchObject([
    { type: 'subject', subject: WEB_SUBJECT, wecs: [WEC.name] },
  ]);
});
