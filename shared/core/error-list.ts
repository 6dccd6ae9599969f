/** A status lists so many errors at most, and says how many more there are. */
const MAX_ERRORS = 100;
/** So much of a text stands there: it may quote what somebody wrote. */
const MAX_CHARACTERS = 1000;

/** A text, or so many of its characters (UTF-16 code units) and an ellipsis. */
export function boundedText(text: string, characters: number): string {
  if (text.length <= characters) return text;
  // Half of a character is none.
  return `${text.slice(0, characters).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Errors as a `status.errors` lists them: in their order, beyond 100 their number alone, each of at most 1,000 characters
 * (docs/architecture.md, section 8).
 */
export function boundedErrors(errors: readonly string[]): readonly string[] {
  const listed = errors.slice(0, MAX_ERRORS).map((text) => boundedText(text, MAX_CHARACTERS));
  const others = errors.length - listed.length;
  return others > 0 ? [...listed, `and ${others} more errors`] : listed;
}
