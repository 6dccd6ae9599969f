import type { ItemStore } from '#shared/ports/item-store.ts';

/** What a function asks of its ports. */
export interface FunctionCalls {
  /** Methods of the item store. */
  readonly store: readonly (keyof ItemStore)[];
  /** Queues that it sends to. */
  readonly sends: readonly string[];
  /** The queue that feeds it through an event source mapping. */
  readonly fedBy?: string;
  /** Queues that it receives from by itself. */
  readonly receives?: readonly string[];
}

/**
 * The calls of each function. `test/simulation/calls.test.ts` holds it against what the functions really do, and
 * `test/unit/infra/iam.test.ts` the roles against it.
 */
export const FUNCTION_CALLS: Readonly<Record<string, FunctionCalls>> = {
  'record-events': {
    store: ['get', 'put', 'query', 'delete'],
    sends: ['DirtyQueue', 'HintsQueue', 'EventsDeadLetterQueue'],
    fedBy: 'EventsQueue',
  },
  'aggregate-workload': {
    store: ['get', 'put', 'query', 'delete'],
    sends: ['DirtyQueue', 'HintsQueue', 'NotificationsQueue'],
    fedBy: 'DirtyQueue',
  },
  'write-results': {
    store: ['get', 'put', 'query', 'delete'],
    sends: ['DirtyQueue', 'NotificationsQueue'],
    fedBy: 'HintsQueue',
  },
  'sweep-stale': {
    store: ['get', 'put', 'query', 'delete'],
    sends: ['EventsQueue', 'DirtyQueue', 'HintsQueue', 'NotificationsQueue'],
    receives: [
      ...['EventsDeadLetterQueue', 'DirtyDeadLetterQueue', 'HintsDeadLetterQueue'],
      'NotificationsDeadLetterQueue',
    ],
  },
  'send-notifications': {
    store: ['get', 'put'],
    sends: ['NotificationsQueue', 'NotificationsDeadLetterQueue'],
    fedBy: 'NotificationsQueue',
  },
  'serve-api': { store: ['get', 'query'], sends: [] },
};
