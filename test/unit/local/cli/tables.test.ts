import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { healthTable } from '#local/cli/eval/health-table.ts';
import { columnsText } from '#local/cli/terminal/columns-text.ts';
import { ShortenedColumns, shortenedWidths } from '#local/cli/terminal/shortened-columns.ts';
import { beginningOf, displayWidth, shortened } from '#local/tables/display-text.ts';
import { anyCharacter } from '#test/any-character.ts';

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

/** Texts with wide characters, combining marks and characters that are not seen. */
const TEXT = fc.string({
  maxLength: 30,
  unit: fc.oneof(
    fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
    fc.constantFrom('日', '한', '🫠', '👩‍💻', 'e\u0301', '\u202E', ' ', 'a'),
  ),
});

function widthsOf(text: string): readonly number[] {
  return stripVTControlCharacters(text).trimEnd().split('\n').map(displayWidth);
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

describe('wide characters', () => {
  const RESULT = {
    object: { ...OBJECT, name: '\u202E日本語🫠' },
    health: { status: 'Degraded', message: 'e\u0301'.repeat(60) },
    wecs: [{ name: '東京', health: { status: 'Healthy', message: '日本語'.repeat(30) } }],
    decidedBy: [],
  } as const;

  it.each([undefined, 60, 61])('keep the lines of the table of health together: %s', (columns) => {
    const table = healthTable([RESULT], columns);
    expect(new Set(widthsOf(table)).size).toBe(1);
    expect(table).not.toContain('\u202E');
    if (columns !== undefined) expect(widthsOf(table)[0]).toBe(columns);
  });

  it('keep the columns of a list together', () => {
    const rows = [
      ['日本', 'x'],
      ['ab', 'y'],
      ['e\u0301\u200B', 'z'],
    ];
    expect(new ShortenedColumns(undefined).lines(rows)).toBe(
      '日本   x\nab     y\ne\u0301      z\n',
    );
  });

  it('keep the columns of an explanation together, also in a second line', () => {
    const rows = [
      ['FIELD', 'VALUE'],
      ['日本語日本語日本語', '\u202E東京 大阪 x'],
    ];
    expect(columnsText(rows, 40)).toBe(
      'FIELD               VALUE\n日本語日本語日本語  東京 大阪 x',
    );
    expect(columnsText(rows, 20)).toBe(
      'FIELD          VALUE\n日本語日本語   東京\n日本語         大阪\n               x',
    );
  });

  it('fit if a text is shortened', () => {
    expect(shortened('日本語', 5)).toBe('日本…');
    expect(shortened('日本語', 4)).toBe('日…');
    fc.assert(
      fc.property(TEXT, fc.nat(20), (text, width) => {
        expect(displayWidth(beginningOf(text, width))).toBeLessThanOrEqual(width);
      }),
    );
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

  it('fit a terminal: the widest are narrowed', () => {
    const text = new ShortenedColumns(40);
    const rows = [
      ['default', 'deployments.apps/a-long-name', 'edge-1', '3/3'],
      ['shop', 'x', 'y', 'z'],
    ];
    expect(text.lines(rows)).toBe(
      [
        'default   deployments.ap…   edge-1   3/3\n',
        'shop      x                 y        z\n',
      ].join(''),
    );
  });

  it('fit a terminal: if they would not be readable, the last are left out', () => {
    const row = ['aaaaaaaaaaaaaa', 'bbbbbbbbbb', 'cccccccccc', 'dddddddddd'];
    expect(new ShortenedColumns(40).lines([row])).toBe('aaaaaaaaaaaaaa   bbbbbbbbbb   …\n');
    expect(new ShortenedColumns(8).lines([row])).toBe('aaa…   …\n');
    expect(new ShortenedColumns(8).lines([['a', 'b'], ['c']])).toBe('a   b\nc\n');
  });

  it('never make a line longer than the terminal', () => {
    const words = fc.array(fc.array(TEXT, { minLength: 1, maxLength: 6 }));
    fc.assert(
      fc.property(words, fc.integer({ min: 8, max: 60 }), (rows, columns) => {
        const lines = new ShortenedColumns(columns).lines(rows).split('\n').slice(0, -1);
        expect(lines).toHaveLength(rows.length);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
