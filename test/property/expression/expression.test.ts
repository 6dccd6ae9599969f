import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '#shared/core/expression/compile.ts';
import type { Activation, Evaluation, Program } from '#shared/core/expression/expression.ts';
import { formatDouble } from '#shared/core/expression/number-format.ts';
import { UNITS_PER_STEP } from '#shared/core/expression/prices.ts';
import {
  equalJson,
  Float,
  type JsonObject,
  type JsonValue,
  stringifyJson,
} from '#shared/core/json.ts';
import { anyCharacter } from '#test/any-character.ts';

const KEYS = ['a', 'b', 'spec', 'constructor', '__proto__', 'hasOwnProperty', '\u{1F600}'];

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, '', 'a'),
  fc.integer(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
  fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
  fc.integer().map((n) => new Float(n)),
  fc.string({ unit: anyCharacter }),
  fc.constantFrom('2024-05-06T07:08:09Z', '1h30m', '(', '12'),
);
const { json } = fc.letrec<{ json: JsonValue }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc.array(tie('json'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.constantFrom(...KEYS), tie('json')), { maxLength: 4 })
      .map((members) => Object.fromEntries(members)),
  ),
}));

const name = fc.constantFrom('a', 'b', 'spec', 'status', 'constructor', 'x');
const { text } = fc.letrec<{ text: string }>((tie) => {
  const operand = tie('text');
  const call = (functions: readonly string[]) =>
    fc.tuple(fc.constantFrom(...functions), operand).map(([f, x]) => `${f}(${x})`);
  return {
    text: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        'obj',
        'obj.a',
        'obj["b"]',
        'returned.status',
        'returned.status.a',
        'inventory.name',
        'propagation.lastReturnedUpdateTimestamp',
        '1',
        '2u',
        '1.5',
        '"a"',
        'b"a"',
        'b""',
        'int',
        'type(1)',
        'null',
        'true',
        '[]',
        '[1, "a"]',
        '{"a": 1}',
        'x',
        'duration("90s")',
        '9223372036854775807',
      ),
      fc.tuple(operand, name).map(([x, field]) => `${x}.${field}`),
      fc.tuple(operand, name).map(([x, field]) => `has(${x}.${field})`),
      fc.tuple(operand, operand).map(([x, i]) => `${x}[${i}]`),
      fc
        .tuple(
          operand,
          fc.constantFrom(
            '+',
            '-',
            '*',
            '/',
            '%',
            '==',
            '!=',
            '<',
            '<=',
            '>',
            '>=',
            'in',
            '&&',
            '||',
          ),
          operand,
        )
        .map(([x, op, y]) => `(${x} ${op} ${y})`),
      fc.tuple(operand, operand, operand).map(([c, x, y]) => `(${c} ? ${x} : ${y})`),
      fc.tuple(fc.constantFrom('!', '-'), operand).map(([op, x]) => `${op}(${x})`),
      call(['size', 'type', 'dyn', 'int', 'uint', 'double', 'string', 'bytes', 'bool']),
      call(['timestamp', 'duration', 'dyn', 'dyn']),
      fc
        .tuple(operand, fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter'), operand)
        .map(([range, macro, body]) => `dyn(${range}).${macro}(x, ${body})`),
      fc
        .tuple(operand, fc.constantFrom('matches', 'contains', 'startsWith', 'endsWith'), operand)
        .map(([x, f, y]) => `dyn(${x}).${f}(dyn(${y}))`),
      fc
        .tuple(operand, fc.constantFrom('getHours', 'getFullYear', 'getMilliseconds'))
        .map(([x, f]) => `dyn(${x}).${f}()`),
      fc.tuple(operand, operand).map(([x, y]) => `[${x}, ${y}]`),
      fc.tuple(operand, operand).map(([k, v]) => `{${k}: ${v}}`),
    ),
  };
});
/** A list of many references to the value of a text. */
function repeated(body: string): string {
  const many = `[${Array(30).fill('x').join(', ')}]`;
  return `[obj].map(x, [${body}].map(x, ${many}).map(x, ${many}))`;
}
// A loop variable is free outside of its loop: the whole stands in one.
const expression = text.map((body) => `[obj].map(x, ${body})`);

function program(source: string): Program {
  const compilation = compile(source);
  if (!compilation.ok) throw new Error(compilation.errors[0]?.message);
  return compilation.program;
}

function activation(obj: JsonObject, returned: JsonObject = {}): Activation {
  return { inventory: { name: 'edge1' }, obj, returned, propagation: {} };
}

function evaluate(source: string, obj: JsonObject): Evaluation {
  return program(source).evaluate(activation(obj), { remaining: 100_000, exceeded: false });
}

