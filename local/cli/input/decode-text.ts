import { InputError } from '#local/cli/terminal/cli-error.ts';
import { NOT_UTF8 } from './document-messages.ts';

/** Byte order marks that name another encoding than UTF-8. */
const UTF_16: readonly (readonly [mark: readonly [number, number], encoding: string])[] = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

function encodingOf(bytes: Uint8Array): string {
  const found = UTF_16.find(([[first, second]]) => bytes[0] === first && bytes[1] === second);
  return found?.[1] ?? 'utf-8';
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    // What is thrown says no more than that it is not in this encoding.
    return undefined;
  }
}

/**
 * The text of a file in UTF-8, or in UTF-16 if it begins with a byte order mark, as kubectl reads files. PowerShell
 * writes UTF-16.
 *
 * @param file how messages call it
 * @throws InputError if it is binary, or in another encoding.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  const text = decoded(bytes);
  if (text === undefined) throw new InputError(`${file}: ${NOT_UTF8}`);
  return text;
}
