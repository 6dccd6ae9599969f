import { describe, expect, it } from 'vitest';
import {
  correctThere,
  documentIn,
  endlessAlias,
  itemIn,
  LARGE_ALIASES,
  lineIn,
  nestedTooDeep,
  noAnchor,
  placeIn,
  readAsBooleans,
  UNREADABLY_DEEP,
  wordRead,
} from '#local/cli/input/document-messages.ts';
import { parseDocuments } from '#local/cli/input/parse-documents.ts';
import { prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import { Float } from '#shared/core/json.ts';

function value(text: string) {
  return parseDocuments(text, 'f').map((document) => document.value);
}

describe('documents', () => {
  it.each([
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 2 ** 63],
    ['3', 3],
    ['3.0', new Float(3)],
    ['1e3', new Float(1000)],
    ['.5e1', new Float(5)],
    ['e12', 'e12'],
    ['-e3', '-e3'],
    ['E10', 'E10'],
    ['.e1', '.e1'],
    ['1.5', 1.5],
    ['0644', 420],
    ['0x10', 16],
    ['yes', true],
    ['off', false],
    ['True', true],
    ['y', true],
    ['N', false],
    ['"y"', 'y'],
    ['0o14', 12],
    ['-0o1_4', -12],
    ['0o19', '0o19'],
    ['~', null],
    ['2026-11-21T12:00:00Z', '2026-11-21T12:00:00Z'],
    ['12:30:45', '12:30:45'],
    ['"3"', '3'],
  ])('read %s as kubectl does', (text, expected) => {
    expect(value(`a: ${text}\n`)).toEqual([{ a: expected }]);
  });

  it('are numbered as they stand, empty ones left out', () => {
    expect(parseDocuments('---\n---\na: 1\n---\n# none\n---\nb: 2\n', 'f')).toEqual([
      { number: 2, value: { a: 1 } },
      { number: 4, value: { b: 2 } },
    ]);
  });

  it('may be JSON, also behind a byte order mark', () => {
    expect(value('\uFEFF{"a": 3.0, "b": 9007199254740993}')).toEqual([
      { a: new Float(3), b: 9007199254740993n },
    ]);
  });

  it('may be YAML that begins with a brace', () => {
    expect(value('{a: 1}\n---\n{b: 2}\n')).toEqual([{ a: 1 }, { b: 2 }]);
  });

  it('resolve anchors and merge keys', () => {
    expect(value('a: &x {q: 1}\nb: {<<: *x, r: 2}\n')).toEqual([
      { a: { q: 1 }, b: { q: 1, r: 2 } },
    ]);
  });

  it('keep a key __proto__ as a key', () => {
    expect(Object.keys(value('__proto__: 1\n')[0] ?? {})).toEqual(['__proto__']);
  });

  it('stop at aliases that would fill the memory', () => {
    const lines = [
      'kind: ConfigMap',
      'metadata: {namespace: ns, name: c}',
      'a0: &a0 [x, x, x, x, x, x, x, x, x, x]',
    ];
    for (let level = 1; level < 9; level += 1)
      lines.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      );
    expect(() => value(lines.join('\n'))).toThrow(
      `${documentIn('f', 1)}, ConfigMap ns/c: ${LARGE_ALIASES}`,
    );
  });
});

describe('what is printed', () => {
  const values = [
    'yes',
    'n',
    '0644',
    '12:30:45',
    '3.0',
    '~',
    '<<',
    'a\nb\n',
    '',
    3,
    9007199254740993n,
    new Float(3),
    new Float(1000),
    1.5,
    1e21,
    true,
    null,
    [],
    {},
    [[1], { a: [] }],
  ];

  it.each(values)('reads back as it was (value %#)', (one) => {
    expect(value(prettyYaml({ a: one }))).toEqual([{ a: one }]);
    expect(value(prettyJson({ a: one }))).toEqual([{ a: one }]);
  });

  it('has the members of objects in the order of their names', () => {
    expect(prettyJson({ b: [1, 2], a: { d: 1, c: {} } })).toBe(
      '{\n    "a": {\n        "c": {},\n        "d": 1\n    },\n    "b": [\n        1,\n        2\n    ]\n}',
    );
    expect(prettyYaml({ b: 1, a: 2 })).toBe('a: 2\nb: 1\n');
  });
});

