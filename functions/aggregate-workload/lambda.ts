import { createSqsHandler, type Observability, type SqsHandler } from '#functions/sqs/batch.ts';
import { dirtyGroup, parseDirty } from '#shared/messages/dirty.ts';
import type { AggregateDeps } from './deps.ts';
import { handleDirty } from './use-case.ts';

/** The function behind the queue of dirty subjects. */
export function createAggregateWorkload(
  deps: AggregateDeps,
  observability: Observability,
): SqsHandler {
  return createSqsHandler(
    {
      parse: parseDirty,
      groupOf: dirtyGroup,
      handle: (messages) => handleDirty(deps, messages),
    },
    observability,
  );
}
