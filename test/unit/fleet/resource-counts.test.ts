import { describe, expect, it } from 'vitest';
import {
  addResourceCounts,
  allResources,
  NO_RESOURCES,
  readResourceCounts,
} from '#shared/core/fleet/resource-counts.ts';
import { Float, type JsonValue } from '#shared/core/json.ts';

const NAMES = [
  'ready',
  'desiredReady',
  'waitApplied',
  'modified',
  'orphaned',
  'missing',
  'unknown',
  'notReady',
] as const;

/** Another number for each, so that none can stand for another. */
const EACH = {
  ...NO_RESOURCES,
  ...Object.fromEntries(NAMES.map((name, index) => [name, 2 ** index])),
};

describe('the counts of resources (Fleet, Status Fields, Resource Counts)', () => {
  it('have all members, also those that are 0', () => {
    expect(Object.keys(NO_RESOURCES)).toEqual(NAMES);
    expect(readResourceCounts({ ready: 1 })).toEqual({ ...NO_RESOURCES, ready: 1 });
  });

  it('are read member by member', () => {
    expect(readResourceCounts(EACH)).toEqual(EACH);
  });

  it.each<readonly [what: string, value: JsonValue | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['a list', [1]],
    ['a text', 'ready'],
    ['a number', 7],
    ['a text in place of a number', { ready: '1' }],
    ['a fraction', { ready: 1.5 }],
    ['a floating-point number', { ready: new Float(1) }],
    ['an integer that is too large', { ready: 2n ** 60n }],
    ['no number', { ready: Number.NaN }],
    ['other members', { total: 3 }],
  ])('are 0 if there is %s', (_what, value) => {
    expect(readResourceCounts(value)).toEqual(NO_RESOURCES);
  });

  it('add up member by member', () => {
    const sum = addResourceCounts(EACH, addResourceCounts(EACH, EACH));
    for (const name of NAMES) expect(sum[name]).toBe(3 * EACH[name]);
    expect(Object.keys(sum)).toEqual(NAMES);
    expect(addResourceCounts(EACH, NO_RESOURCES)).toEqual(EACH);
  });

  it.each(['waitApplied', 'unknown'] as const)('are all %s of as many resources', (state) => {
    expect(allResources(EACH, state)).toEqual({ ...NO_RESOURCES, desiredReady: 2, [state]: 2 });
  });
});