describe('an alias that cannot be followed', () => {
  it.each([
    [
      'a: 1\n---\nb: &x\n  c: {d: *x}\n',
      placeIn(documentIn('f', 2), { line: 4, col: 10 }),
      endlessAlias('x'),
    ],
    ['&x [*x]', placeIn(documentIn('f', 1), { line: 1, col: 5 }), endlessAlias('x')],
    ['a: &x {b: {<<: *x}}', placeIn(documentIn('f', 1), { line: 1, col: 16 }), endlessAlias('x')],
    ['a: &x 1\nb: [*x, *y]\n', placeIn(documentIn('f', 1), { line: 2, col: 9 }), noAnchor('y')],
  ])('is reported with its place: %j', (text, place, fault) => {
    expect(() => value(text)).toThrow(`${place}: ${fault}`);
  });

  it('is reported with its object if it is merged but is not a map', () => {
    const text = 'kind: A\nmetadata: {name: one}\nb: {<<: 1}\n';
    expect(() => value(text)).toThrow(
      `${documentIn('f', 1)}, A one: ${correctThere('Merge sources must be maps or map aliases')}`,
    );
  });

  it('is not one whose anchor is set again within the part that it names', () => {
    expect(value('a: &x [&x 1, *x]\n')).toEqual([{ a: [1, 1] }]);
  });
});

describe('a document that is nested too deep to walk through', () => {
  const FIRST = documentIn('deep.json', 1);
  const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const object = (spec: string): string =>
    `{"kind": "Deployment", "metadata": {"namespace": "shop", "name": "web"}, "spec": ${spec}}`;

  it.each([
    ['a list', nested(20_000), `${FIRST}: ${nestedTooDeep('[0][0][0][0]…', 500)}`],
    [
      'an object',
      object(`{"a": [${nested(600)}]}`),
      `${FIRST}, Deployment shop/web: ${nestedTooDeep('spec.a[0][0]…', 500)}`,
    ],
    [
      'an item of a list',
      `{"kind": "List", "items": [1, ${object(nested(600))}]}`,
      `${itemIn(FIRST, 2)}, Deployment shop/web: ${nestedTooDeep('spec[0][0][0]…', 500)}`,
    ],
    [
      'a part whose name happens to be items',
      `{"kind": "Foo", "metadata": {"name": "f"}, "items": {"a": ${nested(600)}}}`,
      `${FIRST}, Foo f: ${nestedTooDeep('items.a[0][0]…', 500)}`,
    ],
    ['YAML', `a: 1\n---\nb: ${nested(20_000)}`, UNREADABLY_DEEP],
  ])('is rejected with its path: %s', (_what, text, message) => {
    expect(() => parseDocuments(text, 'deep.json')).toThrow(message);
  });

  it.each([
    [499, true],
    [500, true],
    [501, true],
    [502, false],
  ])('of %i levels is read: %s', (levels, isRead) => {
    const read = () => parseDocuments(nested(levels), 'deep.json');
    if (isRead) expect(read()).toHaveLength(1);
    else expect(read).toThrow(nestedTooDeep('[0][0][0][0]…', 500));
  });
});

describe('words that kubectl reads as booleans', () => {
  function noticesOf(text: string): readonly string[] {
    const notices: string[] = [];
    parseDocuments(text, 'f', (notice) => notices.push(notice));
    return notices;
  }

  it('are reported once for each document, with the first line', () => {
    expect(noticesOf('a: true\nb: y\nc: [on, y, False]\n---\nn: 1\n---\nd: off\n')).toEqual([
      `${lineIn(documentIn('f', 1), 2)}: ${readAsBooleans(`${wordRead('y', true)}, ${wordRead('on', true)}`)}`,
      `${lineIn(documentIn('f', 2), 5)}: ${readAsBooleans(wordRead('n', false))}`,
      `${lineIn(documentIn('f', 3), 7)}: ${readAsBooleans(wordRead('off', false))}`,
    ]);
  });

  it.each(['a: "y"', "a: 'on'", 'a: TRUE', 'a: yours', 'a: |\n  y\n'])('are not in %j', (text) => {
    expect(noticesOf(text)).toEqual([]);
  });
});
