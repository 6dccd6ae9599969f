/**
 * Folds random collectors over random statuses: errors are typed, results bounded, and the same in any order.
 *
 * `node test/property/collector/fuzz.ts RUNS [SEED]` runs as many as told and prints the seed.
 */
import fc from 'fast-check';
import { collectorFold } from '#shared/core/collector/collector-fold.ts';
import { collectorPrograms } from '#shared/core/collector/collector-programs.ts';
import type { CollectorRow, CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { Activation, Program } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';

const leaf = fc.constantFrom(
  ...['0', '1', '-7', '2u', '1.5', '"a"', '"2024-05-06T07:08:09Z"', 'b"ab"', 'true', 'null'],
  ...['returned.status', 'returned.status.a', 'returned.status.l', 'returned.status.t', 'obj'],
  ...['inventory.name', 'propagation', 'propagation.lastReturnedUpdateTimestamp', 'dyn(1)', 'i'],
  ...['[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', '{"k": 1}', '[]'],
);
const operator = fc.constantFrom('+', '-', '*', '/', '%', '==', '!=', '<', '>=', 'in', '&&', '||');
const call = fc.constantFrom(
  ...['size', 'string', 'int', 'uint', 'double', 'bytes', 'bool', 'type', 'timestamp', 'duration'],
);
const member = fc.constantFrom('contains', 'startsWith', 'endsWith', 'matches');
const macro = fc.constantFrom('all', 'exists', 'exists_one', 'map', 'filter');
const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const part = tie('expression');
  const dynamic = part.map((text) => `dyn(${text})`);
  return {
    expression: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      {
        weight: 3,
        arbitrary: fc.tuple(dynamic, operator, dynamic).map(([a, op, b]) => `(${a} ${op} ${b})`),
      },
      { weight: 2, arbitrary: fc.tuple(call, dynamic).map(([name, a]) => `${name}(${a})`) },
      {
        weight: 1,
        arbitrary: fc.tuple(dynamic, member, dynamic).map(([a, f, b]) => `${a}.${f}(${b})`),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(part, macro, dynamic).map(([a, f, b]) => `dyn(${a}).${f}(i, ${b})`),
      },
      {
        weight: 2,
        arbitrary: fc.tuple(part, macro).map(([a, f]) => `[${a}, ${a}].${f}(i, dyn(i))`),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(dynamic, part, part)
          .map(([a, b, c]) => `(${a} ? dyn(${b}) : dyn(${c}))`),
      },
      { weight: 1, arbitrary: fc.tuple(part, part).map(([a, b]) => `[dyn(${a}), dyn(${b})]`) },
      { weight: 1, arbitrary: fc.tuple(dynamic, dynamic).map(([a, b]) => `${a}[${b}]`) },
      { weight: 1, arbitrary: dynamic.map((a) => `${a}.getHours("Europe/Berlin")`) },
      { weight: 1, arbitrary: fc.nat(40).map((n) => `"aab".matches("(a|b){${n}}c?")`) },
    ),
  };
});

const json = fc.jsonValue({ maxDepth: 4 }).map((value) => value as JsonValue); // what fast-check calls JSON is JSON
const list = fc.oneof(
  fc.array(json, { maxLength: 5 }),
  fc.nat(3_000).map((n) => Array.from({ length: n }, (_, i) => i)),
);
const text = fc.oneof(
  fc.string(),
  fc.nat(200_000).map((n) => 'ab'.repeat(n)),
);
const status = fc.record({ a: json, l: list, t: text }, { requiredKeys: [] });

/** The spec of a collector that may be invalid. */
const collectorSpec: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.boolean(), fc.array(expression, { minLength: 1, maxLength: 3 }), fc.option(expression))
  .map(([selects, texts, filter]) => {
    const columns = texts.map((def, index) => ({ name: `c${index}`, def }));
    const base: JsonObject = filter === null ? {} : { filter: `dyn(${filter})` };
    if (selects) return { ...base, select: columns };
    const combinedFields = texts.map((subject, index) => ({
      name: `f${index}`,
      type: 'SUM',
      subject,
    }));
    return { ...base, groupBy: columns.slice(0, 2), combinedFields };
  });
const rows = fc.array(status, { minLength: 1, maxLength: 4 }).map((statuses) =>
  statuses.map((returned, index): CollectorRow => {
    const name = `wec-${index}`;
    const activation = { inventory: { name }, obj: { kind: 'Test' }, returned, propagation: {} };
    return { wec: name, activation };
  }),
);

/** Fractions of steps are added up in another order. */
const ROUNDING = 1e-6;
/** A step pays for 128 bytes of a result. */
const MAX_ROW_BYTES = MAX_STEPS * 128;
/** What the cells of a result and the texts of errors take beside what is paid for. */
const MAX_MORE_BYTES = 10_000;

function resultOf(collector: CompiledCollector, table: readonly CollectorRow[]): string {
  const fold = collectorFold(collector);
  return stringifyJson(fold.finish(foldRows(fold, table)) as unknown as JsonValue); // a result is plain JSON
}

/** An evaluation ends with a value or an error of its own, and takes no fewer steps than were foretold. */
function checkSteps({ text, leastSteps, evaluate }: Program, activation: Activation): void {
  const budget = { remaining: MAX_STEPS, exceeded: false };
  const evaluation = evaluate(activation, budget);
  if (!evaluation.ok && evaluation.error.startsWith('evaluation failed'))
    throw new RangeError(`${text}: ${evaluation.error}`);
  const { value, failure } = leastSteps;
  const least = evaluation.ok ? value : Math.min(value, failure);
  const steps = MAX_STEPS - budget.remaining;
  if (!budget.exceeded && steps < least - ROUNDING)
    throw new RangeError(`${text}: took ${steps} steps, at least ${least} were foretold`);
}

function checkFold(collector: CompiledCollector, table: readonly CollectorRow[]): void {
  for (const { program } of collectorPrograms(collector))
    for (const { activation } of table) checkSteps(program, activation);
  const result = resultOf(collector, table);
  if (Buffer.byteLength(result) > table.length * (MAX_ROW_BYTES + MAX_MORE_BYTES))
    throw new RangeError(`a result of ${result.length} characters`);
  if (resultOf(collector, table) !== result) throw new RangeError('another result');
  if (resultOf(collector, table.toReversed()) !== result)
    throw new RangeError('another result in another order');
}

/** Checks a number of pairs of a collector and its rows; gives how many of the collectors were valid. */
export function fuzz(runs: number, seed: number): number {
  let valid = 0;
  const property = fc.property(collectorSpec, rows, (spec, table) => {
    const compilation = compileStatusCollector(spec);
    if (!compilation.ok) return;
    valid += 1;
    checkFold(compilation.collector, table);
  });
  fc.assert(property, { numRuns: runs, seed });
  return valid;
}

if (import.meta.main) {
  const [runs = '100000', seed = String(Date.now() % 2 ** 31)] = process.argv.slice(2);
  process.stdout.write(`${runs} collectors and their rows, seed ${seed}\n`);
  const valid = fuzz(Number(runs), Number(seed));
  process.stdout.write(`no fault; ${valid} of the collectors were valid\n`);
}
