import { type DirtyMessage, encodeHint } from '#shared/messages/dirty.ts';
import { aggregateBinding, followMembers } from './binding.ts';
import { aggregateCollector } from './collector.ts';
import type { AggregateDeps } from './deps.ts';
import { sweepSource } from './sweep.ts';
import { aggregateWorkload } from './workload.ts';

type SubjectMessage = Extract<DirtyMessage, { type: 'subject' }>;

/** What shall stand is known now, so the writer can tell whether a CombinedStatus that somebody made is among it. */
async function tellOfStrays(
  deps: AggregateDeps,
  messages: readonly SubjectMessage[],
): Promise<void> {
  for (const { subject, strays: objects = [] } of messages)
    if (objects.length > 0) {
      const names = objects.map(({ namespace, name }) => `${namespace}/${name}`);
      await deps.hints.send([encodeHint({ subject, objects }, `strays ${names.join(' ')}`)]);
    }
}

async function aggregateSubject(
  deps: AggregateDeps,
  messages: readonly SubjectMessage[],
): Promise<void> {
  const subject = messages[0]?.subject;
  const wecs = new Set(messages.flatMap((message) => message.wecs ?? []));
  const isSilenceAlone = messages.every((message) => message.silence === true);
  switch (subject?.type) {
    case 'workload':
      await aggregateWorkload(deps, subject, isSilenceAlone ? 'silence' : [...wecs]);
      return tellOfStrays(deps, messages);
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
