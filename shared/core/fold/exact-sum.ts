/**
 * The exact sum of any number of int64s and doubles, as plain JSON. Each value has one spelling, so a sum has the same bytes
 * for every order and grouping of its addends (docs/architecture.md, section 3).
 *
 * The sum is a `number` if it is a double of magnitude below 2^53. Otherwise it is a text: `<m>p<e>` means m × 2^e, where e is
 * a multiple of 64 and m is not a multiple of 2^64. `NaN`, `+Inf` and `-Inf` absorb everything finite.
 */
export type ExactSum = number | string;

interface Dyadic {
  readonly mantissa: bigint;
  readonly exponent: number;
}

const LIMB_BITS = 64;
const LIMB = 2n ** 64n;
const LIMB_AS_DOUBLE = 2 ** 64;
/**
 * Three limbs hold the 53 bits of a double, a rounding bit and a sticky bit with room to spare, and are too small for an
 * infinity.
 */
const ROUNDING_SIZE = LIMB ** 3n;

/** The sum of one addend. A bigint is exact, regardless of its size. */
export function exactSum(addend: number | bigint): ExactSum {
  const double = Number(addend);
  // No bigint beyond 2^53 is rounded to a double below 2^53, so a double that is small enough is exact.
  if (Math.abs(double) <= Number.MAX_SAFE_INTEGER) return double === 0 ? 0 : double;
  if (typeof addend === 'number' && !Number.isFinite(addend)) return nonFinite(addend);
  return spell({ mantissa: BigInt(addend), exponent: 0 });
}

/** The sum of two sums. `+Inf` and `-Inf` together are `NaN`, as in IEEE 754. */
export function addSums(a: ExactSum, b: ExactSum): ExactSum {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    // Both differences return the addends only if nothing was rounded (the error term of a two-sum is 0).
    if (sum - a === b && sum - b === a && Math.abs(sum) <= Number.MAX_SAFE_INTEGER) return sum;
  }
  const left = parse(a);
  const right = parse(b);
  if (typeof left === 'number' || typeof right === 'number')
    return nonFinite(asDouble(left) + asDouble(right));
  return spell(add(left, right));
}

/** The double nearest to a sum (ties to even, an infinity beyond the largest double). This is the only rounding. */
export function sumToDouble(sum: ExactSum): number {
  if (typeof sum === 'number') return sum;
  const value = parse(sum);
  return typeof value === 'number' ? value : round(value);
}

function nonFinite(value: number): ExactSum {
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** Returns an infinity or NaN unchanged, and 0 for anything finite, which does not change a sum with them. */
function asDouble(value: Dyadic | number): number {
  return typeof value === 'number' ? value : 0;
}

function parse(sum: ExactSum): Dyadic | number {
  if (typeof sum === 'number') return split(sum);
  if (sum === 'NaN') return Number.NaN;
  if (sum === '+Inf') return Number.POSITIVE_INFINITY;
  if (sum === '-Inf') return Number.NEGATIVE_INFINITY;
  const p = sum.indexOf('p');
  return { mantissa: BigInt(sum.slice(0, p)), exponent: Number(sum.slice(p + 1)) };
}

function split(value: number): Dyadic {
  let mantissa = value;
  let exponent = 0;
  // A fraction is below 2^52, so scaling it up is exact and cannot overflow.
  while (!Number.isInteger(mantissa)) {
    mantissa *= LIMB_AS_DOUBLE;
    exponent -= LIMB_BITS;
  }
  return { mantissa: BigInt(mantissa), exponent };
}

function add(a: Dyadic, b: Dyadic): Dyadic {
  const exponent = Math.min(a.exponent, b.exponent);
  const mantissa =
    (a.mantissa << BigInt(a.exponent - exponent)) + (b.mantissa << BigInt(b.exponent - exponent));
  return { mantissa, exponent };
}

function reduce(value: Dyadic): Dyadic {
  let { mantissa, exponent } = value;
  while (mantissa !== 0n && BigInt.asUintN(LIMB_BITS, mantissa) === 0n) {
    mantissa >>= BigInt(LIMB_BITS);
    exponent += LIMB_BITS;
  }
  return { mantissa, exponent };
}

function spell(value: Dyadic): ExactSum {
  const double = round(value);
  const { mantissa, exponent } = reduce(value);
  if (Math.abs(double) <= Number.MAX_SAFE_INTEGER) {
    const same = reduce(split(double));
    if (same.mantissa === mantissa && (mantissa === 0n || same.exponent === exponent))
      return double;
  }
  return `${mantissa}p${exponent}`;
}

function round(value: Dyadic): number {
  let { exponent } = value;
  let magnitude = value.mantissa < 0n ? -value.mantissa : value.mantissa;
  while (exponent < 0 && magnitude >= ROUNDING_SIZE) {
    const sticky = BigInt.asUintN(LIMB_BITS, magnitude) === 0n ? 0n : 1n;
    magnitude = (magnitude >> BigInt(LIMB_BITS)) | sticky;
    exponent += LIMB_BITS;
  }
  if (exponent > 0) magnitude <<= BigInt(exponent);
  let rounded = Number(magnitude);
  // Scaling down is exact: a result in the range of the subnormal doubles is a multiple of the smallest one, as every addend
  // is.
  for (; exponent < 0; exponent += LIMB_BITS) rounded /= LIMB_AS_DOUBLE;
  return value.mantissa < 0n ? -rounded : rounded;
}
