/** The bytes of an integer of up to seven digits with its sign, of null and of a bool, and of a comma. */
const SHORT = 9;
/** The bytes of any other number, and of a comma. */
const LONG = 25;
const SHORT_BELOW = 1e7;

/** A quote on each side, and the comma or colon behind them. */
const QUOTES = 3;
/** `\u0001`: a control character, or half of a surrogate pair. */
const ESCAPED = 6;
const PLAIN = /^[ !#-[\]-~]*$/;

function unitBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit < 0x20) return ESCAPED;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xe000 ? ESCAPED : 3;
}

/** At least the bytes of the JSON text of a text, in UTF-8. */
export function jsonTextBytes(text: string): number {
  if (PLAIN.test(text)) return text.length + QUOTES;
  let bytes = QUOTES;
  for (let i = 0; i < text.length; i++) bytes += unitBytes(text.charCodeAt(i));
  return bytes;
}

/** At least the bytes of the JSON text of a value that is no text, list or object. */
export function jsonScalarBytes(value: unknown): number {
  if (typeof value === 'boolean' || value === null) return SHORT;
  const isShort = Number.isInteger(value) && Math.abs(value as number) < SHORT_BELOW;
  return isShort ? SHORT : LONG;
}
