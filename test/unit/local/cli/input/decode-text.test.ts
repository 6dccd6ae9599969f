import { expect, it } from 'vitest';
import { decodeText } from '#local/cli/input/decode-text.ts';

const TEXT = 'kind: Pod # \u00e4\u{1f680}\n';
const UTF_16 = Buffer.from(`\ufeff${TEXT}`, 'utf16le');

it.each<[string, Uint8Array]>([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16, little-endian', UTF_16],
  ['UTF-16, big-endian', Buffer.from(UTF_16).swap16()],
])('reads %s, as kubectl does', (_encoding, bytes) => {
  expect(decodeText(bytes, 'f.yaml')).toBe(TEXT);
});

it('reads an empty file as an empty text', () => {
  expect(decodeText(new Uint8Array(), 'f.yaml')).toBe('');
});