describe('any expression on any JSON', () => {
  it('gives a value or an error, the same each time', () => {
    fc.assert(
      fc.property(expression, json, json, (source, a, b) => {
        const compilation = compile(source);
        if (!compilation.ok) return;
        const row = activation({ a, b }, { a: b });
        const run = () => compilation.program.evaluate(row, { remaining: 10_000, exceeded: false });
        expect(run()).toEqual(run());
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives lists that can be written as JSON', () => {
    fc.assert(
      fc.property(expression, json, (source, a) => {
        const compilation = compile(source);
        if (!compilation.ok) return;
        const budget = { remaining: 10_000, exceeded: false };
        const evaluation = compilation.program.evaluate(activation({ a, b: [a] }), budget);
        const list =
          evaluation.ok && evaluation.value.type === 'list' ? evaluation.value.value : [];
        expect(stringifyJson(list)).toMatch(/^\[/);
      }),
      { numRuns: 1_000 },
    );
  });

  it('pays for each byte that it gives out, however often a value is referred to', () => {
    fc.assert(
      fc.property(text, json, (body, a) => {
        const compilation = compile(repeated(body));
        if (!compilation.ok) return;
        const budget = { remaining: 1_000_000, exceeded: false };
        const evaluation = compilation.program.evaluate(activation({ a, b: [a] }), budget);
        const list =
          evaluation.ok && evaluation.value.type === 'list' ? evaluation.value.value : [];
        const steps = 1_000_000 - budget.remaining;
        expect(Buffer.byteLength(stringifyJson(list))).toBeLessThanOrEqual(
          steps * UNITS_PER_STEP.bytesOfJson,
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('never leaves a budget exceeded without an error', () => {
    fc.assert(
      fc.property(expression, json, fc.nat({ max: 20 }), (source, a, remaining) => {
        const compilation = compile(source);
        if (!compilation.ok) return;
        const budget = { remaining, exceeded: false };
        const { ok } = compilation.program.evaluate(activation({ a, b: [a, a] }), budget);
        expect(ok && budget.exceeded).toBe(false);
        expect(budget.exceeded).toBe(budget.remaining < 0);
      }),
      { numRuns: 2_000 },
    );
  });

  it('compiles or refuses any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 60 }), (source) => {
        const compilation = compile(source);
        expect(compilation.ok || compilation.errors.length > 0).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('gives members back as they are', () => {
    fc.assert(
      fc.property(json, fc.constantFrom(...KEYS), (value, key) => {
        const source = `[obj[${JSON.stringify(key)}]]`;
        const evaluation = evaluate(source, Object.fromEntries([[key, value]]));
        const [got] =
          evaluation.ok && evaluation.value.type === 'list' ? evaluation.value.value : [];
        // CEL has no negative integer zero.
        expect(equalJson(got, Object.is(value, -0) ? 0 : value)).toBe(true);
        for (const other of KEYS) {
          const source = `${JSON.stringify(other)} in obj`;
          expect(evaluate(source, Object.fromEntries([[key, value]]))).toEqual({
            ok: true,
            value: { type: 'bool', value: other === key },
          });
        }
      }),
    );
  });
});

const int64 = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -9n, max: 9n }),
  fc.constantFrom(-(2n ** 63n), 2n ** 63n - 1n, 2n ** 53n, 2n ** 53n + 1n),
);

function asInt(value: bigint): Evaluation {
  const fits = value >= -(2n ** 63n) && value < 2n ** 63n;
  return fits
    ? { ok: true, value: { type: 'int', value } }
    : { ok: false, error: 'integer overflow' };
}

describe('ints', () => {
  it('are exact to 64 bits and never wrap', () => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const obj = { a, b };
        expect(evaluate('obj.a + obj.b', obj)).toEqual(asInt(a + b));
        expect(evaluate('obj.a - obj.b', obj)).toEqual(asInt(a - b));
        expect(evaluate('obj.a * obj.b', obj)).toEqual(asInt(a * b));
        expect(evaluate('-obj.a', obj)).toEqual(asInt(-a));
        expect(evaluate('int(string(obj.a))', obj)).toEqual(asInt(a));
        if (b !== 0n) expect(evaluate('obj.a / obj.b', obj)).toEqual(asInt(a / b));
        expect(evaluate('obj.a < obj.b', obj)).toEqual({
          ok: true,
          value: { type: 'bool', value: a < b },
        });
        expect(evaluate('obj.a == obj.b', obj)).toEqual({
          ok: true,
          value: { type: 'bool', value: a === b },
        });
      }),
    );
  });
});

describe('strings', () => {
  const string = fc.string({
    unit: fc.constantFrom('a', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1F600}'),
    maxLength: 3,
  });

  it('are ordered and counted by code points', () => {
    fc.assert(
      fc.property(string, string, (a, b) => {
        const order = Buffer.compare(Buffer.from(a), Buffer.from(b));
        const bool = (value: boolean) => ({ ok: true, value: { type: 'bool', value } });
        expect(evaluate('obj.a < obj.b', { a, b })).toEqual(bool(order < 0));
        expect(evaluate('obj.a >= obj.b', { a, b })).toEqual(bool(order >= 0));
        expect(evaluate('bytes(obj.a) < bytes(obj.b)', { a, b })).toEqual(bool(order < 0));
        expect(evaluate('string(bytes(obj.a)) == obj.a', { a, b })).toEqual(bool(true));
        expect(evaluate('size(obj.a)', { a, b })).toEqual(asInt(BigInt([...a].length)));
      }),
    );
  });
});

describe('doubles', () => {
  it('are written so that they read back as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        expect(Number(formatDouble(x))).toBe(x);
      }),
    );
  });
});

describe('timestamps', () => {
  it('keep their nanoseconds and agree with the calendar', () => {
    const instant = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, fc.nat({ max: 999_999 }), (date, nanos) => {
        const t = date.toISOString().replace('Z', `${String(nanos).padStart(6, '0')}Z`);
        const seconds = BigInt(Math.floor(date.getTime() / 1000));
        const source = 'timestamp(obj.t)';
        expect(evaluate(`int(${source})`, { t })).toEqual(asInt(seconds));
        expect(evaluate(`timestamp(string(${source})) == ${source}`, { t })).toEqual({
          ok: true,
          value: { type: 'bool', value: true },
        });
        expect(evaluate(`${source}.getDayOfWeek()`, { t })).toEqual(
          asInt(BigInt(date.getUTCDay())),
        );
        expect(evaluate(`${source} - duration("1ns") < ${source}`, { t })).toEqual({
          ok: true,
          value: { type: 'bool', value: true },
        });
        expect(evaluate(`${source}.getMonth()`, { t })).toEqual(asInt(BigInt(date.getUTCMonth())));
      }),
    );
  });
});
