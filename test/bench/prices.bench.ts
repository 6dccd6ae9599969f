import { compile } from '#shared/core/expression/compile.ts';
import type { Activation, Program } from '#shared/core/expression/expression.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { type Figure, rounded } from './figure.ts';

const TEXT = 100_000;
const ELEMENTS = 20_000;
const STEPS = 10_000_000;
/** The least of so many runs: what else the machine does makes a run longer, never shorter. */
const RUNS = 5;
/** The clock of a thread may tick in milliseconds. */
const RUN_MICROSECONDS = 60_000;
/** An activation for each evaluation, of so many steps together. */
const TABLE_STEPS = 20_000;
/** Programs that are compiled together, so that the first evaluation of each can be measured. */
const FIRST_PROGRAMS = 100;
const GOAL_NS = 2_000;
const GOAL_RATIO = 20;

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => i);
}

function keyed(count: number): Readonly<Record<string, number>> {
  return Object.fromEntries(numbers(count).map((i) => [`key${i}`, i]));
}

/** A text of two letters without a pattern: an automaton meets new states all the time. */
function noise(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state & 0x1_0000 ? 'a' : 'b';
  }).join('');
}

/** Lists in lists, deeper than values may be nested that are compared. */
function nested(depth: number): JsonValue {
  let value: JsonValue = [];
  for (let i = 0; i < depth; i += 1) value = [value];
  return value;
}

/** Patterns that are refused: too large, too long, and none; and of such as had a quadratic scan. */
const PATTERNS: JsonObject = {
  large: `${'a{1000}'.repeat(6)}[${'[:'.repeat(1_900)}`,
  groups: `${'a{1000}'.repeat(6)}${'(?<'.repeat(1_300)}`,
  long: 'a'.repeat(TEXT),
  none: '(',
  flags: `${'(?i)'.repeat(1_000)}(`,
};

/** Two of everything that is compared: equal, and not the same in memory. */
function data(): Activation {
  const text = `${'ab'.repeat(TEXT / 2)}c`;
  const wide = `${'äb'.repeat(TEXT / 2)}c`;
  return {
    inventory: { name: 'edge1' },
    obj: {
      one: [0],
      thousand: numbers(1_000),
      many: numbers(ELEMENTS),
      same: numbers(ELEMENTS),
      texts: numbers(ELEMENTS).map((i) => `text ${i}`),
      nested: numbers(ELEMENTS).map(() => []),
      objects: numbers(2_000).map((i) => ({ type: `Type${i}`, status: 'True', count: i })),
      keys: keyed(ELEMENTS),
      sameKeys: keyed(ELEMENTS),
      fewKeys: keyed(50),
      text,
      sameText: Array.from(text).join(''),
      wide,
      noise: noise(TEXT / 5),
      part: `${'ab'.repeat(TEXT / 8)}d`,
      shortPart: 'abad',
      digits: '7'.repeat(TEXT),
      zeros: `${'0'.repeat(TEXT)}7`,
      hours: '1h'.repeat(TEXT / 2),
      double: 1.234_567_890_123_45e-7,
      time: '2024-05-06T07:08:09.123456789Z',
      noTime: '2024-05-06T07:08:09.123456789X',
      none: '7x',
      deep: nested(1_100),
      sameDeep: nested(1_100),
      patterns: PATTERNS,
    },
    returned: {},
    propagation: { lastReturnedUpdateTimestamp: '2024-05-06T07:08:09Z' },
  };
}

/** A map that no evaluation has seen: the keys of a large one are remembered. */
const FRESH = 'obj.fresh';
const PARTS = 'i == i && i < 9 && ';
/** What is measured: the operation, and an expression that does little else. */
type Operation = readonly [operation: string, expression: string];

/** An operation that fails, as often as the parts of an iteration have room for it that costs a step. */
function failing(operation: string, times: number): string {
  return `obj.thousand.exists(i, ${Array(times).fill(operation).join(' || ')})`;
}

