import type { ResourceApi, WatchEvent } from '#shared/ports/kubernetes-api.ts';

/** What a reader says of its watch. */
export type WatchOptions = Parameters<ResourceApi['watch']>[1];

/** One reader's part of a watch that several share. */
export class WatchReader {
  readonly #options: WatchOptions;
  readonly #end = Promise.withResolvers<void>();
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** As `ResourceApi.watch` ends. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  opened(): void {
    this.#call(() => this.#options.onOpen?.());
  }

  tell(event: WatchEvent): void {
    const { reduce = (object) => object, onEvent } = this.#options;
    this.#call(() =>
      onEvent(event.type === 'BOOKMARK' ? event : { ...event, object: reduce(event.object) }),
    );
  }

  /** @param error absent: it ends as if the server had ended it */
  end(error?: unknown): void {
    this.#isOver = true;
    if (error === undefined) this.#end.resolve();
    else this.#end.reject(error);
  }

  /** What the reader throws ends its own watch, and no other. */
  #call(callback: () => void): void {
    // Another reader, told of the same, may have stopped this one.
    if (this.#isOver) return;
    try {
      callback();
    } catch (error) {
      this.end(error);
    }
  }
}
