import { describe, expect, it } from 'vitest';
import { compile } from '#shared/core/expression/compile.ts';
import {
  argsWithPath,
  longAsCel,
  NO_OPERAND,
  nestedDeeper,
  PATH_MISSING,
  PATH_WITH_ARGS,
  unknownBeginning,
} from '#shared/core/expression/messages.ts';
import {
  operatorColumnName,
  translateOperators,
} from '#shared/core/expression/operator-expression.ts';
import { NO_LIST, noneOf, unknownField } from '#shared/core/field-messages.ts';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';

function translated(value: JsonObject): string | readonly string[] {
  const errors: string[] = [];
  const text = translateOperators(value, 'f', {
    error: (error) => errors.push(error),
    isCel: (field, cel) => {
      const { ok } = compile(cel);
      if (!ok) errors.push(`${field}: no CEL`);
      return ok;
    },
  });
  // Wrong is what gives errors, and nothing else.
  expect(text === undefined).toBe(errors.length > 0);
  return text ?? errors;
}

const READY: JsonObject = { op: 'Path', path: '$.status.ready' };
const STALE: JsonObject = { op: 'Path', path: '$.propagation.stale' };

function op(name: string, ...args: readonly JsonValue[]): JsonObject {
  return { op: name, args };
}

function nested(depth: number): JsonObject {
  let value = STALE;
  for (let level = 1; level < depth; level += 1) value = op('Not', value);
  return value;
}

describe('an expression in the older form', () => {
  it.each<[string, JsonObject, string]>([
    ['a path', READY, 'returned.status.ready'],
    ['Not', op('Not', READY), '!returned.status.ready'],
    ['Not of Not', op('Not', op('Not', READY)), '!(!returned.status.ready)'],
    ['Equal', op('Equal', READY, STALE), 'returned.status.ready == propagation.stale'],
    [
      'Equal of Equal',
      op('Equal', op('Equal', READY, 1), STALE),
      '(returned.status.ready == 1) == propagation.stale',
    ],
    [
      'And of Or',
      op('And', STALE, op('Or', READY, STALE), READY),
      'propagation.stale && (returned.status.ready || propagation.stale) && returned.status.ready',
    ],
    ['And of one', op('And', READY), 'returned.status.ready && true'],
    ['Or of one', op('Or', READY), 'returned.status.ready || false'],
    ['members of a Go client', { ...op('Not', READY), path: '' }, '!returned.status.ready'],
    ['null args', { ...READY, args: null }, 'returned.status.ready'],
  ])('is CEL: %s', (_what, value, text) => {
    expect(translated(value)).toBe(text);
  });

  it.each<[JsonValue, string]>([
    [true, 'true'],
    [false, 'false'],
    [null, 'null'],
    [3, '3'],
    [-3, '-3'],
    [1.5, '1.5'],
    [new Float(3), '3.0'],
    [1e-7, '1e-7'],
    [-9223372036854775808n, '-9223372036854775808'],
    ['"Running"', '("Running"\n)'],
    ['obj.spec.a // why', '(obj.spec.a // why\n)'],
  ])('compares with the argument %s', (arg, text) => {
    const equal = translated(op('Equal', READY, arg));
    expect(equal).toBe(`returned.status.ready == ${text}`);
    expect(compile(String(equal))).toMatchObject({ ok: true });
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['no op', { path: '$.status' }, [`f.op: ${noneOf('Path, Not, And, Or, Equal')}`]],
    ['another op', op('not', READY), [`f.op: ${noneOf('Path, Not, And, Or, Equal')}`]],
    ['a path that is no text', { op: 'Path', path: 3 }, [`f.path: ${PATH_MISSING}`]],
    ['no path', { op: 'Path' }, [`f.path: ${PATH_MISSING}`]],
    [
      'a wrong path',
      { op: 'Path', path: '$.metadata' },
      [`f.path: ${unknownBeginning('"$.metadata"')}`],
    ],
    ['a path with args', { ...READY, args: [1] }, [`f.args: ${PATH_WITH_ARGS}`]],
    ['args with a path', { ...op('Not', READY), path: '$' }, [`f.path: ${argsWithPath('Not')}`]],
    ['args that are no list', { op: 'Not', args: READY }, [`f.args: ${NO_LIST}`]],
    ['args of a path that are no list', { ...READY, args: 3 }, [`f.args: ${NO_LIST}`]],
    [
      'a field that it does not have',
      op('Not', { ...READY, foo: 1 }),
      [`f.args[0].foo: ${unknownField('op, path, args')}`],
    ],
    ['Not of two', op('Not', READY, READY), ['f.args: Not takes 1, not 2']],
    ['Equal of one', op('Equal', READY), ['f.args: Equal takes 2, not 1']],
    ['Equal of three', op('Equal', 1, 2, 3), ['f.args: Equal takes 2, not 3']],
    ['And of none', op('And'), ['f.args: And takes at least 1, not 0']],
    ['Or of none', { op: 'Or' }, ['f.args: Or takes at least 1, not 0']],
    [
      'wrong arguments, each',
      op('And', [1], op('Not', op('Or')), 'Running away', READY, { op: 'Path', path: '$.x' }),
      [
        `f.args[0]: ${NO_OPERAND}`,
        'f.args[1].args[0].args: Or takes at least 1, not 0',
        'f.args[2]: no CEL',
        `f.args[4].path: ${unknownBeginning('"$.x"')}`,
      ],
    ],
  ])('is rejected for %s', (_what, value, errors) => {
    expect(translated(value)).toEqual(errors.map((error) => expect.stringContaining(error)));
  });

  it('reports its first ten errors', () => {
    const wrong = Array.from({ length: 50 }, () => op('Or'));
    expect(translated(op('And', ...wrong))).toHaveLength(10);
  });

  it('is nested 250 levels deep at most', () => {
    expect(translated(nested(250))).toMatch(/^!\(!/);
    expect(translated(nested(251))).toEqual([`f: ${nestedDeeper('is', 250)}; nest less deeply`]);
  });

  it('is rejected, not walked, if it is nested thousands of levels deep', () => {
    expect(translated(nested(100_000))).toHaveLength(1);
  });

  it.each<[string, JsonObject]>([
    ['has thousands of parts', op('And', ...Array.from({ length: 4097 }, () => true))],
    ['has long texts', op('And', `"${'x'.repeat(3000)}" == "a"`, `"${'x'.repeat(3000)}" == "a"`)],
    [
      'shares its parts, as YAML aliases do',
      Array.from({ length: 40 }).reduce<JsonObject>((part) => op('And', part, part), READY),
    ],
  ])('is rejected once: it %s', (_what, value) => {
    expect(translated(value)).toEqual([`f: ${longAsCel(4096)}`]);
  });
});

describe('the column of an expression', () => {
  it.each<[string, JsonObject]>([
    ['name', { op: 'Path', path: '$.inventory.name' }],
    ['value', op('Not', READY)],
    ['value', { op: 'Path', path: '$.status.*' }],
    ['value', { op: 'Path', path: 3 }],
    ['value', { op: 'Not', path: '$.inventory.name' }],
  ])('is named %s', (name, value) => {
    expect(operatorColumnName(value)).toBe(name);
  });
});