/** Operations that give an error, which `||` and `exists` absorb: they cost what they do where they give a value. */
const FAILING: readonly Operation[] = [
  ['a pattern that is too large', failing('"x".matches(obj.patterns.large)', 1)],
  ['a pattern of groups that is too large', failing('"x".matches(obj.patterns.groups)', 1)],
  ['a pattern that is too long', failing('"x".matches(obj.patterns.long)', 1)],
  ['a text that is no pattern', failing('"x".matches(obj.patterns.none)', 2)],
  ['texts that are no patterns', failing('"x".matches("(" + string(i))', 2)],
  ['flags that are no patterns', failing('"x".matches(obj.patterns.flags + string(i))', 1)],
  ['a matched number', failing('i.matches(obj.time)', 3)],
  ['int of a text', failing('int(obj.digits) == i', 1)],
  ['int of a short text', failing('int(obj.none) == i', 3)],
  ['uint of a text', failing('uint(obj.digits) == i', 1)],
  ['double of a text', failing('double(obj.text) > 0.0', 1)],
  ['double of a short text', failing('double(obj.none) > 0.0', 3)],
  ['bool of a text', failing('bool(obj.text)', 1)],
  ['bool of a short text', failing('bool(obj.none)', 5)],
  ['timestamp of a text', 'obj.one.exists(i, timestamp(obj.digits) == i)'],
  ['timestamp of a short text', failing('timestamp(obj.noTime) == i', 3)],
  ['timestamp of a number', failing('timestamp(999999999999) == i', 3)],
  ['duration of a text', 'obj.one.exists(i, duration(obj.digits) == i)'],
  ['duration of a short text', failing('duration(obj.none) == i', 3)],
  ['duration of a number', failing('duration(i) == i', 3)],
  ['string of bytes that are no text', failing('string(b"\\377") == "a"', 3)],
  ['string of a list', failing('string(obj.one) == "a"', 3)],
  ['a conversion without an overload', failing('int(obj.one) == i', 3)],
  ['a key that is missing', failing('obj.keys.none', 5)],
  ['a long key that is missing', failing('obj.keys[obj.text]', 1)],
  ['a double as a key', failing('obj.keys[obj.double]', 3)],
  ['a key of another type', failing('obj.keys[obj.one]', 3)],
  ['a key of a scalar', failing('i[obj.double]', 3)],
  ['an index beyond a list', failing('obj.one[i + 7]', 2)],
  ['a double as an index', failing('obj.one[obj.double]', 3)],
  ['a field of a list', failing('obj.one.a', 5)],
  ['a map of a key that is none', failing('{obj.one: 1}.size() == 0', 2)],
  ['a list with an error', failing('[1, 2, obj.none.a].size() == 0', 1)],
  ['in a number', failing('(1 in i)', 5)],
  ['arithmetic without an overload', failing('(i + obj.none) == 1', 2)],
  ['an integer that overflows', failing('9223372036854775807 + i + 1 == 0', 2)],
  ['a division by zero', failing('i / 0 == 0', 3)],
  ['an order without an overload', failing('i < obj.none', 3)],
  ['a comparison that is too deep', failing('obj.deep == obj.sameDeep', 1)],
  ['a field of no time', failing('dyn(i).getHours() == 1', 3)],
  ['a long time zone', failing('timestamp(0).getHours(obj.text) == 1', 2)],
  ['a time zone that is none', failing('timestamp(0).getHours("7:") == 1', 2)],
  ['a macro over a number', failing('i.exists(k, true)', 4)],
  ['a macro whose element fails', failing('obj.one.map(k, k.a).size() == 0', 1)],
  ['an error with a long text', 'obj.keys[obj.text]'],
  ['an error with a long time zone', 'timestamp(0).getHours(obj.text)'],
  ['an error of a joined time zone', 'timestamp(0).getHours(obj.text + "x")'],
  ['output of a value that is too deep', 'obj.deep'],
];

