import { describe, expect, it } from 'vitest';
import { compile, createCompiler } from '#shared/core/expression/compile.ts';
import type { Activation, Program } from '#shared/core/expression/expression.ts';
import {
  nestedDeeper,
  notComparable,
  undeclaredReference,
  unreadableString,
} from '#shared/core/expression/messages.ts';
import { ACTIVATION, ampleBudget, evaluationText, outcome } from './subject.ts';

function program(text: string): Program {
  const compilation = compile(text);
  if (!compilation.ok) throw new Error(compilation.errors[0]?.message);
  return compilation.program;
}

describe('compile', () => {
  it.each([
    ['1', 'int'],
    ['obj.spec.replicas', 'dyn'],
    ['obj', 'map(string, dyn)'],
    ['inventory.name', 'string'],
    ['obj.spec.replicas + 1', 'int'],
    ['[1, 2]', 'list(int)'],
    ['[1, "a"]', 'list(dyn)'],
    ['[[1], [dyn(1)]]', 'list(list(dyn))'],
    ['{"a": [1.0]}', 'map(string, list(double))'],
    ['[{"a": 1}, {"b": 2}]', 'list(map(string, int))'],
    ['[{"a": 1}, {1: 2}]', 'list(dyn)'],
    ['[{"a": 1}, [1]]', 'list(dyn)'],
    ['[[1], {"a": 1}]', 'list(dyn)'],
    ['[null, timestamp(0)]', 'list(timestamp)'],
    ['[duration("1s"), null]', 'list(duration)'],
    ['[null, 1]', 'list(dyn)'],
    ['[]', 'list(dyn)'],
    ['{}', 'map(dyn, dyn)'],
    ['b"a"', 'bytes'],
    ['1u', 'uint'],
    ['null', 'null'],
    ['int', 'type'],
    ['timestamp(0) - timestamp(0)', 'duration'],
    ['dyn(1) + dyn(2)', 'dyn'],
    ['dyn([1]) + [1]', 'list(dyn)'],
    ['dyn(1)["a"]', 'dyn'],
    ['has(obj.spec)', 'bool'],
    ['inventory.map(k, inventory[k])', 'list(dyn)'],
    ['inventory.labels', 'map(string, string)'],
    ['inventory["annotations"]', 'map(string, string)'],
    ['inventory.labels.region', 'string'],
    ['has(inventory.labels)', 'bool'],
    ['[1].filter(x, x > 0)', 'list(int)'],
    ['obj.spec.list.exists(x, x > 0)', 'bool'],
  ])('gives %s the type %s', (text, type) => {
    expect(program(text).type).toBe(type);
  });

  it.each([
    ['1', []],
    ['obj.spec.replicas != returned.status.replicas', ['obj', 'returned']],
    [
      'inventory.name + string(propagation.lastReturnedUpdateTimestamp)',
      ['inventory', 'propagation'],
    ],
    ['[1].exists(obj, obj == 1)', []],
    ['[obj.kind].exists(obj, obj == "a")', ['obj']],
    ['has(obj.spec) && {"returned": 1}.returned == 1', ['obj']],
  ])('finds the variables of %s', (text, variables) => {
    expect([...program(text).variables]).toEqual(variables);
  });

  it('keeps the text', () => {
    expect(program('1 + 1').text).toBe('1 + 1');
  });

  it('reports every error of the check with its place in code points', () => {
    expect(compile('"\u{1F600}" +\n "\u{1F600}" + foo + bar.baz()')).toEqual({
      ok: false,
      patternsSize: 0,
      errors: [
        {
          code: 'undeclared-reference',
          message: undeclaredReference('foo'),
          line: 2,
          column: 8,
        },
        {
          code: 'undeclared-reference',
          message: undeclaredReference('bar'),
          line: 2,
          column: 14,
        },
        {
          code: 'undeclared-reference',
          message: undeclaredReference('baz'),
          line: 2,
          column: 14,
        },
      ],
    });
  });

  it.each([
    [
      'a text of 4,097 characters',
      `${' '.repeat(4096)}1`,
      'too-long 1:1 expression has 4097 characters; at most 4096 are allowed',
    ],
    [
      '251 parentheses',
      `${'('.repeat(251)}1${')'.repeat(251)}`,
      'too-deep 1:251 Exceeded maxDepth (250)',
    ],
    [
      'a sum of 251 terms',
      `1${'+1'.repeat(250)}`,
      `too-deep 1:1 ${nestedDeeper('expression is', 250)}`,
    ],
    [
      '4,000 negations',
      `${'!'.repeat(4000)}true`,
      `too-deep 1:251 ${nestedDeeper('expression is', 250)}`,
    ],
    [
      'four nested comprehensions',
      '[1].map(a, [1].map(b, [1].map(c, [1].map(d, d))))',
      `too-deep 1:34 ${nestedDeeper('comprehensions are', 3)}`,
    ],
  ])('rejects %s', (_what, text, expected) => {
    expect(outcome(text)).toBe(`rejected ${expected}`);
  });

  it.each([
    ['a text of 4,096 characters', `${' '.repeat(4095)}1`, 'int 1'],
    ['a chain of 550 operands', `false${'||false'.repeat(549)}`, 'bool false'],
    ['a list of 1,500 elements', `size([0${',0'.repeat(1499)}])`, 'int 1500'],
    [
      'three nested comprehensions',
      '[1].map(a, [2].map(b, [3].map(c, a + b + c)))',
      'list [[[6]]]',
    ],
    ['chained comprehensions', `[1]${'.map(a, a)'.repeat(50)}`, 'list [1]'],
    ['a comprehension in the range of another', '[[1].all(a, true)].map(b, b)', 'list [true]'],
  ])('takes %s', (_what, text, expected) => {
    expect(outcome(text)).toBe(expected);
  });

  it.each([
    ['a == (b < c)', 'dyn(true) == (1 < 2)', 'bool true'],
    ['(a == b) < c', '(dyn(1) == 1) < dyn(true)', 'bool false'],
    ['a < b == c', '1 < 2 == true', 'bool true'],
    ['a == ((b) < c)', 'true == ((1) < 2)', 'bool true'],
    [
      'a == (b) < c',
      'true == (1) < 2',
      "rejected syntax 1:1 comparisons '==' and '<' need parentheses",
    ],
    [
      'a != b in c',
      'true != 1 in [1]',
      "rejected syntax 1:1 comparisons '!=' and 'in' need parentheses",
    ],
  ])('reads relations only as CEL does: %s', (_what, text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe('a program', () => {
  it('gives parts of the row without a copy', () => {
    const evaluation = program('returned.status.conditions').evaluate(ACTIVATION, ampleBudget());
    expect(evaluation.ok && evaluation.value).toHaveProperty(
      'value',
      ACTIVATION.returned['conditions'],
    );
    expect(evaluation.ok && evaluation.value.type === 'list' && evaluation.value.value).toBe(
      ACTIVATION.returned['conditions'],
    );
    const status = program('returned.status').evaluate(ACTIVATION, ampleBudget());
    expect(status.ok && status.value.type === 'map' && status.value.value).toBe(
      ACTIVATION.returned,
    );
  });

  it('evaluates the same row to the same result each time', () => {
    const labels = program('obj.metadata.labels.map(k, k)');
    const results = [1, 2, 3].map(() => evaluationText(labels.evaluate(ACTIVATION, ampleBudget())));
    expect(results).toEqual(Array(3).fill('list ["app","constructor","a","b","tier"]'));
  });

  it.each<[string, Activation['propagation'], string]>([
    ['propagation.lastReturnedUpdateTimestamp', {}, 'string 1970-01-01T00:00:00Z'],
    ['propagation.lastReturnedUpdateTimestamp == timestamp(0)', {}, 'bool true'],
    [
      'propagation.lastReturnedUpdateTimestamp',
      { lastReturnedUpdateTimestamp: 'yesterday' },
      `error ${unreadableString('google.protobuf.Timestamp')}`,
    ],
    ['propagation.stale', {}, 'error no such key: stale'],
    ['propagation.stale', { stale: true }, 'bool true'],
    ['propagation.stale', { stale: false }, 'bool false'],
    ['propagation.lastContact', { silent: false }, 'error no such key: lastContact'],
    ['has(propagation.lastContact)', { silent: false }, 'bool false'],
    [
      'has(propagation.lastContact) ? string(propagation.lastContact) : "reports"',
      { silent: true, lastContact: '2026-01-02T03:04:05Z' },
      'string 2026-01-02T03:04:05Z',
    ],
    [
      'propagation',
      { lastReturnedUpdateTimestamp: '2024-01-01T00:00:00.5Z' },
      'map {"lastReturnedUpdateTimestamp":"2024-01-01T00:00:00.5Z"}',
    ],
  ])('reads %s of %j as %s', (text, propagation, expected) => {
    expect(outcome(text, { ...ACTIVATION, propagation })).toBe(expected);
  });

  it('finds an empty status for a WEC that has returned nothing', () => {
    const activation = { ...ACTIVATION, returned: {} };
    expect(outcome('has(returned.status.phase)', activation)).toBe('bool false');
    expect(outcome('returned.status.phase', activation)).toBe('error no such key: phase');
  });

  it('gives an error for documents nested deeper than the stack', () => {
    const nest = (): readonly unknown[] => {
      let value: readonly unknown[] = [];
      for (let i = 0; i < 200_000; i++) value = [value];
      return value;
    };
    const obj = { a: nest(), b: nest() } as Activation['obj']; // lists of lists are JSON
    const nested = { ...ACTIVATION, obj };
    expect(outcome('obj.a == obj.b', nested)).toBe(`error ${notComparable(1000)}`);
    expect(outcome('obj.a in [obj.b]', nested)).toBe(`error ${notComparable(1000)}`);
    expect(outcome('obj.a', nested)).toBe(`error ${nestedDeeper('the result is', 1000)}`);
    expect(outcome('[obj.a]', nested)).toBe(`error ${nestedDeeper('the result is', 1000)}`);
  });

  it('gives an error for whatever else fails', () => {
    const obj = new Proxy<Activation['obj']>(
      {},
      {
        getOwnPropertyDescriptor: () => {
          throw new RangeError('Maximum call stack size exceeded');
        },
      },
    );
    expect(outcome('obj.a', { ...ACTIVATION, obj })).toBe(
      'error evaluation failed: Maximum call stack size exceeded',
    );
  });
});

describe('createCompiler', () => {
  it('compiles a text once', () => {
    const compiler = createCompiler();
    expect(compiler('obj.kind')).toBe(compiler('obj.kind'));
    expect(compiler('obj.')).toBe(compiler('obj.'));
  });

  it('forgets texts that take too much together', () => {
    const compiler = createCompiler();
    const text = (index: number) =>
      Array.from({ length: 60 }, (_, i) => `"x".matches("a{100}${index}${i}")`).join('||');
    const first = compiler(text(0));
    expect(compiler(text(0))).toBe(first);
    for (let index = 1; index < 5; index += 1) compiler(text(index));
    expect(compiler(text(0))).not.toBe(first);
  });

  it('forgets the text that was not used for longest', () => {
    const compiler = createCompiler({ capacity: 2 });
    const [a, b] = [compiler('1'), compiler('2')];
    expect(compiler('1')).toBe(a);
    compiler('3');
    expect(compiler('1')).toBe(a);
    expect(compiler('2')).not.toBe(b);
  });
});
