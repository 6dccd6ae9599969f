declare module 'minimatch' {
  /** Whether a text matches a pattern. */
  function minimatch(text: string, pattern: string): boolean;
  export = minimatch;
}
