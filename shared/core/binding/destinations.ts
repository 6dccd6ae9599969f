/** A list of WECs that a Binding sends to: made once, used for every workload object of the Binding. */
export interface Destinations {
  /** Names the content. */
  readonly hash: string;
  /** Sorted, each once. */
  readonly names: readonly string[];
  readonly set: ReadonlySet<string>;
}

/** The destinations of some names. */
export function createDestinations(hash: string, names: readonly string[]): Destinations {
  return { hash, names, set: new Set(names) };
}
