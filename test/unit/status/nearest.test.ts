import { describe, expect, it } from 'vitest';
import { equalJson, type JsonObject } from '#shared/core/json.ts';
import { nearest } from '#shared/core/status/nearest.ts';

function entry(type: string, status: string): JsonObject {
  return { type, status };
}

const LITERAL: JsonObject = {
  ready: 1,
  replicas: 2,
  said: 'x',
  conditions: [entry('A', 'True'), entry('B', 'Unknown')],
};
const DEPARTURE: JsonObject = {
  ready: 3,
  replicas: 4,
  added: 5,
  conditions: [entry('C', 'True'), entry('B', 'False')],
};

function isOneOf(...statuses: readonly JsonObject[]) {
  return (status: JsonObject): boolean => statuses.some((one) => equalJson(one, status));
}

describe('the status nearest to the letter', () => {
  it.each<readonly [string, JsonObject]>([
    ['is the letter where that passes', LITERAL],
    ['has another value in one field', { ...LITERAL, replicas: 4 }],
    ['has a field more', { ...LITERAL, added: 5 }],
    ['has a field less', { ready: 1, replicas: 2, conditions: LITERAL['conditions'] ?? [] }],
    [
      'has another condition of one type',
      { ...LITERAL, conditions: [entry('A', 'True'), entry('B', 'False')] },
    ],
    [
      'has a condition more, in its place by type',
      {
        ...LITERAL,
        conditions: [entry('A', 'True'), entry('B', 'Unknown'), entry('C', 'True')],
      },
    ],
    ['has a condition less', { ...LITERAL, conditions: [entry('B', 'Unknown')] }],
    ['has two other fields', { ...LITERAL, ready: 3, replicas: 4 }],
  ])('%s', (_name, wanted) => {
    expect(nearest(LITERAL, DEPARTURE, isOneOf(wanted))).toEqual(wanted);
  });

  it('departs in the fewest fields, in the first ones of as many', () => {
    const [ready, replicas] = [
      { ...LITERAL, ready: 3 },
      { ...LITERAL, replicas: 4 },
    ];
    const both = { ...LITERAL, ready: 3, replicas: 4 };
    expect(nearest(LITERAL, DEPARTURE, isOneOf(both, replicas, ready))).toEqual(ready);
    expect(nearest(LITERAL, DEPARTURE, isOneOf(both, replicas))).toEqual(replicas);
  });

  it('has no list of conditions if none is left', () => {
    const literal = { conditions: [entry('A', 'True')] };
    expect(nearest(literal, {}, isOneOf({}))).toEqual({});
  });

  it('has the conditions in another order if it needs no other entries, those of one side last', () => {
    const literal = { conditions: ['A', 'B', 'C'].map((type) => entry(type, 'True')) };
    const departure = { conditions: ['C', 'A'].map((type) => entry(type, 'True')) };
    const ordered = { conditions: ['C', 'A', 'B'].map((type) => entry(type, 'True')) };
    expect(nearest(literal, departure, isOneOf(ordered))).toEqual(ordered);
  });

  it('is the unchanged start if no mixture passes', () => {
    expect(nearest(LITERAL, DEPARTURE, () => false)).toEqual(DEPARTURE);
  });

  it.each([
    [40, 512],
    [24_000, 4],
  ])('of lists with %i types of condition is one of at most %i mixtures', (types, most) => {
    const list = (status: string): JsonObject => ({
      conditions: Array.from({ length: types }, (_none, index) => entry(`T${index}`, status)),
    });
    let tried = 0;
    const passes = (): boolean => {
      tried += 1;
      return false;
    };
    expect(nearest(list('True'), list('False'), passes)).toEqual(list('False'));
    expect(tried).toBe(most);
  });

  it('takes names that every object has for fields and types like any other', () => {
    const literal = { constructor: 1, conditions: [entry('__proto__', 'True')] };
    const departure = { constructor: 2, conditions: [entry('__proto__', 'False')] };
    const wanted = { constructor: 1, conditions: [entry('__proto__', 'False')] };
    expect(nearest(literal, departure, isOneOf(wanted))).toEqual(wanted);
  });
});