/** Operations that give a value. */
const OPERATIONS: readonly Operation[] = [
  ['an evaluation', 'obj.one[0] + 1'],
  ['an iteration', 'obj.many.all(i, i >= 0 && i < 30000)'],
  ['an iteration of 16 parts', 'obj.many.all(i, i + i + i + i + i + i + i + i > -1)'],
  ['an iteration of fields', 'obj.thousand.all(i, obj.fewKeys.key1 + obj.fewKeys.key2 > 0)'],
  ['an iteration of comparisons', `obj.many.all(i, ${PARTS}true || true)`],
  ['map', 'size(obj.many.map(i, i * 2))'],
  ['filter', 'size(obj.many.filter(i, i > 5))'],
  ['exists_one', 'obj.many.exists_one(i, i % 9999 == 5)'],
  ['a macro over keys', 'obj.keys.all(k, k.startsWith("key") && size(k) > 2)'],
  ['a list literal', 'obj.thousand.all(i, size([i, i, i, i, i, i, i, i]) == 8)'],
  ['a map literal', 'obj.thousand.all(i, size({1: i, 2: i, 3: i, 4: i, 5: i}) == 5)'],
  ['size of a text', 'size(obj.text)'],
  ['size of a wide text', 'size(obj.wide)'],
  ['size of a map', `size(${FRESH})`],
  ['== of texts', 'obj.one.all(i, obj.text == obj.sameText)'],
  ['== of lists', 'obj.many == obj.same'],
  ['== of maps', 'obj.keys == obj.sameKeys'],
  ['== of bytes', 'bytes(obj.text) == bytes(obj.sameText)'],
  ['< of texts', 'obj.text < obj.sameText'],
  ['in a list', '-1 in obj.many'],
  ['in a list of texts', '"text" in obj.texts'],
  ['in a map', 'obj.thousand.all(i, "key1" in obj.keys)'],
  ['a key looked up', 'obj.thousand.all(i, obj.keys["key1"] == 1)'],
  ['+ of texts', 'size(obj.text + obj.text)'],
  ['+ of bytes', 'size(bytes(obj.text) + bytes(obj.text))'],
  ['+ of lists', 'size(obj.many + obj.same)'],
  ['contains, short', 'obj.text.contains(obj.shortPart)'],
  ['contains, long', 'obj.text.contains(obj.part)'],
  ['startsWith', 'obj.text.startsWith(obj.sameText)'],
  ['endsWith', 'obj.text.endsWith(obj.sameText)'],
  ['matches', 'obj.noise.matches("a.{30}b.{30}[^ab]")'],
  ['matches with a small automaton', 'obj.noise.matches("[ab]*a[ab]{8}[^ab]")'],
  ['a computed pattern', 'obj.thousand.all(i, !"x".matches("(a|b){5}" + string(i)))'],
  ...[
    '[^a]',
    '(?i)[^a]',
    '\\\\W',
    '\\\\PL',
    '(?i)\\\\PL',
    '(?i)[^\\\\PN]',
    '\\\\p{Mn}',
    '(?i)[\\\\x{0}-\\\\x{999}]',
  ].map(
    (one): Operation => [
      `a computed ${one.replaceAll('\\\\', '\\')}`,
      `obj.thousand.all(i, ("x" + string(i)).matches("${one}" + string(i)) || true)`,
    ],
  ),
  ['int', 'obj.one.all(i, int(obj.zeros) == 7)'],
  ['uint', 'obj.one.all(i, uint(obj.zeros) == 7u)'],
  ['double', 'obj.one.all(i, double(obj.digits.size() > 0 ? obj.zeros : "1") == 7.0)'],
  ['bytes', 'size(bytes(obj.wide))'],
  ['string of bytes', 'size(string(bytes(obj.wide)))'],
  ['string of doubles', 'obj.thousand.all(i, string(obj.double) != "")'],
  ['string of times', 'obj.thousand.all(i, string(propagation.lastReturnedUpdateTimestamp) != "")'],
  ['timestamp', 'obj.thousand.all(i, timestamp(obj.time) > timestamp(i))'],
  ['duration', 'duration(obj.hours) > duration("1h")'],
  [
    'a field of a time',
    'obj.thousand.all(i, propagation.lastReturnedUpdateTimestamp.getHours() == 7)',
  ],
  [
    'a time zone',
    'obj.thousand.all(i, propagation.lastReturnedUpdateTimestamp.getHours("Europe/Berlin") == 9)',
  ],
  [
    'unknown time zones',
    'obj.thousand.all(i, !(timestamp(i).getHours("Europe/X" + string(i)) == 1) || true)',
  ],
  ['arithmetic of times', 'obj.thousand.all(i, timestamp(i) + duration("1s") > timestamp(0))'],
  ['output of a text', 'obj.text'],
  ['output of a wide text', 'obj.wide'],
  ['output of numbers', 'obj.many'],
  ['output of empty lists', 'obj.nested'],
  ['output of objects', 'obj.objects'],
  ['output of keys', 'obj.keys'],
  ['output of a list that is made', 'obj.many.map(i, i)'],
  ['output of bytes', 'bytes(obj.text)'],
  ['output of types', 'obj.many.map(i, int)'],
  ['output of empty texts', 'obj.many.map(i, "")'],
  ['output of empty bytes', 'obj.many.map(i, b"")'],
  ['output of empty lists that are made', 'obj.many.map(i, [])'],
  ['output of empty maps that are made', 'obj.many.map(i, {})'],
  ['output of one list, often', `[[1]]${'.map(a, [a, a, a, a, a, a, a, a])'.repeat(4)}`],
  ['output of one map, often', `[{}]${'.map(a, [a, a, a, a, a, a, a, a])'.repeat(4)}`],
];

