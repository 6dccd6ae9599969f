import type { DirtyMessage } from '#shared/messages/dirty.ts';
import { aggregateBinding, followMembers } from './binding.ts';
import { aggregateCollector } from './collector.ts';
import type { AggregateDeps } from './deps.ts';
import { sweepSource } from './sweep.ts';
import { aggregateWorkload } from './workload.ts';

type SubjectMessage = Extract<DirtyMessage, { type: 'subject' }>;

async function aggregateSubject(
  deps: AggregateDeps,
  messages: readonly SubjectMessage[],
): Promise<void> {
  const subject = messages[0]?.subject;
  const wecs = new Set(messages.flatMap((message) => message.wecs ?? []));
  const isSilenceAlone = messages.every((message) => message.silence === true);
  switch (subject?.type) {
    case 'workload':
      return aggregateWorkload(deps, subject, isSilenceAlone ? 'silence' : [...wecs]);
    case 'binding':
      return aggregateBinding(deps, subject);
    case 'collector':
      return aggregateCollector(deps, subject);
    case undefined:
      return;
  }
}

/**
 * Handles the messages of one group as one piece of work: a subject is aggregated once, for all rows that the messages
 * name; pages are followed one after the other.
 */
export async function handleDirty(
  deps: AggregateDeps,
  messages: readonly DirtyMessage[],
): Promise<void> {
  for (const message of messages) {
    if (message.type === 'members') await followMembers(deps, message);
    if (message.type === 'sweep') await sweepSource(deps, message);
  }
  await aggregateSubject(
    deps,
    messages.filter((message) => message.type === 'subject'),
  );
}
