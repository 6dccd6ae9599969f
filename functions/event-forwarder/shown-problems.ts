const MAX_PROBLEMS = 5;

/**
 * The first few of many problems, and how many there are besides.
 *
 * @param texts each problem in full
 * @param what has them, in the plural: `WorkStatuses`
 */
export function shownProblems(texts: readonly string[], what: string): readonly string[] {
  const shown = texts.slice(0, MAX_PROBLEMS);
  const more = texts.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more ${what}`] : shown;
}
