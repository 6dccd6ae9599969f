/** Writes the UTF-8 bytes of a code point beyond ASCII at an index. Returns the index after them. */
function putCodePoint(bytes: Uint8Array, index: number, point: number): number {
  const rest = point < 0x800 ? 1 : point < 0x1_0000 ? 2 : 3;
  bytes[index] = ((0xff00 >> (rest + 1)) & 0xff) | (point >> (6 * rest));
  for (let i = 1; i <= rest; i++) bytes[index + i] = 0x80 | ((point >> (6 * (rest - i))) & 0x3f);
  return index + rest + 1;
}

function wellFormed(point: number): number {
  return point >= 0xd800 && point < 0xe000 ? 0xfffd : point;
}

/** The UTF-8 bytes of a text. A lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  // A unit takes three bytes at most, a surrogate pair four.
  const bytes = new Uint8Array(3 * text.length);
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[length++] = unit;
    } else {
      const point = wellFormed(text.codePointAt(i) as number); // i is within the text
      length = putCodePoint(bytes, length, point);
      if (point > 0xffff) i++;
    }
  }
  return bytes.slice(0, length);
}

/** The least code point that needs this number of bytes. A smaller code point needs fewer. */
const LEAST_POINTS = [0, 0, 0x80, 0x800, 0x1_0000];
const MAX_POINT = 0x10_ffff;

/** The number of bytes of a code point that begins with this byte, or 0 if no code point does. */
function lengthOf(first: number): number {
  if (first < 0x80) return 1;
  if (first < 0xc0) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf8 ? 4 : 0;
}

/** The code point of the bytes from an index on, or `undefined` if there is none. */
function pointAt(bytes: Uint8Array, index: number, length: number): number | undefined {
  const first = bytes[index] as number; // index is within the bytes
  let point = length === 1 ? first : first & (0x7f >> length);
  for (let i = 1; i < length; i++) {
    const byte = bytes[index + i] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    point = (point << 6) | (byte & 0x3f);
  }
  const isSurrogate = point >= 0xd800 && point < 0xe000;
  // No code point is longer than four bytes.
  const isPoint = point >= (LEAST_POINTS[length] as number) && point <= MAX_POINT && !isSurrogate;
  return isPoint ? point : undefined;
}

/** How many code points are converted to text at a time. */
const CHUNK = 1024;

/** The text that bytes encode, or `undefined` if they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  let text = '';
  let points: number[] = [];
  for (let i = 0; i < bytes.length; ) {
    const length = lengthOf(bytes[i] as number); // i is within the bytes
    const point = length === 0 ? undefined : pointAt(bytes, i, length);
    if (point === undefined) return undefined;
    points.push(point);
    i += length;
    if (points.length === CHUNK) {
      text += String.fromCodePoint(...points);
      points = [];
    }
  }
  return text + String.fromCodePoint(...points);
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The base64 text of bytes, padded (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    // A byte beyond the end counts as 0.
    const group =
      ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number);
    for (const shift of [18, 12, 6, 0]) text += BASE64.charAt((group >> shift) & 63);
  }
  const excess = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - excess) + '='.repeat(excess);
}
