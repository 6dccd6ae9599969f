import { expect, test } from 'vitest';
import { readDemo } from '#local/start/recording.ts';
import { at, isArray, member } from '#shared/core/json.ts';

const START = Date.parse('2030-01-01T00:00:00Z');

test('is a rollout of three versions in three WECs, in the order of time', () => {
  const { steps, lengthMs, control } = readDemo(START, 4);
  expect(steps.filter(({ type }) => type === 'wds')).toHaveLength(3);
  expect(steps[0]).toMatchObject({ type: 'wds', atMs: 0 });
  const wecs = steps.flatMap((step) => (step.type === 'wec' ? [step.wec] : []));
  expect(wecs).toHaveLength(103);
  expect(new Set(wecs)).toEqual(new Set(['wec1', 'wec2', 'wec3']));
  expect(steps.map(({ atMs }) => atMs)).toEqual(
    steps.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
  );
  expect(lengthMs).toBe(94_174);
  expect(control.map((object) => object['kind'])).toEqual([
    ...Array<string>(4).fill('CustomResourceDefinition'),
    'Namespace',
    'StatusCollector',
    'StatusCollector',
    'StatusCollector',
    'Binding',
  ]);
});

test('a WEC never has a generation that was not applied in the WDS before', () => {
  let applied = 0;
  for (const step of readDemo(START, 1).steps)
    if (step.type === 'wds') applied += 1;
    else expect(Number(at(step.object, 'metadata', 'generation'))).toBeLessThanOrEqual(applied);
});

test.each([1, 4, 60])(
  'at speed %d its timestamps are those of a rollout that starts now',
  (speed) => {
    const { steps, lengthMs } = readDemo(START, speed);
    for (const { object } of steps) {
      const conditions = at(object, 'status', 'conditions');
      for (const condition of isArray(conditions) ? conditions : []) {
        const time = Date.parse(String(member(condition, 'lastUpdateTime')));
        expect(time).toBeGreaterThanOrEqual(START);
        expect(time).toBeLessThanOrEqual(START + lengthMs / speed);
      }
    }
  },
);
