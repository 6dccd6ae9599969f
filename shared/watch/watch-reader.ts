import type { ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';

/** The options of the watch of a reader. */
export type WatchOptions = Parameters<ResourceApi['watch']>[1];

/** The part of one reader in a watch that several readers share. */
export class WatchReader {
  readonly #options: WatchOptions;
  readonly #end = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Settles like `ResourceApi.watch`. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  opened(): void {
    this.#call(() => this.#options.onOpen?.());
  }

  notify(event: WatchEvent): void {
    const { reduce = (object) => object, onEvent } = this.#options;
    this.#call(() =>
      onEvent(event.type === 'BOOKMARK' ? event : { ...event, object: reduce(event.object) }),
    );
  }

  /** @param error absent: the watch ends as if the server had ended it */
  end(error?: unknown): void {
    this.#isOver = true;
    if (error === undefined) this.#end.resolve();
    else this.#end.reject(error);
  }

  /** Calls the reader. An error of the reader ends only its own watch. */
  #call(callback: () => void): void {
    // Another reader may have stopped this one on the same event.
    if (this.#isOver) return;
    try {
      callback();
    } catch (error) {
      this.end(error);
    }
  }
}
