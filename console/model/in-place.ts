/** Rows in an order that was kept: known rows at their places, new ones after them. */
export function inPlace<Row>(
  rows: readonly Row[],
  order: readonly string[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const left = new Map(rows.map((row) => [keyOf(row), row]));
  const known = order.flatMap((key) => {
    const row = left.get(key);
    left.delete(key);
    return row === undefined ? [] : [row];
  });
  return [...known, ...left.values()];
}
