import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
/** The characters that can be printed come first, since a failure is reduced to the first ones. */
const PRINTABLE = { first: 0x20, count: 95 };

function characterAt(index: number): string {
  const { first, count } = PRINTABLE;
  if (index < first + count)
    return String.fromCodePoint(index < count ? index + first : index - count);
  return String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count);
}

/** @throws RangeError if the value is not one character */
function indexOf(character: unknown): number {
  const code = String(character).codePointAt(0) ?? 0;
  const { first, count } = PRINTABLE;
  const behind = code < SURROGATES.first ? code : code - SURROGATES.count;
  const printable = code < first ? code + count : code - first;
  const index = code < first + count ? printable : behind;
  if (characterAt(index) !== character) throw new RangeError('not one character');
  return index;
}

/** Any character of Unicode, as `fc.string({ unit: 'binary' })` has it, which keeps a map of all of them. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: 0x10_ffff - SURROGATES.count })
  .map(characterAt, indexOf);
