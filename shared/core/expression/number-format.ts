/**
 * A double in parts: sign, significant digits (the fewest that give the same double), and the power of ten of the first
 * digit.
 */
function decimalParts(x: number): { sign: string; digits: string; exponent: number } {
  const sign = x < 0 || Object.is(x, -0) ? '-' : '';
  const text = Math.abs(x).toExponential();
  const end = text.indexOf('e');
  return {
    sign,
    digits: text.slice(0, end).replace('.', ''),
    exponent: Number(text.slice(end + 1)),
  };
}

function expand(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const fraction = digits.slice(exponent + 1);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The text of a finite double without an exponent, with the fewest digits (Go's `'f'` with precision -1). */
export function formatDecimal(x: number): string {
  const { sign, digits, exponent } = decimalParts(x);
  return sign + expand(digits, exponent);
}

/**
 * The text of a double as Go's `%g` writes it: the fewest digits that read back as the same number, with an exponent
 * below 1e-4 and from 1e6 on (`100000`, `1e+06`, `+Inf`, `-0`).
 */
export function formatDouble(x: number): string {
  if (Number.isNaN(x)) return 'NaN';
  if (!Number.isFinite(x)) return x > 0 ? '+Inf' : '-Inf';
  const { sign, digits, exponent } = decimalParts(x);
  if (exponent >= -4 && exponent < 6) return sign + expand(digits, exponent);
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${sign}${expand(digits, 0)}e${exponent < 0 ? '-' : '+'}${power}`;
}
