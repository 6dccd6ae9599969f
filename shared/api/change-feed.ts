import type { Changes, StatusSource } from '#shared/ports/status-source.ts';

const MAX_SHARED = 256;
const RETRY_MS = 1_000;

/** What {@link ChangeFeed} needs. */
export interface ChangeFeedOptions {
  readonly source: Pick<StatusSource, 'changes' | 'revision' | 'subscribe'>;
  /** Called if the source cannot be read. It is read again after a second. */
  readonly onError: (error: unknown) => void;
  /** How many of the last batches of changes are shared. A watch that lags by more reads its changes itself, all at once. */
  readonly maxShared?: number;
}

/**
 * The changes of a source, read once for all watches. It keeps the last batches by the revision after which they begin. A watch
 * only remembers its revision, so a client that does not read holds no memory here: when it reads again, it continues from the
 * shared batches, or from the source, or it is told that it is too late (410).
 *
 * The source is followed only as long as there is a watch.
 */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #batches = new Map<number, Changes>();
  readonly #wakes = new Set<() => void>();
  /** The revision up to which the shared batches reach. */
  #head = 0;
  #unsubscribe: (() => void) | undefined;
  #isReading = false;
  #isStale = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
  }

  /**
   * Begins to follow the source for a watch.
   *
   * @param wake called whenever {@link ChangeFeed.after} may have more
   * @returns ends it
   */
  async join(wake: () => void): Promise<() => void> {
    this.#wakes.add(wake);
    if (this.#unsubscribe === undefined) this.#follow();
    const leave = (): void => this.#leave(wake);
    try {
      // Every revision that a client can have got before is below this one.
      const revision = await this.#options.source.revision();
      if (this.#head === 0) this.#head = revision;
    } catch (error) {
      leave();
      throw error;
    }
    this.#read();
    return leave;
  }

  #follow(): void {
    this.#head = 0;
    this.#batches.clear();
    this.#unsubscribe = this.#options.source.subscribe(() => this.#read());
  }

  #leave(wake: () => void): void {
    this.#wakes.delete(wake);
    if (this.#wakes.size > 0) return;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    clearTimeout(this.#retry);
    this.#retry = undefined;
  }

  /**
   * The changes after a revision, at most those that are known to all watches. `none` if there are none yet. `expired` if the
   * source does not know all of them any more.
   */
  async after(revision: number, signal: AbortSignal): Promise<Changes | 'none' | 'expired'> {
    const shared = this.#batches.get(revision);
    if (shared !== undefined) return shared;
    const head = this.#head;
    if (revision >= head) return 'none';
    const own = await this.#options.source.changes(revision, signal);
    if (own === undefined) return 'expired';
    // What is later comes with the next shared batch again, so that this watch reads with the others from now on. It may have
    // changed before as well, which is not known any more.
    const changed = own.changed.map((one) => ({
      ...one,
      revision: Math.min(one.revision, head),
    }));
    return { revision: Math.min(own.revision, head), changed };
  }

  /** Reads what has changed, once at a time. */
  #read(): void {
    this.#isStale = true;
    if (this.#isReading || this.#head === 0) return;
    this.#isReading = true;
    void this.#readAll();
  }

  async #readAll(): Promise<void> {
    try {
      while (this.#isStale && this.#unsubscribe !== undefined) {
        this.#isStale = false;
        await this.#readOne();
      }
    } catch (error) {
      this.#options.onError(error);
      this.#retry = setTimeout(() => this.#read(), RETRY_MS);
      this.#retry.unref();
    } finally {
      // At once after the last look at #isStale, so that no call is missed.
      this.#isReading = false;
    }
  }

  async #readOne(): Promise<void> {
    const { source } = this.#options;
    const from = this.#head;
    const batch = await source.changes(from);
    if (batch === undefined) this.#head = await source.revision();
    else if (batch.revision > from) {
      this.#batches.set(from, batch);
      this.#head = batch.revision;
      this.#forget();
    } else return;
    for (const wake of this.#wakes) wake();
  }

  #forget(): void {
    const { maxShared = MAX_SHARED } = this.#options;
    for (const first of this.#batches.keys()) {
      if (this.#batches.size <= maxShared) return;
      this.#batches.delete(first);
    }
  }
}
