import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';

/** At most this many WECs are named. Of the others, only the number is reported. */
const MAX_NAMED = 5;

/** The WECs about which something is reported: their number, and the report on the first of them by name. */
export type NamedWecs<Told extends JsonValue> = {
  readonly count: number;
  readonly first: readonly (readonly [wec: string, told: Told])[];
};

/**
 * The fold of what is reported about some WECs, so that nothing is left out silently (docs/architecture.md, section 5).
 *
 * @param tell returns what to report about a row, or undefined for nothing
 */
export function namedWecsFold<Told extends JsonValue>(
  tell: (row: PerWecRow) => Told | undefined,
): Fold<PerWecRow, NamedWecs<Told>, NamedWecs<Told>> {
  return {
    empty: { count: 0, first: [] },
    lift(row) {
      const told = tell(row);
      return told === undefined ? { count: 0, first: [] } : { count: 1, first: [[row.wec, told]] };
    },
    merge(a, b) {
      if (a.count === 0) return b;
      if (b.count === 0) return a;
      const first = [...a.first, ...b.first].sort(([x], [y]) => (x < y ? -1 : 1));
      return { count: a.count + b.count, first: first.slice(0, MAX_NAMED) };
    },
    finish: (part) => part,
  };
}

/**
 * The reports on some WECs as texts: one for each named WEC, and one with the number of the others.
 *
 * @param text the text of one WEC
 * @param others a description of the others, such as `other WECs that ...`
 */
export function namedTexts<Told extends JsonValue>(
  { count, first }: NamedWecs<Told>,
  text: (wec: string, told: Told) => string,
  others: string,
): readonly string[] {
  const named = first.map(([wec, told]) => text(wec, told));
  const more = count - first.length;
  return more === 0 ? named : [...named, `${others}: ${more}`];
}
