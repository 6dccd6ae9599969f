import { expect, test } from 'vitest';
import { Observation } from '#local/start/observation.ts';

const APPS = { group: 'apps', resource: 'deployments' };

test('a WEC that is not read shows since when it is silent, and reports each change once', () => {
  let told = 0;
  const observation = new Observation({
    wecs: [],
    selection: {},
    onChange: () => undefined,
    onSight: () => {
      told += 1;
    },
    clock: () => new Date(0),
    sleep: async () => undefined,
    random: () => 0,
  });
  const since = '2026-11-25T10:00:05.000Z';
  expect(observation.sight('wec1', APPS)).toEqual({ state: 'elsewhere' });
  for (const _again of [1, 2]) observation.silent(new Map([['wec1', since]]));
  expect(observation.sight('wec1', APPS)).toEqual({ state: 'elsewhere', silentSince: since });
  expect(observation.sight('wec2', APPS)).toEqual({ state: 'elsewhere' });
  expect(told).toBe(1);
  for (const _again of [1, 2]) observation.silent(new Map());
  expect(observation.sight('wec1', APPS)).toEqual({ state: 'elsewhere' });
  expect(told).toBe(2);
});
