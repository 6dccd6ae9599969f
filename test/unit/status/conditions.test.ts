import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  finishConditions,
  liftConditions,
  mergeConditions,
} from '#shared/core/status/conditions.ts';
import { compareTimes, laterTime } from '#shared/core/status/time-order.ts';
import { condition } from '#test/fixtures/wec-rows.ts';

const plain = (list: JsonValue | undefined) =>
  liftConditions(list, (_type, entry) => ({ entry, decisive: entry['reason'] === 'Decisive' }));

function aggregate(
  lists: readonly (JsonValue | undefined)[],
  failureTypes?: ReadonlySet<string>,
): readonly JsonObject[] {
  const part = lists.map(plain).reduce(mergeConditions, {});
  return finishConditions(part, lists.length, failureTypes);
}

function ready(status: string, time?: string): JsonObject {
  return condition('Ready', [status, `Is${status}`], time);
}

describe('the truth of an aggregated condition', () => {
  it.each([
    [['True', 'False', 'Unknown'], 'False'],
    [['True', 'True'], 'True'],
    [['True', 'Unknown'], 'Unknown'],
    [['Unknown', 'Unknown'], 'Unknown'],
    [['True', 'sideways'], 'Unknown'],
  ])('of %j is %s', (statuses, expected) => {
    expect(aggregate(statuses.map((status) => [ready(status)]))).toMatchObject([
      { type: 'Ready', status: expected },
    ]);
  });

  it.each([
    ['True', 'Unknown'],
    ['False', 'False'],
  ])('counts a WEC without the entry as Unknown: %s is %s', (status, expected) => {
    expect(aggregate([[ready(status)], []])).toMatchObject([{ status: expected }]);
    expect(aggregate([[ready(status)], undefined])).toMatchObject([{ status: expected }]);
  });

  it.each([
    [['True', 'False'], 'True'],
    [['False', 'Unknown'], 'False'],
    [['Unknown'], 'Unknown'],
  ])('of a failure type, of %j and an absent one, is %s', (statuses, expected) => {
    const lists = [...statuses.map((status) => [ready(status)]), []];
    expect(aggregate(lists, new Set(['Ready']))).toMatchObject([{ status: expected }]);
  });
});

describe('the entry of an aggregated condition', () => {
  it('gives the reason and the message of the newest entry, and the newest times', () => {
    const older = { ...ready('True', '10:00:00'), lastUpdateTime: '2025-11-01T12:00:00Z' };
    expect(aggregate([[older], [ready('False', '10:05:00')]])).toEqual([
      { ...ready('False', '10:05:00'), lastUpdateTime: '2025-11-01T12:00:00Z' },
    ]);
    expect(aggregate([[ready('False', '10:00:00')], [ready('True', '10:05:00')]])).toEqual([
      { ...ready('True', '10:05:00'), status: 'False' },
    ]);
  });

  it('gives the reason of the newest decisive entry, with the newest time', () => {
    const decisive = (time: string) => condition('Ready', ['False', 'Decisive'], time);
    const lists = ['10:01:00', '10:02:00'].map((time) => [decisive(time)]);
    expect(aggregate([...lists, [ready('True', '10:09:00')]])).toMatchObject([
      {
        reason: 'Decisive',
        message: 'Decisive.',
        lastTransitionTime: '2025-11-01T10:09:00Z',
        lastUpdateTime: '2025-11-01T10:09:00Z',
      },
    ]);
  });

  it('of two of the same time is the one with the worse status, then by its text', () => {
    const reasonOf = (...entries: JsonObject[]) =>
      aggregate(entries.map((entry) => [entry])).map(({ reason }) => reason);
    expect(reasonOf(ready('True'), ready('False'), ready('Unknown'))).toEqual(['IsFalse']);
    expect(reasonOf(ready('True'), ready('Unknown'))).toEqual(['IsUnknown']);
    const [a, b] = [condition('Ready', ['True', 'A']), condition('Ready', ['True', 'B'])];
    expect(reasonOf(a, b)).toEqual(['A']);
    expect(reasonOf(b, a)).toEqual(['A']);
  });

  it.each(['constructor', '__proto__', 'sideways'])(
    'is the same in every order where a status is %s, which counts as Unknown',
    (status) => {
      const entries = ['True', status, 'False'].map((one) => ready(one));
      const reasons = [entries, entries.toReversed()].map((list) =>
        aggregate(list.map((entry) => [entry])).map(({ reason }) => reason),
      );
      expect(reasons).toEqual([['IsFalse'], ['IsFalse']]);
      expect(aggregate([[ready('True')], [ready(status)]])).toMatchObject([
        { status: 'Unknown', reason: `Is${status}` },
      ]);
      expect(aggregate([[ready(status)], [ready('True')]])).toMatchObject([
        { status: 'Unknown', reason: `Is${status}` },
      ]);
    },
  );

  it('keeps what else it says, and the lowest generation', () => {
    const entry = (observedGeneration: JsonValue): JsonObject => ({
      ...ready('True'),
      severity: 'Info',
      observedGeneration,
    });
    expect(aggregate([[entry(4)], [entry(3)], [ready('True')]])).toMatchObject([
      { severity: 'Info', observedGeneration: 3 },
    ]);
    expect(aggregate([[entry('4')]])).toEqual([entry('4')]);
  });

  it('has no times where no entry has any', () => {
    expect(aggregate([[{ type: 'Ready', status: 'True' }]])).toEqual([
      { type: 'Ready', status: 'True' },
    ]);
  });
});

describe('a list of conditions', () => {
  it('is sorted by type, whatever the order in the WECs', () => {
    const [a, b, c] = ['A', 'B', 'C'].map((type) => condition(type, ['True', 'Fine']));
    expect(aggregate([[c ?? {}, a ?? {}], [b ?? {}]]).map(({ type }) => type)).toEqual([
      'A',
      'B',
      'C',
    ]);
  });

  it('counts the first of several entries of a type, and passes over what is no entry', () => {
    const list = ['x', null, {}, { type: '' }, { type: 3 }, ready('True'), ready('False')];
    expect(aggregate([list])).toEqual([ready('True')]);
    expect(aggregate(['no list'])).toEqual([]);
  });
});

describe('the order of times', () => {
  it.each([
    ['2025-11-01T10:00:00Z', '2025-11-01T10:00:01Z'],
    ['2025-11-01T10:00:00Z', '2025-11-01T10:00:00.000001Z'],
    ['2025-11-01T10:00:00.5Z', '2025-11-01T10:00:01Z'],
    ['2025-11-01T11:00:00+02:00', '2025-11-01T10:00:00Z'],
    ['2025-11-01T10:00:00+00:00', '2025-11-01T10:00:00Z'],
    ['', '2025-11-01T10:00:00Z'],
    ['yesterday', '0001-01-01T00:00:00Z'],
  ])('%s comes before %s', (earlier, later) => {
    expect(compareTimes(earlier, later)).toBe(-1);
    expect(compareTimes(later, earlier)).toBe(1);
    expect(laterTime(earlier, later)).toBe(later);
    expect(laterTime(later, earlier)).toBe(later);
  });

  it('finds the same text equal', () => {
    expect(compareTimes('2025-11-01T10:00:00Z', '2025-11-01T10:00:00Z')).toBe(0);
  });
});
