/**
 * The classes of Unicode with many ranges, and how many at most: ignoring case or not, negated or not. All other classes
 * have at most 64, which is what their size counts.
 */
const MANY_RANGES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    Alphabetic: 762,
    Assigned: 735,
    C: 741,
    Cn: 735,
    Common: 178,
    Emoji: 153,
    Emoji_Presentation: 82,
    Extended_Pictographic: 158,
    L: 686,
    LC: 146,
    Lc: 146,
    Ll: 665,
    Lm: 80,
    Lo: 538,
    Lowercase: 678,
    Lu: 656,
    M: 331,
    Math: 154,
    Mc: 194,
    Mn: 369,
    N: 147,
    Nd: 73,
    No: 73,
    P: 200,
    Pe: 77,
    Po: 195,
    Ps: 80,
    S: 243,
    Sm: 68,
    So: 194,
    Terminal_Punctuation: 117,
    Unknown: 733,
    Uppercase: 661,
  }),
);

/** A class of Unicode, or any other escaped character. It ends, at the latest, where it could begin again. */
const ESCAPED = /\\(?:[pP](?:\{\^?([^}\\]*)\}|([\s\S]))|[\s\S])/gu;

/**
 * The ranges that are built for the classes of Unicode in a pattern, as far as the size of the pattern does not count them.
 * A class that a counted repetition repeats is built once. Quoted text counts as if it were not quoted.
 */
export function unicodeRanges(pattern: string): number {
  let ranges = 0;
  for (const [, name, letter] of pattern.matchAll(ESCAPED))
    ranges += MANY_RANGES.get(name ?? letter ?? '') ?? 0;
  return ranges;
}
