import type { JsonValue } from '#shared/core/json.ts';

/** There is a digit before the suffix. The number of digits is bounded, so that a long text costs little. */
const QUANTITY =
  /^(?=[+-]?\.?\d)(?<whole>[+-]?\d{0,40})(?:\.(?<fraction>\d{0,40}))?(?:(?<suffix>[numkMGTPE]|[KMGTPE]i)|[eE](?<exponent>[+-]?\d{1,2}))?$/;

/** Powers of ten of the decimal suffixes. */
const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
/** The binary suffixes, each 1024 times the one before. */
const BINARY: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Enough for each digit of a quantity: 40 digits of a fraction, and an exponent of -99. */
const SCALE = 140;

/** The exact quantity in units of 10^-{@link SCALE}, or undefined if the value is not a quantity. */
function quantityOf(value: JsonValue | undefined): bigint | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const groups = QUANTITY.exec(String(value))?.groups;
  if (groups === undefined) return undefined;
  const { whole, fraction = '', suffix = '', exponent = 0 } = groups;
  const power = SCALE + Number(exponent) + (DECIMAL.get(suffix) ?? 0) - fraction.length;
  const binary = 1024n ** BigInt(Math.max(BINARY.indexOf(suffix), 0));
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(power) * binary;
}

/**
 * Whether two values are the same quantity, as Kubernetes reads them (apimachinery, `resource.Quantity`): 0.5 and
 * "500m", "1Gi" and "1024Mi". The comparison is exact. A value that is not a quantity, or has more than 40 digits, is
 * not the same as any other.
 */
export function isSameQuantity(a: JsonValue | undefined, b: JsonValue): boolean {
  const quantity = quantityOf(a);
  return quantity !== undefined && quantity === quantityOf(b);
}
