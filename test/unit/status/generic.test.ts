import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { notReported } from '#shared/core/status/messages.ts';
import { condition, reported, unreported } from '#test/fixtures/wec-rows.ts';

function widget(generation = 1): WorkloadObject {
  const metadata = { name: 'w', generation };
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata, spec: { size: 1 } };
}

function fold(rows: readonly PerWecRow[], workload = widget()): JsonObject | undefined {
  const generic = statusFold(workload, new Map());
  return generic.finish(foldRows(generic, rows));
}

function aggregate(...statuses: readonly JsonValue[]): JsonObject | undefined {
  return fold(statuses.map((status, index) => reported(`wec${index}`, status)));
}

describe('a field of an aggregated status of any kind', () => {
  it.each<[string, JsonValue[], JsonObject]>([
    ['a number is the lowest', [{ n: 3 }, { n: 2 }, { n: 4.5 }], { n: 2 }],
    ['an absent number is 0', [{ n: 3 }, {}], { n: 0 }],
    ['a negative number stays below an absent one', [{ n: -3 }, {}], { n: -3 }],
    [
      'large integers stay exact',
      [{ n: 2n ** 60n + 1n }, { n: 2n ** 60n + 3n }],
      { n: 2n ** 60n + 1n },
    ],
    ['numbers of all spellings compare', [{ n: new Float(2) }, { n: 2.5 }], { n: new Float(2) }],
    ['of two spellings of a number one is always taken', [{ n: new Float(2) }, { n: 2 }], { n: 2 }],
    ['zero has no sign', [{ n: -0 }, { n: 1 }], { n: 0 }],
    ['a boolean is true where all say true', [{ b: true }, { b: true }], { b: true }],
    ['a boolean is false where any says false', [{ b: true }, { b: false }], { b: false }],
    ['an absent boolean is false', [{ b: true }, {}], { b: false }],
    ['a string stands where all have it', [{ s: 'x' }, { s: 'x' }], { s: 'x' }],
    ['strings that differ are left out', [{ s: 'x' }, { s: 'y' }, { s: 'x' }], {}],
    ['a string that a WEC does not have is left out', [{ s: 'x' }, {}], {}],
    ['null is as good as absent', [{ s: null, n: null }, { n: 2 }], { n: 0 }],
    ['values of different types are left out', [{ v: 1 }, { v: 'x' }, { v: 1 }], {}],
    ['a number and a boolean too', [{ v: 1 }, { v: true }], {}],
    ['a list and a map too', [{ v: [] }, { v: {} }], {}],
    [
      'maps of one shape go member by member',
      [{ m: { n: 3, b: true } }, { m: { n: 2, b: false } }],
      { m: { n: 2, b: false } },
    ],
    [
      'a map loses a member without a common value',
      [{ m: { s: 'x', n: 1 } }, { m: { s: 'y', n: 1 } }],
      { m: { n: 1 } },
    ],
    ['a map without any common value is left out', [{ m: { s: 'x' } }, { m: { s: 'y' } }], {}],
    ['an empty map stands', [{ m: {} }, { m: {} }], { m: {} }],
    ['maps with different keys are left out', [{ m: { a: 1 } }, { m: { a: 1, b: 2 } }], {}],
    ['also with equally many', [{ m: { a: 1 } }, { m: { b: 1 } }], {}],
    ['and stay out, whatever comes', [{ m: { a: 1 } }, { m: { b: 1 } }, { m: { a: 1 } }], {}],
    ['a map that a WEC does not have is left out', [{ m: { a: 1 } }, {}], {}],
    ['lists of one length go element by element', [{ l: [1, 5] }, { l: [2, 4] }], { l: [1, 4] }],
    ['lists of different lengths are left out', [{ l: [1] }, { l: [1, 2] }], {}],
    [
      'a list with an element without a common value is left out',
      [{ l: ['a', 'x'] }, { l: ['a', 'y'] }],
      {},
    ],
    ['a list that a WEC does not have is left out', [{ l: [1] }, {}], {}],
    ['null in a list is no value', [{ l: [null] }, { l: [null] }], {}],
    [
      'a field called __proto__ is one like any other',
      [JSON.parse('{"__proto__": 3}'), JSON.parse('{"__proto__": 2}')],
      JSON.parse('{"__proto__": 2}'),
    ],
    [
      'what looks like conditions but is not is a list',
      [{ conditions: [{ n: 2 }] }, { conditions: [{ n: 1 }] }],
      { conditions: [{ n: 1 }] },
    ],
    ['no conditions are no conditions', [{ conditions: [] }, {}], { conditions: [] }],
  ])('%s', (_name, statuses, expected) => {
    expect(aggregate(...statuses)).toEqual(expected);
    expect(aggregate(...[...statuses].reverse())).toEqual(expected);
  });

  it('in a WEC that has returned nothing is as good as absent', () => {
    const one = reported('wec1', { n: 3, b: true, s: 'x', l: [1] });
    expect(fold([one, { wec: 'wec2' }])).toEqual({ n: 0, b: false });
    expect(fold([one, reported('wec2', null)])).toEqual({ n: 0, b: false });
  });
});

