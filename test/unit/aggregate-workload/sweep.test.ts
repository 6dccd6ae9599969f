import { expect, it } from 'vitest';
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
      message: 'entries of what a source has said cannot be read',
      fields: { wec: WEC.name, entries: bad.slice(0, 20).map(({ sk }) => sk), count: 25 },
    },
  ]);
});
