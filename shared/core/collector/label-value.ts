const MAXIMUM_LENGTH = 63;
const VALID = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;
const HASH_DIGITS = 16;

/**
 * The 64-bit FNV-1a hash of the UTF-16 code units of a text, in 16 hexadecimal digits. For ASCII, this is the hash of
 * its bytes.
 */
export function fnv1a64(text: string): string {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * FNV_PRIME);
  return hash.toString(16).padStart(HASH_DIGITS, '0');
}

/**
 * A label value for any text. A text that Kubernetes accepts is returned unchanged: at most 63 letters, digits, `-`,
 * `_` and `.`, and its first and last character are a letter or digit. Any other text is cut, its invalid characters
 * become `-`, and a hash of the whole text is appended (docs/architecture.md, section 9.13).
 */
export function labelValue(text: string): string {
  if (text.length <= MAXIMUM_LENGTH && VALID.test(text)) return text;
  const readable = text
    .slice(0, MAXIMUM_LENGTH - HASH_DIGITS - 1)
    .replace(/[^-A-Za-z0-9_.]/g, '-')
    .replace(/^[-_.]+/, '');
  return readable === '' ? fnv1a64(text) : `${readable}-${fnv1a64(text)}`;
}
