import type { ExpressionValue } from '#shared/core/expression/expression.ts';
import { notANumber } from './messages.ts';

/** The number that the subject of an aggregation represents, or why it represents none. */
type SubjectNumber =
  | { readonly ok: true; readonly value: number | bigint }
  | { readonly ok: false; readonly error: string };

const INTEGER = /^[+-]?\d+$/;
const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^[+-]?inf(?:inity)?$/i;
const NAN = /^nan$/i;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
/** No int64 has more characters, without leading zeros. */
const INT64_LENGTH = 20;
const SHOWN_CHARACTERS = 64;

/**
 * The number of a subject. An int or double is used as it is. A string is the number that Go's `ParseInt` or
 * `ParseFloat` reads in decimal (`1e3`, `Inf` and `NaN` too, but neither spaces nor underscores). Anything else is an
 * error and counts as 0 (KubeStellar, `NamedAggregator`).
 */
export function subjectNumber(value: ExpressionValue): SubjectNumber {
  if (value.type === 'int' || value.type === 'double') return { ok: true, value: value.value };
  if (value.type !== 'string')
    return { ok: false, error: notANumber(`a value of type ${value.type}`) };
  const parsed = parseNumber(value.value);
  if (parsed !== undefined) return { ok: true, value: parsed };
  return { ok: false, error: notANumber(`the string ${quote(value.value)}`) };
}

function parseNumber(text: string): number | bigint | undefined {
  if (INTEGER.test(text)) return parseInteger(text);
  if (DECIMAL.test(text)) {
    const value = Number(text);
    // For Go, a literal beyond the largest double is out of range.
    return Number.isFinite(value) ? value : undefined;
  }
  if (NAN.test(text)) return Number.NaN;
  if (!INFINITY.test(text)) return undefined;
  return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function parseInteger(text: string): number | bigint | undefined {
  const nearest = Number(text);
  if (Number.isSafeInteger(nearest)) return nearest;
  if (text.length <= INT64_LENGTH) {
    const exact = BigInt(text.startsWith('+') ? text.slice(1) : text);
    if (exact >= INT64_MIN && exact <= INT64_MAX) return exact;
  }
  return Number.isFinite(nearest) ? nearest : undefined;
}

function quote(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))}... (${text.length} characters)`;
}