describe('conditions of an aggregated status of any kind', () => {
  const [yes, no] = [condition('Ready', ['True', 'Yes']), condition('Ready', ['False', 'No'])];

  it('go by the rules of conditions, with absent entries and WECs as Unknown', () => {
    expect(aggregate({ conditions: [yes] }, { conditions: [no] })).toEqual({ conditions: [no] });
    const without = (wec: string) => ({ conditions: [{ ...yes, ...unreported(wec) }] });
    expect(aggregate({ conditions: [yes] }, {})).toEqual(without('wec1'));
    expect(aggregate({ conditions: [yes] }, { conditions: [] })).toEqual(without('wec1'));
    expect(fold([reported('a', { conditions: [yes] }), { wec: 'b' }])).toEqual(without('b'));
  });

  it('name the WECs without the list, without the entry, and without a status', () => {
    const rows = [
      { wec: 'wec4' },
      reported('wec3', {}),
      reported('wec1', { conditions: [yes] }),
      reported('wec2', { conditions: [condition('Synced', ['True', 'Yes'])] }),
    ];
    const message = notReported(3, 4, 'wec2, wec3, wec4');
    for (const order of [rows, rows.toReversed()])
      expect(fold(order)?.['conditions']).toMatchObject([
        { type: 'Ready', status: 'Unknown', message },
        { type: 'Synced', status: 'Unknown' },
      ]);
  });

  it('are left out where a WEC has something else in their place', () => {
    const rows = [
      reported('wec1', { conditions: [yes], n: 1 }),
      reported('wec2', { n: 1 }),
      reported('wec3', { conditions: 'none', n: 1 }),
    ];
    expect(fold(rows)).toEqual({ n: 1 });
    expect(fold(rows.toReversed())).toEqual({ n: 1 });
  });

  it('do so inside maps and lists too', () => {
    const inside = (entry: JsonObject) => ({ parents: [{ name: 'gw', conditions: [entry] }] });
    expect(aggregate(inside(yes), inside(no))).toEqual(inside(no));
  });

  describe('of a type that is bad when it is True', () => {
    const stalled = (status: string, time?: string) => ({
      conditions: [condition('Stalled', [status, `Is${status}`], time)],
    });

    it('X1: are True if any WEC says True, with its reason, whatever newer entries say', () => {
      const newest = '2025-11-01T10:05:00Z';
      const [entry] = stalled('True').conditions;
      expect(aggregate(stalled('True', '10:00:00'), stalled('False', '10:05:00'))).toEqual({
        conditions: [{ ...entry, lastTransitionTime: newest, lastUpdateTime: newest }],
      });
    });

    it.each([
      ['False', 'False'],
      ['Unknown', 'Unknown'],
      ['True', 'True'],
    ])('are, if one WEC reports %s and another does not report them, %s', (said, expected) => {
      expect(aggregate(stalled(said), { conditions: [] })).toMatchObject({
        conditions: [{ type: 'Stalled', status: expected }],
      });
    });

    it('are so below other fields too', () => {
      const inside = (status: string) => ({ listeners: [{ ...stalled(status), n: 1 }] });
      expect(aggregate(inside('True'), inside('False'))).toMatchObject(inside('True'));
    });
  });

  it.each(['Progressing', 'Paused', 'Suspended'])(
    'go by the uniform rule if %s may be good or bad (X1)',
    (type) => {
      const said = (status: string) => ({ conditions: [condition(type, [status, 'S'])] });
      expect(aggregate(said('True'), said('False'))).toMatchObject(said('False'));
    },
  );
});

describe('generations in an aggregated status of any kind', () => {
  const at = (observedGeneration: number): JsonObject => ({
    observedGeneration,
    conditions: [{ type: 'Ready', status: 'True', observedGeneration }],
  });

  it("are translated to the WDS's, in conditions too", () => {
    const rows = [
      reported('wec1', at(7), { generation: 7, sourceGeneration: 4 }),
      reported('wec2', at(2), { generation: 3, sourceGeneration: 4 }),
    ];
    expect(fold(rows.slice(0, 1), widget(4))).toMatchObject(at(4));
    expect(fold(rows, widget(4))).toMatchObject(at(3));
  });

  it('are before the current one if a WEC does not report any, and never below 0', () => {
    const current = reported('wec1', { observedGeneration: 1 }, { sourceGeneration: 4 });
    expect(fold([current, { wec: 'wec2' }], widget(4))).toEqual({ observedGeneration: 3 });
    expect(fold([current, { wec: 'wec2' }], widget(0))).toEqual({ observedGeneration: 0 });
  });

  it('are texts if the WECs report texts, also one that stands for a WEC without any', () => {
    const current = reported('wec1', { observedGeneration: '1' }, { sourceGeneration: 4 });
    expect(fold([current], widget(4))).toEqual({ observedGeneration: '4' });
    expect(fold([current, { wec: 'wec2' }], widget(4))).toEqual({ observedGeneration: '3' });
  });

  it('count as 0 if they cannot be a generation', () => {
    const odd = reported('wec1', { observedGeneration: -1 }, { sourceGeneration: 4 });
    expect(fold([odd], widget(4))).toEqual({ observedGeneration: 3 });
  });
});

describe('an aggregated status of any kind', () => {
  it('is none if no WEC has returned a status, and empty if all are', () => {
    expect(fold([])).toBeUndefined();
    expect(
      fold([{ wec: 'wec1' }, reported('wec2', null), reported('wec3', 'text')]),
    ).toBeUndefined();
    expect(aggregate({}, {})).toEqual({});
  });
});
