import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';

/** What writing needs of the world. */
export interface WriteDeps {
  readonly store: ItemStore;
  readonly dirty: MessageQueue;
  /** The API server of a WDS; throws UnknownWdsError for a name that is not configured. */
  readonly wds: (name: string) => ObjectApi;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** How often a write starts again before it leaves the work to a later delivery. */
export const MAX_ATTEMPTS = 10;
