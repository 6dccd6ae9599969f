import { compile } from '#shared/core/expression/compile.ts';
import type { Activation } from '#shared/core/expression/expression.ts';
import { MAX_STEPS } from '#shared/core/expression/prices.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';
import { CONDITIONS, TYPICAL } from './collectors.ts';
import { type Figure, rounded } from './figure.ts';
import { milliseconds, OBJECT, rows, WECS, workloadFold } from './typical-workload.ts';

function activationOf({ wec, row }: PerWecRow): Activation {
  return {
    inventory: { name: wec },
    obj: OBJECT,
    // Rows of this file have an object as status.
    returned: (row?.status ?? {}) as JsonObject,
    propagation: {},
  };
}

/** The value of an expression, parsed and checked for this row; `undefined` where it has none. */
function valueAnew(text: string, row: PerWecRow): unknown {
  const compilation = compile(text);
  if (!compilation.ok) throw new RangeError(text);
  const budget = { remaining: MAX_STEPS, exceeded: false };
  const evaluation = compilation.program.evaluate(activationOf(row), budget);
  return evaluation.ok && 'value' in evaluation.value ? evaluation.value.value : undefined;
}

const AVAILABLE = 'returned.status.availableReplicas';
const LAGS = 'obj.spec.replicas != returned.status.availableReplicas';

/** What an evaluator does that keeps nothing: the typical expressions parsed and checked for each row again. */
function recompiling(table: readonly PerWecRow[]): unknown {
  const histogram = new Map<unknown, number>();
  const lagging: unknown[] = [];
  let total = 0;
  for (const row of table) {
    const available = valueAnew(AVAILABLE, row);
    histogram.set(available, (histogram.get(available) ?? 0) + 1);
    if (valueAnew(LAGS, row) === true) lagging.push(valueAnew('inventory.name', row));
    total += Number(valueAnew(AVAILABLE, row) ?? 0);
  }
  return { histogram, lagging: lagging.slice(0, 20), total };
}

/** Full folds of 10,000 rows, in memory, on one core. */
export async function benchFullFold(): Promise<readonly Figure[]> {
  const section = `Full fold of ${rounded(WECS)} WECs, rows in memory (median)`;
  const table = rows();
  const time = (collectors: Readonly<Record<string, JsonObject>>, multi: boolean) => {
    const fold = workloadFold(collectors, multi);
    return milliseconds(() => fold.finish(foldRows(fold, table)));
  };
  const typical = await time(TYPICAL, false);
  const naive = await milliseconds(() => recompiling(table));
  const ratio = `${rounded(naive / typical)} times as long: each expression compiled for each row`;
  const figures: Omit<Figure, 'section'>[] = [
    {
      what: '3 collectors: histogram, filter and select, SUM',
      value: typical,
      unit: 'ms',
      goal: { type: 'at most', value: 60 },
      beside: `recompiling peer: ${rounded(naive)} ms, ${ratio}`,
    },
    { what: 'peer: recompiling evaluator', value: naive, unit: 'ms' },
    {
      what: '1 collector: histogram',
      value: await time({ a: TYPICAL['histogram'] ?? {} }, false),
      unit: 'ms',
    },
    {
      what: '1 collector: filter and select',
      value: await time({ a: TYPICAL['lagging'] ?? {} }, false),
      unit: 'ms',
    },
    {
      what: '1 collector: SUM',
      value: await time({ a: TYPICAL['total'] ?? {} }, false),
      unit: 'ms',
    },
    {
      what: '1 collector: filter over all conditions',
      value: await time({ a: CONDITIONS }, false),
      unit: 'ms',
    },
    { what: 'multi-WEC status of a Deployment', value: await time({}, true), unit: 'ms' },
    { what: 'multi-WEC status and 3 collectors', value: await time(TYPICAL, true), unit: 'ms' },
  ];
  return figures.map((figure) => ({ section, ...figure }));
}
