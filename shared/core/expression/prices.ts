/**
 * The steps that the expressions of one collector may take together on one row (docs/architecture.md, section 6,
 * invariant 9): some milliseconds at worst, and enough to go through a status with thousands of elements.
 */
export const MAX_STEPS = 5_000;

/** How much of each kind of work one step pays for. docs/cel.md, "Limits", says which operations do it. */
export const UNITS_PER_STEP = {
  /** Parts of an expression, for each evaluation, and for each iteration those of its body; rounded up to whole steps. */
  parts: 16,
  /** Characters or bytes that are looked at one by one. */
  charactersRead: 256,
  /** Characters of a text in which another is looked for, and of that one. */
  charactersSearched: 64,
  /** Characters that are compared for equality alone. */
  charactersCompared: 4096,
  /** Characters or bytes of a text that is made by putting two together. */
  charactersWritten: 256,
  /** Characters or bytes that are made into a value of another type. */
  charactersConverted: 64,
  /** Characters of a text that is read as a time or as a duration. */
  charactersOfTimes: 6,
  /** Pairs of values that are compared for equality. */
  elementsCompared: 8,
  /** Elements or entries of a list or map that is made. */
  elementsWritten: 8,
  /** Keys of a map that are listed. */
  keysListed: 6,
  /** Bytes of the JSON text of a result; what stands in it twice counts twice. */
  bytesOfJson: 128,
  /** Characters of a text times the size of the pattern that it is matched with. */
  matching: 64,
  /** Characters of a computed pattern, and its size. */
  patterns: 1,
} as const;

/** The steps of a call that takes longer than a part of an expression, whatever it is given. */
export const STEPS_PER_CALL = {
  /** A field of a time, or the text of a value that is none. */
  calendar: 1,
  /** A field of a time in a time zone with a name. */
  zone: 40,
} as const;

/** The largest size that a pattern may have ({@link patternSize}). */
export const MAX_PATTERN_SIZE = 5_000;

/** The largest size that the constant patterns of one collector may have together, each with {@link PATTERN_OVERHEAD}. */
export const MAX_PATTERNS_SIZE = 10_000;

/** What a pattern counts for beside its size where many are kept: its automaton takes memory, however small it is. */
export const PATTERN_OVERHEAD = 50;

/** How deep lists and maps may be nested in each other where a value is compared or given out. */
export const MAX_VALUE_DEPTH = 1_000;
