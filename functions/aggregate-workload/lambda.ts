import { type DirtyMessage, dirtyGroup, parseDirty } from '#shared/messages/dirty.ts';
import { createSqsHandler, type Observability, type SqsHandler } from '#shared/runtime/batch.ts';
import { type LogFields, subjectFields } from '#shared/runtime/subject-fields.ts';
import type { AggregateDeps } from './deps.ts';
import { createSuspects } from './set-aside.ts';
import { handleDirty } from './use-case.ts';

function fieldsOf(message: DirtyMessage): LogFields {
  switch (message.type) {
    case 'subject':
      return subjectFields(message.subject);
    case 'members':
      return { wds: message.wds, binding: message.binding };
    case 'sweep':
      return { [message.source.type]: message.source.name };
    case 'fleet-inventory':
      return { fleet: message.upstream, namespace: message.namespace };
  }
}

/**
 * The function behind the queue of dirty subjects.
 *
 * @param options.namesSuspects whether the poller of the queue tries suspects apart. Lambda's does not
 */
export function createAggregateWorkload(
  deps: AggregateDeps,
  observability: Observability,
  { namesSuspects = false }: { readonly namesSuspects?: boolean } = {},
): SqsHandler {
  return createSqsHandler(
    {
      parse: parseDirty,
      groupOf: dirtyGroup,
      fieldsOf,
      handle: (messages) => handleDirty(deps, messages),
      suspects: createSuspects(deps, handleDirty),
      namesSuspects,
    },
    observability,
  );
}
