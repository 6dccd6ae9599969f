import { noFleet, type WriteDeps } from '#functions/write-results/deps.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';

const EMPTY_STORE: ItemStore = {
  get: async (keys) => keys.map(() => undefined),
  query: async () => ({ items: [] }),
  put: async (puts) => puts.map(() => true),
  delete: async (deletes) => deletes.map(() => true),
};

const NO_QUEUE: MessageQueue = {
  send: async () => {},
  receive: async () => [],
  delete: async () => {},
  changeVisibility: async () => {},
};

/** The dependencies of the writer, if nothing was written before and messages have no receiver. */
export function writeDeps(api: ObjectApi, nowMs: number): WriteDeps {
  return {
    store: EMPTY_STORE,
    dirty: NO_QUEUE,
    wds: () => api,
    fleet: noFleet,
    clock: () => nowMs,
  };
}
