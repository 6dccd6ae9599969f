/**
 * The steps that the expressions of one collector may take together on one row (docs/architecture.md, section 6,
 * invariant 9). They take some milliseconds at worst, and are enough to read a status with thousands of elements.
 */
export const MAX_STEPS = 5_000;

/** How much of each kind of work one step pays for. docs/cel.md, "Limits", lists which operations do which work. */
export const UNITS_PER_STEP = {
  /**
   * Parts of an expression for each evaluation, and parts of a loop body for each iteration, rounded up to whole steps.
   */
  parts: 16,
  /** Characters or bytes that are read one by one. */
  charactersRead: 128,
  /** Characters of a text in which another text is searched for, and characters of that other text. */
  charactersSearched: 48,
  /** Characters that are only compared for equality. */
  charactersCompared: 4096,
  /** Characters or bytes of a text that is made by concatenation. */
  charactersWritten: 256,
  /** Characters or bytes that are converted to another type. */
  charactersConverted: 48,
  /** Characters of a text that is parsed as a time or as a duration. */
  charactersOfTimes: 4,
  /** Pairs of values that are compared for equality. */
  elementsCompared: 4,
  /** Elements or entries of a list or map that is made. */
  elementsWritten: 8,
  /** Keys of a map that are listed. */
  keysListed: 4,
  /** Bytes of the JSON text of a result. A value that occurs twice counts twice. */
  bytesOfJson: 128,
  /** Characters of a text times the size of the pattern that it is matched against. */
  matching: 64,
  /** Characters of a computed pattern, the size of that pattern, and the ranges of its classes of Unicode. */
  patterns: 1,
} as const;

/** The steps of a call that takes longer than a part of an expression, with any arguments. */
export const STEPS_PER_CALL = {
  /** A field of a time, or the text of a value that is not a string. */
  calendar: 1,
  /** A field of a time in a time zone with a name. */
  zone: 60,
  /** A text that is matched, in addition to its size and that of the pattern. */
  match: 3,
  /** A computed pattern that is compiled, in addition to its size: its program and the first states of its automaton. */
  pattern: 32,
} as const;

/** The largest size that a pattern may have ({@link patternSize}). */
export const MAX_PATTERN_SIZE = 5_000;

/**
 * The largest total size of the constant patterns of one collector. Each pattern also counts the ranges of its classes of
 * Unicode, and {@link PATTERN_OVERHEAD}.
 */
export const MAX_PATTERNS_SIZE = 10_000;

/** What a pattern counts in addition to its size if many are kept, because even a small automaton takes memory. */
export const PATTERN_OVERHEAD = 50;

/** How deeply lists and maps may be nested if a value is compared or returned. */
export const MAX_VALUE_DEPTH = 1_000;
