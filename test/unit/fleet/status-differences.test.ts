import { describe, expect, it } from 'vitest';
import {
  type DesiredStatus,
  errorCondition,
  readyCondition,
  statusWith,
} from '#shared/core/fleet/desired-status.ts';
import { statusDifferences } from '#shared/core/fleet/status-differences.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { condition } from './fixtures/parts.ts';

const NOTHING: DesiredStatus = { fields: {}, absent: [], conditions: [] };

function wanted(fields: JsonObject, more: Partial<DesiredStatus> = {}): DesiredStatus {
  return { ...NOTHING, fields, ...more };
}

function fieldsOf(stored: JsonValue | undefined, desired: DesiredStatus): readonly string[] {
  return statusDifferences(stored, desired).differences.map(({ field }) => field);
}

describe('the differences of a status', () => {
  it('are listed value by value, as JSON, in the order of their fields', () => {
    const stored = { unavailable: 2, summary: { ready: 1, desiredReady: 2 }, display: 'x' };
    const desired = wanted({
      unavailable: 1,
      summary: { ready: 2, desiredReady: 2 },
      display: { state: 'NotReady' },
    });
    expect(statusDifferences(stored, desired)).toEqual({
      total: 3,
      differences: [
        { field: 'status.display', fleet: '"x"', starfold: '{"state":"NotReady"}' },
        { field: 'status.summary.ready', fleet: '1', starfold: '2' },
        { field: 'status.unavailable', fleet: '2', starfold: '1' },
      ],
    });
  });

  it('are none if what is desired has been written', () => {
    const desired = wanted(
      { summary: { ready: 2 }, resources: [{ name: 'a' }] },
      {
        absent: ['resourceKey'],
        conditions: [readyCondition('no'), errorCondition('Stalled', 'x')],
      },
    );
    const stored = statusWith({ resourceKey: [1] }, desired, '2026-11-21T12:00:00Z');
    expect(statusDifferences(stored, desired)).toEqual({ differences: [], total: 0 });
  });

  it('name elements of lists by index, also those that one side alone has', () => {
    const desired = wanted({ resources: [{ state: 'Ready' }, { state: 'Ready' }], names: ['a'] });
    const stored = {
      resources: [{ state: 'Ready' }, { state: 'Modified' }],
      names: ['a', 'b', ''],
    };
    expect(statusDifferences(stored, desired).differences).toEqual([
      { field: 'status.names[1]', fleet: '"b"', starfold: null },
      { field: 'status.names[2]', fleet: '""', starfold: null },
      { field: 'status.resources[1].state', fleet: '"Modified"', starfold: '"Ready"' },
    ]);
    expect(fieldsOf({ names: [] }, wanted({ names: ['a', 0] }))).toEqual([
      'status.names[0]',
      'status.names[1]',
    ]);
  });

  it('name members that are no plain words in brackets', () => {
    const counts = (ready: number) => ({ perCluster: { 'fleet-default/edge1': { ready } } });
    expect(fieldsOf(counts(1), wanted(counts(2)))).toEqual([
      'status.perCluster[fleet-default/edge1].ready',
    ]);
  });

  it.each<JsonValue>([0, '', false, null, [], {}, { ready: 0, more: { list: [] } }])(
    'do not distinguish %j from nothing, which is what API servers keep of it',
    (value) => {
      expect(fieldsOf({}, wanted({ value }))).toEqual([]);
      expect(fieldsOf({ value }, wanted({}, { absent: ['value'] }))).toEqual([]);
      expect(fieldsOf({ all: { value } }, wanted({ all: { other: [] } }))).toEqual([]);
    },
  );

  it.each<JsonValue>([1, 'a', true, [0], { ready: 1 }, { list: [''] }])(
    'distinguish %j from nothing',
    (value) => {
      expect(fieldsOf({}, wanted({ value }))).toEqual(['status.value']);
      expect(fieldsOf({ value: {} }, wanted({ value }))).toHaveLength(1);
    },
  );

  it('report fields that are to be absent', () => {
    const desired = wanted({ kept: 1 }, { absent: ['kept', 'gone', 'never'] });
    expect(statusDifferences({ kept: 1, gone: [1] }, desired).differences).toEqual([
      { field: 'status.gone', fleet: '[1]', starfold: null },
    ]);
  });

  it('leave out fields of which nothing is desired', () => {
    expect(fieldsOf({ partitions: [{ name: 'all' }] }, NOTHING)).toEqual([]);
  });

  it('report the reason and the message of a condition that is to have neither', () => {
    const stored = {
      conditions: [condition('Processed', 'True', { reason: 'Done', message: 'x' })],
    };
    const desired = wanted({}, { conditions: [{ type: 'Processed', status: 'True' }] });
    expect(statusDifferences(stored, desired).differences).toEqual([
      { field: 'status.conditions[Processed].message', fleet: '"x"', starfold: null },
      { field: 'status.conditions[Processed].reason', fleet: '"Done"', starfold: null },
    ]);
  });

  it.each<JsonValue | undefined>([undefined, null, 'text', []])('of %j are all of it', (stored) => {
    const desired = wanted({ ready: 1 }, { conditions: [readyCondition('')] });
    expect(fieldsOf(stored, desired)).toEqual(['status.conditions[Ready]', 'status.ready']);
  });

  it('are at most 50, each value at most 200 characters', () => {
    const names = Array.from({ length: 60 }, (_one, index) => `n${index}`);
    const desired = wanted(Object.fromEntries(names.map((name) => [name, 'x'.repeat(300)])));
    const { differences, total } = statusDifferences({}, desired);
    expect(total).toBe(60);
    expect(differences.map(({ field }) => field)).toEqual(
      names
        .map((name) => `status.${name}`)
        .sort()
        .slice(0, 50),
    );
    expect(differences[0]?.starfold).toHaveLength(200);
  });
});

describe('the differences of conditions', () => {
  it('are those of status, reason and message, by type', () => {
    const conditions = [
      condition('Accepted', 'False'),
      condition('Ready', 'False', { message: 'old', reason: 'Error' }),
    ];
    const desired = wanted({}, { conditions: [readyCondition('')] });
    expect(statusDifferences({ conditions }, desired).differences).toEqual([
      { field: 'status.conditions[Ready].message', fleet: '"old"', starfold: null },
      { field: 'status.conditions[Ready].reason', fleet: '"Error"', starfold: null },
      { field: 'status.conditions[Ready].status', fleet: '"False"', starfold: '"True"' },
    ]);
  });

  it('are none if the times are others, or a text is empty instead of absent', () => {
    const stood = { reason: '', message: '', lastUpdateTime: '', lastTransitionTime: 'x' };
    const stored = { conditions: [condition('Ready', 'True', stood)] };
    expect(fieldsOf(stored, wanted({}, { conditions: [readyCondition('')] }))).toEqual([]);
  });

  it('go by the last of several changes, and by as much of a message as is written', () => {
    const message = 'x'.repeat(5000);
    const desired = wanted({}, { conditions: [readyCondition(''), readyCondition(message)] });
    const stored = statusWith({}, desired, '2026-11-21T12:00:00Z');
    expect(fieldsOf(stored, desired)).toEqual([]);
  });

  it('are the whole condition if it is not there', () => {
    const desired = wanted({}, { conditions: [errorCondition('Ready', 'x')] });
    expect(statusDifferences({ conditions: 'none' }, desired).differences).toEqual([
      {
        field: 'status.conditions[Ready]',
        fleet: null,
        starfold: '{"message":"x","reason":"Error","status":"False"}',
      },
    ]);
  });
});
