/** Gives equal texts one instance, so that many sets of the same names need little memory. */
export type Intern = (text: string) => string;

const MAX_INTERNED = 100_000;

/** Creates an {@link Intern}. It forgets all texts when it has too many, which only costs memory. */
export function createIntern(): Intern {
  const texts = new Map<string, string>();
  return (text) => {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size >= MAX_INTERNED) texts.clear();
    texts.set(text, text);
    return text;
  };
}

/** The names of the objects that the client of a watch has, in families that may be removed together. */
export class KnownNames {
  readonly #intern: Intern;
  readonly #families = new Map<string, Set<string>>();

  constructor(intern: Intern) {
    this.#intern = intern;
  }

  /** @returns whether the client did not have it */
  add(family: string, name: string): boolean {
    const names = this.#families.get(family) ?? new Set();
    const before = names.size;
    if (before === 0) this.#families.set(this.#intern(family), names);
    names.add(this.#intern(name));
    return names.size > before;
  }

  /** @returns whether the client had it */
  delete(family: string, name: string): boolean {
    const names = this.#families.get(family);
    const had = names?.delete(name) ?? false;
    if (names?.size === 0) this.#families.delete(family);
    return had;
  }

  /** Whether the client has it. */
  has(family: string, name: string): boolean {
    return this.#families.get(family)?.has(name) === true;
  }

  /** The names of a family that the client has. */
  names(family: string): readonly string[] {
    return [...(this.#families.get(family) ?? [])];
  }
}
