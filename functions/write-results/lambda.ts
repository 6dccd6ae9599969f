import { createSqsHandler, type Observability, type SqsHandler } from '#functions/sqs/batch.ts';
import { subjectFields } from '#functions/sqs/subject-fields.ts';
import { parseHint } from '#shared/messages/dirty.ts';
import { subjectPartition } from '#shared/state/keys.ts';
import type { WriteResultsDeps } from './deps.ts';
import { writeResults } from './use-case.ts';

/** The function behind the queue of hints. */
export function createWriteResults(
  deps: WriteResultsDeps,
  observability: Observability,
): SqsHandler {
  return createSqsHandler(
    {
      parse: parseHint,
      groupOf: (hint) => subjectPartition(hint.subject),
      fieldsOf: (hint) => subjectFields(hint.subject),
      handle: (hints) => writeResults(deps, hints),
    },
    observability,
  );
}
