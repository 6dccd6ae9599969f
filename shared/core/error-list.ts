/** A status lists at most this many errors, and gives the number of the others. */
export const MAX_ERRORS = 100;
/** At most this much of a text is kept, because a text may quote user input. */
const MAX_CHARACTERS = 1000;

/** A text, or its first characters (UTF-16 code units) and an ellipsis. */
export function boundedText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // Half of a surrogate pair is not kept.
  return `${text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Errors in the form of `status.errors`: in the given order, each of at most 1,000 characters. Beyond 100 errors, only
 * their number is given (docs/architecture.md, section 8).
 */
export function boundedErrors(errors: readonly string[]): readonly string[] {
  const listed = errors.slice(0, MAX_ERRORS).map((text) => boundedText(text, MAX_CHARACTERS));
  const others = errors.length - listed.length;
  return others > 0 ? [...listed, `and ${others} more errors`] : listed;
}
