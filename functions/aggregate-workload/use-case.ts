import { type DirtyMessage, earliestChange, encodeHint } from '#shared/messages/dirty.ts';
import { parseRowName } from '#shared/state/fleet/fleet-rows.ts';
import type { Subject } from '#shared/state/keys.ts';
import { aggregateBinding, followMembers } from './binding.ts';
import { aggregateCollector } from './collector.ts';
import type { AggregateDeps } from './deps.ts';
import { aggregateFleet } from './fleet/aggregate-fleet.ts';
import { walkInventory } from './fleet/inventory-walk.ts';
import { sweepSource } from './sweep.ts';
import { aggregateWorkload } from './workload.ts';

type SubjectMessage = Extract<DirtyMessage, { type: 'subject' }>;

/** What shall stand is known now, so the writer can tell whether a CombinedStatus that somebody made is among it. */
async function tellOfStrays(
  deps: AggregateDeps,
  messages: readonly SubjectMessage[],
): Promise<void> {
  for (const message of messages) {
    const { subject, strays: objects = [] } = message;
    if (objects.length > 0) {
      const names = objects.map(({ namespace, name }) => `${namespace}/${name}`);
      const hint = { subject, objects, ...earliestChange([message]) };
      await deps.hints.send([encodeHint(hint, `strays ${names.join(' ')}`)]);
    }
  }
}

async function aggregateSubject(
  deps: AggregateDeps,
  subject: Subject,
  messages: readonly SubjectMessage[],
): Promise<void> {
  const change = earliestChange(messages);
  switch (subject.type) {
    case 'workload': {
      const isSilenceAlone =
        deps.anew === undefined && messages.every((message) => message.silence === true);
      const wecs = new Set(messages.flatMap((message) => message.wecs ?? []));
      await aggregateWorkload(deps, subject, {
        rows: isSilenceAlone ? 'silence' : [...wecs],
        change,
      });
      return tellOfStrays(deps, messages);
    }
    case 'binding':
      return aggregateBinding(deps, subject, change);
    case 'collector':
      return aggregateCollector(deps, subject, change);
    case 'fleet': {
      const rows = new Set(messages.flatMap((message) => message.rows ?? []));
      return aggregateFleet(deps, subject, {
        rows: [...rows].flatMap((row) => parseRowName(row) ?? []),
        change,
      });
    }
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
    if (message.type === 'fleet-inventory') await walkInventory(deps, message);
  }
  const told = messages.filter((message) => message.type === 'subject');
  const [first] = told;
  if (first === undefined) return;
  await aggregateSubject(deps, first.subject, told);
  const coalesced = told.length - 1;
  if (coalesced > 0) deps.telemetry.count('EventsCoalesced', coalesced);
}
