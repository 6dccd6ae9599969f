import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { healthTable } from '#local/cli/health-table.ts';
import { ShortenedColumns, shortenedWidths } from '#local/cli/shortened-columns.ts';

const OBJECT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const MESSAGE = 'Deployment "web" exceeded its progress deadline and has not been available since';
const RESULTS = [
  {
    object: OBJECT,
    health: { status: 'Degraded', message: MESSAGE },
    wecs: [{ name: 'edge-00017', health: { status: 'Degraded', message: MESSAGE } }],
    decidedBy: ['edge-00017'],
  },
] as const;

function widthsOf(text: string): readonly number[] {
  return stripVTControlCharacters(text)
    .trimEnd()
    .split('\n')
    .map(({ length }) => length);
}

describe('the table of health', () => {
  it('fits a terminal, each WEC in one line', () => {
    for (const columns of [80, 60]) {
      const table = healthTable(RESULTS, columns);
      expect(new Set(widthsOf(table))).toEqual(new Set([columns]));
      expect(table).toContain('edge-00017 *');
      expect(table).toContain('…');
      expect(widthsOf(table)).toHaveLength(widthsOf(healthTable(RESULTS)).length);
    }
  });

  it('is whole on a pipe, and where it fits', () => {
    const whole = healthTable(RESULTS);
    expect(whole).toContain(MESSAGE);
    expect(healthTable(RESULTS, 200)).toBe(whole);
  });
});

describe('columns', () => {
  it('lose width from the last one on, and keep some', () => {
    expect(shortenedWidths([10, 10, 10], 30)).toEqual([10, 10, 10]);
    expect(shortenedWidths([10, 10, 10], 28)).toEqual([10, 10, 8]);
    expect(shortenedWidths([10, 10, 10], 23)).toEqual([10, 7, 6]);
    expect(shortenedWidths([10, 4, 10], 5)).toEqual([6, 4, 6]);
    expect(shortenedWidths([10, 10], undefined)).toEqual([10, 10]);
  });

  it('never get narrower with later rows', () => {
    const text = new ShortenedColumns(undefined);
    expect(
      text.lines([
        ['A', 'B'],
        ['long', 'x'],
      ]),
    ).toBe('A      B\nlong   x\n');
    expect(text.lines([['a', 'b']])).toBe('a      b\n');
    expect(text.lines([['longer', 'b', 'c']])).toBe('longer   b   c\n');
  });

  it('fit even if they are many', () => {
    const text = new ShortenedColumns(20);
    const line = text.lines([['aaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd']]);
    expect(line).toBe('aaaaa…   bbbbb…   c…\n');
  });
});
