/** Turns of the event loop after which everything that needs no time has run: middleware takes more than one. */
const TURNS = 4;

/**
 * Virtual time for many sleepers: as test/fakes/virtual-time.ts, with an order of sleepers that stays cheap for millions
 * of sleeps.
 */
export class EventClock {
  #now: number;
  /** Sleepers by the time at which they wake. */
  readonly #sleepers = new Map<number, (() => void)[]>();
  /** The times in it, as a binary heap. */
  readonly #times: number[] = [];

  /** @param startMs milliseconds since the epoch */
  constructor(startMs: number) {
    this.#now = startMs;
  }

  readonly now = (): number => this.#now;

  readonly sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const end = (): void => {
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const at = this.#now + ms;
      const sleepers = this.#sleepers.get(at);
      if (sleepers === undefined) {
        this.#sleepers.set(at, [end]);
        this.#push(at);
      } else sleepers.push(end);
      signal?.addEventListener('abort', end);
    });

  /** Lets so much time pass. */
  async run(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await this.#settle();
      const next = this.#times[0];
      if (next === undefined || next > end) break;
      this.#wake(next);
    }
    this.#now = end;
  }

  /** Lets as much time pass as something takes, and no more. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const end = (): void => {
      done = true;
    };
    work.then(end, end);
    for (;;) {
      await this.#settle();
      if (done) return work;
      const next = this.#times[0];
      if (next !== undefined) this.#wake(next);
    }
  }

  /** Lets everything run that needs no time. */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }

  #wake(at: number): void {
    this.#pop();
    const sleepers = this.#sleepers.get(at) ?? [];
    this.#sleepers.delete(at);
    this.#now = at;
    for (const end of sleepers) end();
  }

  #push(time: number): void {
    const heap = this.#times;
    let index = heap.length;
    heap.push(time);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent] ?? time;
      if (above <= time) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = time;
  }

  #pop(): void {
    const heap = this.#times;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const right = left + 1;
      const [a = Number.POSITIVE_INFINITY, b = Number.POSITIVE_INFINITY] = [
        heap[left],
        heap[right],
      ];
      const child = b < a ? right : left;
      const below = Math.min(a, b);
      if (below >= last) break;
      heap[index] = below;
      index = child;
    }
    heap[index] = last;
  }
}
