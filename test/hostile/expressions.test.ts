import { describe, expect, it } from 'vitest';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import { collectorPrograms } from '#shared/core/collector/collector-programs.ts';
import { RowEvaluation } from '#shared/core/collector/row-evaluation.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { Program } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { type End, HOSTILE_EXPRESSIONS } from './expressions.ts';

/** A step pays for 128 bytes of a result. */
const MAX_RESULT_BYTES = MAX_STEPS * 128;
const MAX_ERROR_LENGTH = 501;
const OVER_BUDGET = 'operation cancelled: actual cost limit exceeded';

function rowOf(returned: JsonObject) {
  const activation = { inventory: { name: 'edge1' }, obj: {}, returned, propagation: {} };
  return { wec: 'edge1', activation };
}

function specOf(expression: string): JsonObject {
  return { select: [{ name: 'c', def: expression }] };
}

/** How an evaluation ended, with its steps and the bytes of what it gave. */
function evaluate(program: Program, status: JsonObject) {
  const row = new RowEvaluation(rowOf(status));
  const value = row.evaluate(0, program);
  const error = row.errors[0]?.first[0]?.[1];
  const json = value === undefined || value.type === 'null' ? null : value.value;
  return { error, steps: row.steps, bytes: Buffer.byteLength(stringifyJson(json)) };
}

/** The program of an expression, or the errors of a collector that has it as its column. */
function compiled(expression: string) {
  const compilation = compileStatusCollector(specOf(expression));
  if (!compilation.ok) return { errors: compilation.errors };
  const [path] = collectorPrograms(compilation.collector);
  if (!path) throw new RangeError(expression);
  return { errors: [], collector: compilation.collector, program: path.program };
}

function endOf(error: string | undefined): End {
  if (error === undefined) return 'value';
  return error === OVER_BUDGET ? 'over budget' : 'error';
}

const REFUSED = HOSTILE_EXPRESSIONS.filter(({ end }) => end === 'refused');
const TAKEN = HOSTILE_EXPRESSIONS.filter(({ end }) => end !== 'refused');

describe('a hostile expression', () => {
  it.each(REFUSED)('is refused with its place: $name', ({ expression }) => {
    expect(compiled(expression).errors).toEqual([
      expect.stringMatching(/^spec\.select\[0\]\.def, line \d+, column \d+: .+; .+$/),
    ]);
  });

  it.each(TAKEN)('ends within its budget: $name', ({ expression, status, end }) => {
    const { collector, program, errors } = compiled(expression);
    if (!collector) throw new RangeError(errors.join());
    const returned = status();
    const { error, steps, bytes } = evaluate(program, returned);
    expect(endOf(error)).toBe(end);
    expect((error ?? '').length).toBeLessThanOrEqual(MAX_ERROR_LENGTH);
    expect(steps).toBeLessThanOrEqual(MAX_STEPS);
    if (end === 'over budget') expect(steps).toBe(MAX_STEPS);
    expect(bytes).toBeLessThanOrEqual(MAX_RESULT_BYTES);
    const fold = collectorFold(collector);
    const result = fold.finish(fold.lift(rowOf(returned)));
    expect(result.rowErrors.map((row) => row.error)).toEqual(error === undefined ? [] : [error]);
  });

  it.each(TAKEN)('takes the same steps each time: $name', ({ expression, status }) => {
    const { program, errors } = compiled(expression);
    if (!program) throw new RangeError(errors.join());
    expect(evaluate(program, status())).toEqual(evaluate(program, status()));
  });
});
