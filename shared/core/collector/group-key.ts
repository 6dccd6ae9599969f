import type { ExpressionValue } from '#shared/core/expression/expression.ts';
import { compareText } from './first-entries.ts';
import { doubleCell, NULL_VALUE, type Value } from './value.ts';

/**
 * One value of a group key as plain JSON, with one spelling for each group. A number of magnitude below 2^53 is a
 * `number`. Beyond that, every double is an integer, and the value is a list with its decimal digits. `NaN`, `+Inf` and
 * `-Inf` are lists too.
 */
export type KeyAtom = null | boolean | number | string | readonly [text: string];

/** The values of the GROUP BY columns of one group. */
export type GroupKey = readonly KeyAtom[];

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const INTEGER = /^-?\d+$/;

/**
 * The key atom of a value, or `undefined` for a list or a map, because a group key is atomic (KubeStellar,
 * `StatusCollectorSpec.groupBy`). An int and a double of the same value are the same key.
 */
export function keyAtom(value: ExpressionValue): KeyAtom | undefined {
  switch (value.type) {
    case 'null':
      return null;
    case 'bool':
    case 'string':
      return value.value;
    case 'int':
    case 'double':
      return numberAtom(value.value);
    default:
      return undefined;
  }
}

function numberAtom(value: number | bigint): KeyAtom {
  const double = Number(value);
  if (Math.abs(double) <= Number.MAX_SAFE_INTEGER) return double === 0 ? 0 : double;
  if (Number.isNaN(double)) return ['NaN'];
  if (!Number.isFinite(double)) return [double > 0 ? '+Inf' : '-Inf'];
  return [String(BigInt(value))];
}

/**
 * The order of groups, column by column: null, false, true, numbers by value with NaN last, then strings by their
 * UTF-16 code units.
 */
export function compareKeys(a: GroupKey, b: GroupKey): number {
  for (let column = 0; column < a.length; column += 1) {
    // Two keys that are compared have the same columns.
    const compared = compareAtoms(a[column] as KeyAtom, b[column] as KeyAtom);
    if (compared !== 0) return compared;
  }
  return 0;
}

/** The cell of a key. An integer within int64 is decimal. Any other number is formatted like Go's `%g`. */
export function keyCell(atom: KeyAtom): Value {
  if (atom === null) return NULL_VALUE;
  if (typeof atom === 'boolean') return { type: 'Bool', bool: atom };
  if (typeof atom === 'string') return { type: 'String', string: atom };
  if (typeof atom === 'number')
    return Number.isInteger(atom) ? { type: 'Number', float: String(atom) } : doubleCell(atom);
  const [text] = atom;
  if (!INTEGER.test(text)) return { type: 'Number', float: text };
  const exact = BigInt(text);
  return exact >= INT64_MIN && exact <= INT64_MAX
    ? { type: 'Number', float: text }
    : doubleCell(Number(text));
}

function compareAtoms(a: KeyAtom, b: KeyAtom): number {
  if (a === b) return 0;
  const rank = rankOf(a);
  const difference = rank - rankOf(b);
  if (difference !== 0) return difference;
  if (rank === FINITE) return compareFinite(a as Finite, b as Finite);
  return typeof a === 'string' && typeof b === 'string' ? compareText(a, b) : 0;
}

type Finite = number | readonly [digits: string];

const FINITE = 4;
const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ['-Inf', 3],
  ['+Inf', 5],
  ['NaN', 6],
]);

function rankOf(atom: KeyAtom): number {
  if (typeof atom === 'number') return FINITE;
  if (typeof atom === 'string') return 7;
  if (atom === null) return 0;
  if (typeof atom === 'boolean') return atom ? 2 : 1;
  return NON_FINITE.get(atom[0]) ?? FINITE;
}

function compareFinite(a: Finite, b: Finite): number {
  if (typeof a === 'number') return typeof b === 'number' ? a - b : -Number(b[0]);
  if (typeof b === 'number') return Number(a[0]);
  const difference = BigInt(a[0]) - BigInt(b[0]);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}
