/** Elements in the order of a number: the least comes first. */
export class Heap<T> {
  readonly #rankOf: (one: T) => number;
  readonly #all: T[] = [];

  constructor(rankOf: (one: T) => number) {
    this.#rankOf = rankOf;
  }

  /** The first element, which stays. */
  get first(): T | undefined {
    return this.#all[0];
  }

  push(one: T): void {
    const all = this.#all;
    let index = all.push(one) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#rank(parent) <= this.#rank(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  pop(): T | undefined {
    const all = this.#all;
    const [first] = all;
    const last = all.pop();
    if (last === undefined || all.length === 0) return first;
    all[0] = last;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      const least = this.#rank(left + 1) < this.#rank(left) ? left + 1 : left;
      if (this.#rank(least) >= this.#rank(index)) return first;
      this.#swap(least, index);
      index = least;
    }
  }

  #rank(index: number): number {
    const one = this.#all[index];
    return one === undefined ? Number.POSITIVE_INFINITY : this.#rankOf(one);
  }

  #swap(a: number, b: number): void {
    const all = this.#all;
    const [one, other] = [all[a], all[b]];
    if (one === undefined || other === undefined) return;
    all[a] = other;
    all[b] = one;
  }
}
