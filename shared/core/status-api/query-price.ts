import { at, isObject, type JsonValue } from '#shared/core/json.ts';

/** What an answer to a query has cost (docs/api.md, "statusqueries"). */
export interface QueryPrice {
  /** How many rows were read. */
  readonly rows: number;
  /** What they took in all, in steps. */
  readonly steps: number;
  /** The most steps that the expressions took for one row. */
  readonly rowSteps: number;
}

/** What nothing costs. */
export const NO_PRICE: QueryPrice = { rows: 0, steps: 0, rowSteps: 0 };

/** The price of an answer. Undefined if the server is of a release that does not give it. */
export function priceOf(answer: JsonValue): QueryPrice | undefined {
  const price = at(answer, 'status', 'price');
  if (!isObject(price)) return undefined;
  const { rows, steps, rowSteps } = price;
  return { rows: Number(rows), steps: Number(steps), rowSteps: Number(rowSteps) };
}

/** The price of several answers together. Undefined if one of them is not known. */
export function sumPrices(
  a: QueryPrice | undefined,
  b: QueryPrice | undefined,
): QueryPrice | undefined {
  if (a === undefined || b === undefined) return undefined;
  return {
    rows: a.rows + b.rows,
    steps: a.steps + b.steps,
    rowSteps: Math.max(a.rowSteps, b.rowSteps),
  };
}
