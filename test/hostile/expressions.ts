import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** What becomes of a hostile expression: it is refused with the collector, ends at its budget, or just is evaluated. */
export type End = 'refused' | 'over budget' | 'error' | 'value';

/** An expression that is meant to stop others, the status that it reads, and what becomes of it. */
export interface HostileExpression {
  /** What it tries, and of which finding (C1, H2, H3) it is. */
  readonly name: string;
  readonly expression: string;
  readonly status: () => JsonObject;
  readonly end: End;
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function keyed(count: number): JsonObject {
  return Object.fromEntries(numbers(count).map((i) => [`key${i}`, i]));
}

/** Lists in lists, built from within: a literal of that depth would exhaust the stack here. */
function nested(depth: number): JsonValue {
  let value: JsonValue = 1;
  for (let i = 0; i < depth; i += 1) value = [value];
  return value;
}

/** A text of two letters without a pattern. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state & 0x1_0000 ? 'a' : 'b';
  }).join('');
}

const none = (): JsonObject => ({});
const S = 'returned.status';
const THOUSAND = `[${'0,'.repeat(999)}0]`;
const SIXTEEN = `[${'0,'.repeat(15)}0]`;
/** Refused, and found so by a scan that takes quadratic time where it looks ahead. */
const TOO_LARGE = `${'a{1000}'.repeat(6)}[${'[:'.repeat(1_900)}`;

/** An expression in three loops over sixteen elements each. */
function inThreeLoops(expression: string): string {
  return `${SIXTEEN}.exists(a, ${SIXTEEN}.exists(b, ${SIXTEEN}.exists(c, ${expression})))`;
}

type Row = readonly [name: string, expression: string, end: End, status?: () => JsonObject];

const PATTERNS: readonly Row[] = [
  ['C1: a pattern of 580,002 instructions', `"x".matches("${'a{1000}'.repeat(580)}")`, 'refused'],
  [
    'a pattern in a branch that is not taken',
    `true || "x".matches("${'(?:a{100}){10}'.repeat(9)}")`,
    'refused',
  ],
  ['counted repetition of repetition', '"x".matches("((a{100}){100}){100}")', 'refused'],
  ['many classes of Unicode', `"x".matches("${'\\\\pL\\\\PN'.repeat(500)}")`, 'refused'],
  ['folded classes', `"x".matches("(?i)${'[\\\\x{100}-\\\\x{fff0}]'.repeat(150)}")`, 'refused'],
  [
    'many patterns of one expression',
    Array(150).fill('"x".matches("a{999}")').join('||'),
    'refused',
  ],
  ['2,000 branches', `"x".matches("${'|'.repeat(2_000)}")`, 'refused'],
  ['2,000 groups', `"x".matches("${'()'.repeat(1_200)}")`, 'value'],
  ['groups within each other', `"x".matches("${'('.repeat(900)}${')'.repeat(900)}")`, 'value'],
  ['a pattern from a status', `"x".matches(${S}.p)`, 'error', () => ({ p: 'a{1000}'.repeat(500) })],
  [
    'a pattern of 1 MB from a status',
    `"x".matches(${S}.p)`,
    'error',
    () => ({ p: 'a'.repeat(1_000_000) }),
  ],
  [
    'a thousand patterns from a status',
    `${S}.p.all(p, !"x".matches(p))`,
    'over budget',
    () => ({ p: numbers(1_000).map((i) => `a{200}${i}`) }),
  ],
  [
    'D1: a pattern that is too large, in a loop',
    `${S}.l.exists(i, "x".matches(${S}.p))`,
    'over budget',
    () => ({ l: numbers(4_000), p: TOO_LARGE }),
  ],
  [
    'D1: a pattern that is too large, in a loop that fails',
    `${S}.l.all(i, "x".matches(${S}.p))`,
    'over budget',
    () => ({ l: numbers(4_000), p: TOO_LARGE.replaceAll('[:', '(?<') }),
  ],
  [
    'D1: a pattern that is too large, behind dyn in three loops',
    inThreeLoops(`"x".matches(dyn("${TOO_LARGE.slice(0, 3_500)}"))`),
    'refused',
  ],
  [
    'D1: a pattern that is none, put together in three loops',
    inThreeLoops('"x".matches(string("(" + dyn("a")))'),
    'refused',
  ],
  [
    'D1: a pattern that is too large, from a literal in three loops',
    `["${TOO_LARGE.slice(0, 3_500)}"].exists(p, ${SIXTEEN}.exists(a, ${SIXTEEN}.exists(b, "x".matches(p))))`,
    'over budget',
  ],
  [
    'D1: texts that are no patterns',
    `${S}.l.exists(i, "x".matches("(" + string(i)))`,
    'over budget',
    () => ({ l: numbers(4_000) }),
  ],
  [
    'a pattern of 1 MB in a loop',
    `${S}.l.exists(i, "x".matches(${S}.p))`,
    'over budget',
    () => ({ l: numbers(4_000), p: 'a'.repeat(1_000_000) }),
  ],
  [
    'states without end',
    `${S}.t.matches("[ab]*a[ab]{200}[^ab]")`,
    'over budget',
    () => ({ t: noise(50_000) }),
  ],
  [
    'nested stars',
    `${S}.t.matches("(?:(?:(?:a*)*)*)*[^ab]")`,
    'over budget',
    () => ({ t: 'a'.repeat(100_000) }),
  ],
];

const TEXTS: readonly Row[] = [
  [
    'H2: contains, 320 KB in which 80 KB nearly stand',
    `${S}.a.contains(${S}.b)`,
    'over budget',
    () => ({ a: 'a'.repeat(320_000), b: `${'a'.repeat(40_000)}b${'a'.repeat(39_999)}` }),
  ],
  [
    'contains in a loop',
    `${S}.l.all(i, !${S}.a.contains("b"))`,
    'over budget',
    () => ({ l: numbers(1_000), a: 'a'.repeat(300_000) }),
  ],
  [
    'contains of a period',
    `${S}.a.contains(${S}.b)`,
    'value',
    () => ({ a: 'ab'.repeat(90_000), b: `${'ab'.repeat(20_000)}aa` }),
  ],
  [
    'H2: bytes compared in a loop',
    `${S}.l.all(i, bytes(${S}.a) != b"x")`,
    'over budget',
    () => ({ l: numbers(200), a: 'a'.repeat(400_000) }),
  ],
  [
    'H2: 100,000 digits in a loop',
    `${S}.l.all(i, int(${S}.a) == 1 || true)`,
    'over budget',
    () => ({ l: numbers(200), a: '7'.repeat(100_000) }),
  ],
  ['100,000 leading zeros', `int(${S}.a)`, 'value', () => ({ a: `${'0'.repeat(100_000)}7` })],
  ['a uint of 600,000 digits', `uint(${S}.a)`, 'error', () => ({ a: '9'.repeat(600_000) })],
  [
    'a double that almost is one',
    `double(${S}.a)`,
    'error',
    () => ({ a: `${'1'.repeat(200_000)}x` }),
  ],
  ['a double of underscores', `double(${S}.a)`, 'error', () => ({ a: `${'1_'.repeat(100_000)}x` })],
  ['a bool of 600 KB', `bool(${S}.a)`, 'error', () => ({ a: 't'.repeat(600_000) })],
  ['text that doubles', `["aaaaaaaa"]${'.map(a, a + a)'.repeat(60)}[0].size()`, 'over budget'],
  [
    'types that are referred to often',
    `[[${'int, '.repeat(200)}int]].map(a, [${'a, '.repeat(399)}a]).map(a, [${'a, '.repeat(99)}a])`,
    'over budget',
  ],
  [
    'empty bytes that are referred to often',
    `[[${'b"", '.repeat(200)}b""]].map(a, [${'a, '.repeat(399)}a]).map(a, [${'a, '.repeat(99)}a])`,
    'over budget',
  ],
  ['bytes that double', `[b"aaaaaaaa"]${'.map(a, a + a)'.repeat(60)}[0].size()`, 'over budget'],
  [
    'text compared with itself grown anew',
    `${S}.l.all(i, ${S}.a + "a" > ${S}.a)`,
    'over budget',
    () => ({ l: numbers(1_000), a: 'a'.repeat(100_000) }),
  ],
  [
    'size of a large text in a loop',
    `${S}.l.all(i, size(${S}.a) > 0)`,
    'over budget',
    () => ({ l: numbers(1_000), a: 'ä'.repeat(200_000) }),
  ],
  [
    'startsWith in a loop',
    `${S}.l.all(i, ${S}.a.startsWith(${S}.a + ""))`,
    'over budget',
    () => ({ l: numbers(1_000), a: 'a'.repeat(200_000) }),
  ],
  [
    'bytes to text and back',
    `size(string(bytes(string(bytes(${S}.a)))))`,
    'over budget',
    () => ({ a: 'é'.repeat(300_000) }),
  ],
  ['a text in a text in an error', `${S}[${S}.a]`, 'error', () => ({ a: 'a'.repeat(600_000) })],
];

const TIMES: readonly Row[] = [
  [
    'a duration of 100,000 parts',
    `duration(${S}.a)`,
    'over budget',
    () => ({ a: '1h'.repeat(100_000) }),
  ],
  ['a duration without a unit', `duration(${S}.a)`, 'error', () => ({ a: '1'.repeat(16_000) })],
  [
    'a duration of a large number',
    `duration(${S}.a)`,
    'error',
    () => ({ a: `${'9'.repeat(16_000)}h` }),
  ],
  [
    'a timestamp with 16,000 decimals',
    `timestamp(${S}.a)`,
    'value',
    () => ({ a: `2024-05-06T07:08:09.${'1'.repeat(16_000)}Z` }),
  ],
  [
    'times in a loop',
    `${S}.l.all(i, timestamp(i).getFullYear() > 0)`,
    'over budget',
    () => ({ l: numbers(5_000) }),
  ],
  [
    'time zones from a status',
    `${S}.z.all(z, timestamp(0).getHours(z) >= 0 || true)`,
    'over budget',
    () => ({ z: numbers(1_000).map((i) => `Europe/X${i}`) }),
  ],
  [
    'one time zone in many spellings',
    `${S}.z.all(z, timestamp(0).getHours(z) >= 0)`,
    'over budget',
    () => ({
      z: numbers(1_000).map((i) =>
        Array.from('europe/berlin', (c, k) => ((i >> (k % 10)) & 1 ? c.toUpperCase() : c)).join(''),
      ),
    }),
  ],
  [
    'time zones of 900 KB, each another one',
    `${S}.l.exists(i, timestamp(0).getHours(${S}.z + string(i)) == 1)`,
    'over budget',
    () => ({ l: numbers(1_000), z: 'A'.repeat(900_000) }),
  ],
  [
    'a time zone of 900 KB',
    `timestamp(0).getHours(${S}.z)`,
    'error',
    () => ({ z: 'A'.repeat(900_000) }),
  ],
];

const VALUES: readonly Row[] = [
  [
    'H2: size of 50,000 keys in a loop of 1,000',
    `${S}.l.all(i, size(${S}.m) > 0)`,
    'over budget',
    () => ({ l: numbers(1_000), m: keyed(50_000) }),
  ],
  [
    '50,000 keys walked',
    `${S}.m.all(k, ${S}.m[k] >= 0)`,
    'over budget',
    () => ({ m: keyed(50_000) }),
  ],
  [
    '50,000 keys compared',
    `${S}.m == ${S}.n`,
    'over budget',
    () => ({ m: keyed(50_000), n: keyed(50_000) }),
  ],
  [
    '50,000 keys looked up',
    `${S}.l.all(i, "none" in ${S}.m || true)`,
    'value',
    () => ({ l: numbers(1_000), m: keyed(50_000) }),
  ],
  [
    'numbers compared',
    `${S}.a == ${S}.b`,
    'over budget',
    () => ({ a: numbers(60_000), b: numbers(60_000) }),
  ],
  [
    'numbers searched',
    `${S}.a.all(i, !(-1 in ${S}.a))`,
    'over budget',
    () => ({ a: numbers(60_000) }),
  ],
  [
    'a value nested 200,000 levels, compared',
    `${S}.a == ${S}.b`,
    'error',
    () => ({ a: nested(200_000), b: nested(200_000) }),
  ],
  ['a value nested 200,000 levels, given out', `${S}.a`, 'error', () => ({ a: nested(200_000) })],
  ['a value nested 5,000 levels, in a list', `[[${S}.a]]`, 'error', () => ({ a: nested(5_000) })],
  [
    'H3: a large value for each element',
    `${S}.l.map(i, ${S}.a)`,
    'over budget',
    () => ({ l: numbers(1_000), a: numbers(50_000) }),
  ],
  [
    'H3: a large text for each element',
    `${S}.l.map(i, ${S}.a)`,
    'over budget',
    () => ({ l: numbers(1_000), a: 'a'.repeat(900_000) }),
  ],
  ['H3: control characters', `${S}.a`, 'over budget', () => ({ a: '\u0001'.repeat(300_000) })],
  ['lists that share their parts', `[[1]]${'.map(a, [a, a])'.repeat(60)}`, 'over budget'],
  [
    'lists that share their parts, compared',
    `[[1]]${'.map(a, [a, a])'.repeat(60)} == [[1]]${'.map(a, [a, a])'.repeat(60)}`,
    'over budget',
  ],
  [
    'maps that share their parts',
    `[{"k": 1}]${'.map(a, {"a": a, "b": a})'.repeat(60)}`,
    'over budget',
  ],
  ['a list that doubles', `[[1]]${'.map(a, a + a)'.repeat(40)}.size()`, 'over budget'],
  [
    'three nested loops',
    `${S}.l.all(a, ${S}.l.all(b, ${S}.l.all(c, c >= 0)))`,
    'over budget',
    () => ({ l: numbers(1_000) }),
  ],
  [
    'loops behind an error that is absorbed',
    `${S}.l.exists(a, ${S}.l.all(b, b.x == a)) || true`,
    'over budget',
    () => ({ l: numbers(1_000) }),
  ],
  ['loops over literals', `${THOUSAND}.map(a, ${THOUSAND}.map(b, b)).size() > 0`, 'refused'],
  [
    'a literal in a loop',
    `${S}.l.map(a, size(${THOUSAND}))`,
    'over budget',
    () => ({ l: numbers(1_000) }),
  ],
  [
    'doubles as keys that are missing',
    `${S}.l.exists(i, ${Array(4).fill(`${S}.m[1.1]`).join(' || ')})`,
    'over budget',
    () => ({ l: numbers(2_000), m: keyed(10) }),
  ],
  ['600 fields', `${S}${'.a'.repeat(240)}`, 'error'],
  [
    'integers at the edge',
    `${S}.l.all(a, a * 4611686018427387904 > 0)`,
    'value',
    () => ({ l: numbers(1_000) }),
  ],
];

/** Every finding of the kind, and what else was thought of. */
export const HOSTILE_EXPRESSIONS: readonly HostileExpression[] = [
  ...PATTERNS,
  ...TEXTS,
  ...TIMES,
  ...VALUES,
].map(([name, expression, end, status = none]) => ({ name, expression, end, status }));
