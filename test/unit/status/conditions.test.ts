import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import {
  conditionDeciders,
  finishConditions,
  liftConditions,
  mergeConditions,
  NO_CONDITIONS,
} from '#shared/core/status/conditions.ts';
import { notReported } from '#shared/core/status/messages.ts';
import { compareTimes, laterTime } from '#shared/core/status/time-order.ts';
import { condition, unreported } from '#test/fixtures/wec-rows.ts';

const plain = (list: JsonValue | undefined, index: number) =>
  liftConditions(`wec${index + 1}`, list, (_type, entry) => ({
    entry,
    decisive: entry['reason'] === 'Decisive',
  }));

function aggregate(
  lists: readonly (JsonValue | undefined)[],
  failureTypes?: ReadonlySet<string>,
): readonly JsonObject[] {
  const part = lists.map(plain).reduce(mergeConditions, NO_CONDITIONS);
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

  it.each<[string, JsonObject]>([
    ['a time that is none', { lastUpdateTime: 'x' }],
    ['an empty time', { lastTransitionTime: '' }],
    ['a date that does not exist', { lastTransitionTime: '2026-13-45T99:99:99Z' }],
    ['a time that is a number', { lastProbeTime: 5, lastHeartbeatTime: { a: 1 } }],
    ['texts that are none', { message: 5, reason: { a: 1 } }],
  ])('leaves out what an API server rejects: %s', (_what, bad) => {
    const [type, status] = ['Ready', 'False'];
    expect(aggregate([[{ type, status, ...bad }]])).toEqual([{ type, status }]);
    expect(aggregate([[{ type, status, ...bad }], [ready('True')]])).toEqual(
      aggregate([[{ type, status }], [ready('True')]]),
    );
  });

  it('keeps times that are written as null', () => {
    const entry = { ...ready('True'), lastProbeTime: null };
    expect(aggregate([[entry]])).toEqual([entry]);
  });

  it('has no times where no entry has any', () => {
    expect(aggregate([[{ type: 'Ready', status: 'True' }]])).toEqual([
      { type: 'Ready', status: 'True' },
    ]);
  });
});

describe('an aggregated condition that is Unknown because WECs have not reported it', () => {
  const fine = [ready('True', '10:05:00')];

  it('says so, and names these WECs, with the newest time of the others', () => {
    expect(aggregate([fine, [], fine, undefined])).toEqual([
      {
        ...ready('True', '10:05:00'),
        status: 'Unknown',
        reason: 'NotReportedByAllWECs',
        message: notReported(2, 4, 'wec2, wec4'),
      },
    ]);
  });

  it('has a reason and a message also if the entries have none', () => {
    expect(aggregate([[{ type: 'Ready', status: 'True' }], []])).toEqual([
      { type: 'Ready', ...unreported('wec2') },
    ]);
  });

  it('names them beside a WEC for which it is Unknown, if the newest report is True', () => {
    const message = notReported(1, 3, 'wec3');
    expect(aggregate([[ready('Unknown', '10:00:00')], fine, []])).toMatchObject([{ message }]);
  });

  it.each<[string, readonly (readonly JsonObject[])[], JsonObject]>([
    [
      'the newest report is Unknown',
      [fine, [ready('Unknown', '10:09:00')], []],
      { status: 'Unknown', reason: 'IsUnknown', message: 'IsUnknown.' },
    ],
    [
      'all WECs have reported it',
      [[ready('Unknown', '10:00:00')], fine],
      { status: 'Unknown', reason: 'IsTrue' },
    ],
    [
      'it decides the verdict',
      [[condition('Ready', ['True', 'Decisive'])], []],
      { status: 'Unknown', reason: 'Decisive' },
    ],
    ['it is False', [[ready('False')], fine, []], { status: 'False', reason: 'IsTrue' }],
  ])('keeps the reason of a WEC if %s', (_when, lists, expected) => {
    expect(aggregate(lists)).toMatchObject([expected]);
  });

  it('keeps the reason of a WEC if it is a failure type, because a WEC without it does not count', () => {
    const failures = new Set(['Ready']);
    expect(aggregate([[ready('Unknown')], []], failures)).toMatchObject([{ reason: 'IsUnknown' }]);
    expect(aggregate([fine, []], failures)).toEqual(fine);
  });

  it('names the first ten WECs by name, and how many more, however the parts were merged', () => {
    const wecs = Array.from({ length: 14 }, (_none, index) => `wec${10 + index}`);
    const parts = wecs.map((wec) =>
      liftConditions(wec, wec === 'wec13' ? fine : [], (_type, entry) => ({
        entry,
        decisive: false,
      })),
    );
    const half = (from: number, to?: number) =>
      parts.slice(from, to).reduce(mergeConditions, NO_CONDITIONS);
    const message = notReported(
      13,
      14,
      'wec10, wec11, wec12, wec14, wec15, wec16, wec17, wec18, wec19, wec20, and 3 more',
    );
    for (const part of [
      half(0),
      parts.toReversed().reduce(mergeConditions, NO_CONDITIONS),
      mergeConditions(half(7), half(0, 7)),
    ])
      expect(finishConditions(part, wecs.length)).toMatchObject([{ message }]);
  });

  it('has the number of WECs without names, in a list of more than 100', () => {
    const list = (length: number) =>
      Array.from({ length }, (_none, index) => ({ type: `T${index}`, status: 'True' }));
    const messages = (length: number) => [
      ...new Set(aggregate([list(length), []]).map(({ message }) => message)),
    ];
    expect(messages(100)).toEqual([notReported(1, 2, 'wec2')]);
    expect(messages(101)).toEqual([notReported(1, 2, '')]);
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

describe('the WECs that decide a condition', () => {
  it('are none if no WEC has reported its type', () => {
    const part = plain([ready('True')], 0);
    const unknown = { list: '0', type: 'toString', status: '' };
    expect(conditionDeciders(part, {}, unknown)).toEqual([]);
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
