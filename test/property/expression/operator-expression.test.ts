import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from '#shared/core/expression/compile.ts';
import { type Activation, VARIABLE_MEMBERS } from '#shared/core/expression/expression.ts';
import { translateOperators } from '#shared/core/expression/operator-expression.ts';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';
import { comparable, ERROR, interpret, kindOf, plain, type Tree } from './naive-operators.ts';

const KEYS = [
  ...[
    'a',
    'a',
    'a',
    'a',
    'a',
    'a',
    'b',
    'b',
    'name',
    'stale',
    'lastReturnedUpdateTimestamp',
    'in',
    'namespace',
  ],
  ...['a-b', 'a.b/c', `"it's"`, '\\', 'größe', '\u{1F600}', '', '__proto__', 'constructor'],
];
const PLAIN = /^[\p{L}_][\p{L}\p{N}_-]*$/u;

const key = fc.constantFrom(...KEYS);
const scalar = fc.constantFrom<JsonValue>(
  ...[true, false, true, false, null, 0, 1, -1, 2n ** 60n, 1.5, -1e-7, new Float(1)],
);
const { object } = fc.letrec<{ json: JsonValue; object: JsonObject }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: scalar },
    { weight: 1, arbitrary: fc.constantFrom('', 'a', 'Running') },
    { weight: 1, arbitrary: fc.array(tie('json'), { maxLength: 3 }) },
    { weight: 3, arbitrary: tie('object') },
  ),
  object: fc
    .array(fc.tuple(key, tie('json')), { maxLength: 5 })
    .map((members): JsonObject => Object.fromEntries(members)),
}));

const activation: fc.Arbitrary<Activation> = fc.record({
  inventory: fc.constantFrom({ name: 'a' }, { name: 'wec1' }),
  obj: fc.oneof(
    { weight: 5, arbitrary: fc.record({ spec: object }) },
    { weight: 1, arbitrary: fc.constant({}) },
  ),
  returned: object,
  propagation: fc.record(
    {
      stale: fc.boolean(),
      lastReturnedUpdateTimestamp: fc.constant('2026-11-21T12:00:00Z'),
    },
    { requiredKeys: [] },
  ),
});

/** What an expression may ask of a variable without being refused. */
function isAskable({
  root,
  steps: [first],
}: {
  root: string;
  steps: readonly (string | number)[];
}) {
  const members = VARIABLE_MEMBERS.get(root);
  return members === undefined || typeof first !== 'string' || members.has(first);
}

const anyPath = fc.record({
  kind: fc.constant<'path'>('path'),
  root: fc.constantFrom('status', 'status', 'status', 'spec', 'spec', 'propagation', 'inventory'),
  steps: fc.array(fc.oneof({ weight: 6, arbitrary: key }, fc.nat({ max: 2 })), { maxLength: 3 }),
});
const path: fc.Arbitrary<Tree> = anyPath.filter(isAskable);
const stale: Tree = { kind: 'path', root: 'propagation', steps: ['stale'] };
const leaf: fc.Arbitrary<Tree> = fc.oneof(
  { weight: 4, arbitrary: path },
  { weight: 1, arbitrary: fc.constant(stale) },
  { weight: 1, arbitrary: scalar.map((value): Tree => ({ kind: 'literal', value })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        'true || false',
        'true == false',
        'has(returned.status.a) ? false : true',
        'returned.status.a && false // (why',
        '!propagation.stale',
        '1 < 2',
      )
      .map((text): Tree => ({ kind: 'cel', text })),
  },
);
const { tree } = fc.letrec<{ tree: Tree }>((tie) => {
  const args = (minLength: number, maxLength: number) =>
    fc.array(tie('tree'), { minLength, maxLength });
  const operation = (op: 'Not' | 'And' | 'Or' | 'Equal', operands: fc.Arbitrary<Tree[]>) =>
    operands.map((all): Tree => ({ kind: 'operation', op, args: all }));
  return {
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      operation('Not', args(1, 1)),
      operation('Equal', args(2, 2)),
      operation('And', args(1, 3)),
      operation('Or', args(1, 3)),
    ),
  };
});

function stepText(step: string | number, style: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (style === 0 && PLAIN.test(step)) return `.${step}`;
  const quote = style === 1 ? '"' : "'";
  return `[${quote}${step.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)}${quote}]`;
}

/** The expression as a user writes it; `style` chooses among the spellings of fields. */
function written(one: Tree, style: number): JsonValue {
  switch (one.kind) {
    case 'path': {
      const steps = one.steps.map((step, index) => stepText(step, (style + index) % 3));
      return { op: 'Path', path: `$.${one.root}${steps.join('')}` };
    }
    case 'literal':
      return one.value;
    case 'cel':
      return one.text;
    case 'operation':
      return { op: one.op, args: one.args.map((arg) => written(arg, style)) };
  }
}

describe('an expression in the older form', () => {
  it('gives as CEL what it gives by itself, errors and all', () => {
    fc.assert(
      fc.property(tree, activation, fc.nat({ max: 2 }), (one, row, style) => {
        fc.pre(one.kind !== 'literal' && one.kind !== 'cel');
        // Anything but a literal or a CEL text is written as an object.
        const value = written(one, style) as JsonObject;
        const errors: string[] = [];
        const text = translateOperators(value, 'f', {
          error: (error) => errors.push(error),
          isCel: (_field, cel) => compile(cel).ok,
        });
        expect(errors).toEqual([]);
        const compilation = compile(text ?? '');
        if (!compilation.ok) {
          expect(compilation.errors.map(({ code }) => code)).not.toContain('syntax');
          expect(kindOf(one)).toBe('wrong');
          return;
        }
        const budget = { remaining: 1e6, exceeded: false };
        const evaluation = compilation.program.evaluate(row, budget);
        const result = evaluation.ok ? plain(evaluation.value) : ERROR;
        expect(comparable(result)).toEqual(comparable(interpret(one, row)));
      }),
      { numRuns: histories({ first: 1000, all: 3000 }) },
    );
  });
});
