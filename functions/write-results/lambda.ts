import { createSqsHandler, type Observability, type SqsHandler } from '#functions/sqs/batch.ts';
import { parseHint } from '#shared/messages/dirty.ts';
import { subjectPartition } from '#shared/state/keys.ts';
import type { WriteDeps } from './deps.ts';
import { writeResults } from './use-case.ts';

/** The function behind the queue of hints. */
export function createWriteResults(deps: WriteDeps, observability: Observability): SqsHandler {
  return createSqsHandler(
    {
      parse: parseHint,
      groupOf: (hint) => subjectPartition(hint.subject),
      handle: (hints) => writeResults(deps, hints),
    },
    observability,
  );
}
