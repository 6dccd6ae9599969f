/** The WECs that a Binding sends to. The list is made once and used for every workload object of the Binding. */
export interface Destinations {
  /** Identifies the content. */
  readonly hash: string;
  /** Sorted, each once. */
  readonly names: readonly string[];
  readonly set: ReadonlySet<string>;
}

/** The destinations of some names. */
export function createDestinations(hash: string, names: readonly string[]): Destinations {
  return { hash, names, set: new Set(names) };
}
