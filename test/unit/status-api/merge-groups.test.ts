import { describe, expect, it } from 'vitest';
import { NULL_VALUE, type Value } from '#shared/core/collector/value.ts';
import { type AnsweredGroup, mergeGroups } from '#shared/core/status-api/merge-groups.ts';

const number = (float: string): Value => ({ type: 'Number', float });
const text = (string: string): Value => ({ type: 'String', string });
const bool = (value: boolean): Value => ({ type: 'Bool', bool: value });

function group(count: number, ...columns: readonly Value[]): AnsweredGroup {
  return { columns, count };
}

function floats(groups: readonly AnsweredGroup[]): readonly (readonly string[])[] {
  return groups.map(({ columns }) =>
    columns.map((cell) => (cell.type === 'Number' ? cell.float : cell.type)),
  );
}

describe('the groups of several answers', () => {
  it('are merged by key', () => {
    const columns = ['key', 'COUNT', 'SUM', 'AVG', 'MIN', 'MAX'] as const;
    const merged = mergeGroups(columns, [
      group(1, text('b'), ...['1', '5', '5', '5', '5'].map(number)),
      group(2, text('a'), ...['2', '6', '3', '2', '4'].map(number)),
      group(1, text('a'), ...['1', '9', '9', '9', '9'].map(number)),
    ]);
    expect(merged.map(({ count }) => count)).toEqual([3, 1]);
    expect(floats(merged)).toEqual([
      ['String', '3', '15', '5', '2', '9'],
      ['String', '1', '5', '5', '5', '5'],
    ]);
  });

  it('count nothing twice if an answer has no rows', () => {
    const none = group(0, number('0'), number('+Inf'), number('NaN'));
    const some = group(2, number('2'), number('-Inf'), number('1e+06'));
    const columns = ['COUNT', 'MIN', 'AVG'] as const;
    expect(mergeGroups(columns, [none, some])).toEqual([some]);
    expect(mergeGroups(columns, [some, none])).toEqual([some]);
    expect(mergeGroups(columns, [none, none])).toEqual([none]);
    expect(mergeGroups(columns, [])).toEqual([]);
  });

  it('have no number where a cell has none', () => {
    expect(floats(mergeGroups(['MAX'], [group(1, NULL_VALUE), group(1, number('1'))]))).toEqual([
      ['NaN'],
    ]);
  });

  it('are in the order of their keys', () => {
    const keys = [
      NULL_VALUE,
      bool(false),
      bool(true),
      number('-Inf'),
      number('-1'),
      number('9007199254740992'),
      number('9007199254740993'),
      number('+Inf'),
      number('NaN'),
      text('a'),
      text('b'),
    ];
    const groups = keys.map((key) => group(1, key, number('1'))).toReversed();
    const merged = mergeGroups(['key', 'COUNT'], groups);
    expect(merged.map(({ columns: [key] }) => key)).toEqual(keys);
    const twice = mergeGroups(
      ['key', 'key'],
      [group(1, text('a'), number('2')), group(1, text('a'), number('1'))],
    );
    expect(floats(twice)).toEqual([
      ['String', '1'],
      ['String', '2'],
    ]);
  });
});
