/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.toWellFormed());
  const bytes: number[] = [];
  for (let i = 0; i < escaped.length; i++) {
    if (escaped[i] === '%') {
      bytes.push(Number.parseInt(escaped.slice(i + 1, i + 3), 16));
      i += 2;
    } else {
      bytes.push(escaped.charCodeAt(i));
    }
  }
  return Uint8Array.from(bytes);
}

/** The text that bytes stand for, `undefined` where they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  const escaped = Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`);
  try {
    return decodeURIComponent(escaped.join(''));
  } catch {
    return undefined;
  }
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The base64 text of bytes, padded (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const [a = 0, b = 0, c = 0] = bytes.subarray(i, i + 3);
    const group = (a << 16) | (b << 8) | c;
    for (const shift of [18, 12, 6, 0]) text += BASE64.charAt((group >> shift) & 63);
  }
  const excess = (3 - (bytes.length % 3)) % 3;
  return text.slice(0, text.length - excess) + '='.repeat(excess);
}
