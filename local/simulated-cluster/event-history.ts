/** Anything that happened at a resourceVersion. */
export interface Versioned {
  readonly version: number;
}

/** The latest changes of one resource, oldest first, at most `capacity` of them. */
export class EventHistory<E extends Versioned> {
  readonly #capacity: number;
  #events: E[] = [];
  #first = 0;
  #forgottenUpTo = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Adds a change; its version must be greater than those before. */
  add(event: E): void {
    this.#events.push(event);
    if (this.#events.length - this.#first > this.#capacity) this.#forget(this.#first + 1);
  }

  /** The changes after a version, or `undefined` where one of them is no longer known. */
  after(version: number): readonly E[] | undefined {
    if (version < this.#forgottenUpTo) return undefined;
    let start = this.#events.length;
    while (start > this.#first && (this.#events[start - 1]?.version ?? 0) > version) start -= 1;
    return this.#events.slice(start);
  }

  /** Forgets everything up to a version, as etcd's compaction does. */
  forgetUpTo(version: number): void {
    const kept = this.#events.findIndex((event) => event.version > version);
    this.#forget(kept === -1 ? this.#events.length : Math.max(kept, this.#first));
    this.#forgottenUpTo = Math.max(this.#forgottenUpTo, version);
  }

  /** The greatest version whose event may be missing here. */
  get forgottenUpTo(): number {
    return this.#forgottenUpTo;
  }

  #forget(first: number): void {
    const last = this.#events[first - 1];
    if (last !== undefined) this.#forgottenUpTo = Math.max(this.#forgottenUpTo, last.version);
    this.#first = first;
    // Moving the rest only when half of the array is dead keeps one change at O(1) on average.
    if (this.#first * 2 > this.#events.length) {
      this.#events = this.#events.slice(this.#first);
      this.#first = 0;
    }
  }
}