/** Operations of which the first evaluation by a program may take longer than the next ones. */
const FIRST: readonly Operation[] = ['[^0a]', 'a', '[^a]', '(?i)[^a]', '\\\\PL', '(?i)\\\\PL'].map(
  (one) => [`the first match of ${one.replaceAll('\\\\', '\\')}`, `"x".matches("${one}")`],
);

function programOf(expression: string): Program {
  const compilation = compile(expression);
  if (!compilation.ok) throw new RangeError(`${expression}: ${compilation.errors[0]?.message}`);
  return compilation.program;
}

/** As many activations as evaluations are measured, each with a large map of its own where the expression asks for one. */
function activations(program: Program, activation: Activation, count: number): Activation[] {
  if (!program.text.includes(FRESH)) return Array<Activation>(count).fill(activation);
  const fresh = JSON.stringify(keyed(ELEMENTS));
  return Array.from({ length: count }, () => ({
    ...activation,
    obj: { fresh: JSON.parse(fresh) },
  }));
}

/** An evaluation that is measured. */
type Evaluation = readonly [program: Program, on: Activation];

function spent([program, on]: Evaluation): number {
  const budget = { remaining: STEPS, exceeded: false };
  program.evaluate(on, budget);
  if (budget.exceeded) throw new RangeError(`${program.text} takes more than ${STEPS} steps`);
  return STEPS - budget.remaining;
}

/**
 * The nanoseconds of a step, and the steps of one evaluation.
 *
 * @param table makes so many evaluations; what it does itself is not measured
 */
function measureSteps(
  steps: number,
  table: () => readonly Evaluation[],
): { ns: number; steps: number } {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run += 1) {
    let [time, evaluations] = [0, 0];
    while (time < RUN_MICROSECONDS) {
      const all = table();
      const start = performance.now();
      for (const one of all) spent(one);
      time += (performance.now() - start) * 1e3;
      evaluations += all.length;
    }
    least = Math.min(least, time / evaluations);
  }
  return { ns: (least * 1e3) / steps, steps };
}

/** Measures a program that is evaluated again and again. */
function measureProgram(program: Program, activation: Activation): { ns: number; steps: number } {
  const on = (count: number) =>
    activations(program, activation, count).map((one): Evaluation => [program, one]);
  const steps = on(1).map(spent)[0] ?? 0;
  const repeats = Math.ceil(TABLE_STEPS / steps);
  return measureSteps(steps, () => on(repeats));
}

/** Measures the first evaluations of many programs of one text. */
function measureFirst(text: string, activation: Activation): { ns: number; steps: number } {
  const table = () =>
    Array.from({ length: FIRST_PROGRAMS }, (): Evaluation => [programOf(text), activation]);
  const steps = table().map(spent)[0] ?? 0;
  return measureSteps(steps, table);
}

/** What a step of each operation takes (docs/cel.md, "Limits"). */
export function benchPrices(): readonly Figure[] {
  const section = `Prices: nanoseconds a step (least of ${RUNS} runs)`;
  const activation = data();
  const measure = ([what, expression]: Operation) => ({
    what,
    ...measureProgram(programOf(expression), activation),
  });
  const succeeding = OPERATIONS.map(measure);
  const failed = FAILING.map(measure);
  const first = FIRST.map(([what, text]) => ({ what, ...measureFirst(text, activation) }));
  const measured = [...succeeding, ...failed, ...first];
  const dearest = Math.max(...measured.map(({ ns }) => ns));
  // What fails may cost more than it takes: a text that is too long, for example.
  const cheapest = Math.min(...[...succeeding, ...first].map(({ ns }) => ns));
  const nameOf = (wanted: number) => measured.find(({ ns }) => ns === wanted)?.what ?? '';
  const figures: Omit<Figure, 'section'>[] = [
    ...measured.map(({ what, ns, steps }) => ({
      what,
      value: ns,
      unit: 'ns',
      beside: `${rounded(steps)} steps`,
    })),
    {
      what: 'the dearest step',
      value: dearest,
      unit: 'ns',
      goal: { type: 'at most', value: GOAL_NS },
      beside: nameOf(dearest),
    },
    {
      what: 'the dearest : the cheapest',
      value: dearest / cheapest,
      unit: '',
      goal: { type: 'at most', value: GOAL_RATIO },
      beside: `the cheapest is ${nameOf(cheapest)}`,
    },
  ];
  return figures.map((figure) => ({ section, ...figure }));
}
