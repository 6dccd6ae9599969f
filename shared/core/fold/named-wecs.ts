import type { Fold } from '#shared/core/fold/fold.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow } from '#shared/core/row.ts';

/** At most this many WECs are named. Of the others, only the number is reported. */
const MAX_NAMED = 5;

/** At most this many WECs are named in the message of a condition. */
const MAX_IN_MESSAGE = 10;

/** The WECs about which something is reported: their number, and the report on the first of them by name. */
export type NamedWecs<Report extends JsonValue> = {
  readonly count: number;
  readonly first: readonly (readonly [wec: string, entry: Report])[];
};

/**
 * The fold of what is reported about some WECs, so that nothing is left out silently (docs/architecture.md, section 5).
 *
 * @param report returns what to report about a row, or undefined for nothing
 */
export function namedWecsFold<Report extends JsonValue>(
  report: (row: PerWecRow) => Report | undefined,
): Fold<PerWecRow, NamedWecs<Report>, NamedWecs<Report>> {
  return {
    empty: { count: 0, first: [] },
    lift(row) {
      const entry = report(row);
      return entry === undefined
        ? { count: 0, first: [] }
        : { count: 1, first: [[row.wec, entry]] };
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
export function namedTexts<Report extends JsonValue>(
  { count, first }: NamedWecs<Report>,
  text: (wec: string, entry: Report) => string,
  others: string,
): readonly string[] {
  const named = first.map(([wec, entry]) => text(wec, entry));
  const more = count - first.length;
  return more === 0 ? named : [...named, `${others}: ${more}`];
}

/**
 * The first names of two lists of WECs together, in the order of their names. At most as many as {@link namesText}
 * shows.
 *
 * @param a sorted names, each once
 * @param b sorted names, each once and not in `a`
 */
export function firstNames(a: readonly string[], b: readonly string[]): readonly string[] {
  if (b.length === 0) return a;
  const last = a[MAX_IN_MESSAGE - 1];
  if (last !== undefined && last < String(b[0])) return a;
  return [...a, ...b].sort().slice(0, MAX_IN_MESSAGE);
}

/**
 * Names WECs in the message of a condition: at most ten, and then how many more.
 *
 * @param names the first of them, or a text for each
 * @param count how many there are
 */
export function namesText(names: readonly string[], count: number): string {
  const shown = names.slice(0, MAX_IN_MESSAGE);
  const others = count - shown.length;
  return `${shown.join(', ')}${others > 0 ? `, and ${others} more` : ''}`;
}
