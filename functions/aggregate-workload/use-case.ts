import { type Subject, sourcePartition } from '#shared/core/subject.ts';
import { earliestChange } from '#shared/messages/change-time.ts';
import {
  type DirtyMessage,
  encodeDirty,
  encodeHint,
  type FoldedShards,
} from '#shared/messages/dirty.ts';
import { subjectFields } from '#shared/runtime/subject-fields.ts';
import { parseRowName } from '#shared/state/fleet/fleet-rows.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import { aggregateBinding, followMembers } from './binding.ts';
import { aggregateCollector } from './collector.ts';
import type { AggregateDeps } from './deps.ts';
import { aggregateFleet } from './fleet.ts';
import { REST_LEFT } from './messages.ts';
import { FoldProgress } from './progress.ts';
import { sweepSource } from './sweep.ts';
import { aggregateWorkload } from './workload.ts';

type InventoryMessage = Extract<DirtyMessage, { type: 'fleet-inventory' }>;

const PAGE_SIZE = 100;

/**
 * Notifies the next page of the objects that depend on the inventory of a namespace. If there is a later change, a walk that
 * has not begun is left to that change: its token is stored, and its message will be received. So a thousand new Clusters cause
 * only a few walks.
 */
async function walkInventory(deps: AggregateDeps, message: InventoryMessage): Promise<void> {
  const { upstream, namespace, resource, token, cursor } = message;
  if (cursor === undefined && (await deps.inventories.tokenToNotify(message, resource)) !== token)
    return;
  const pk = sourcePartition({ type: 'fleet', name: upstream });
  const prefix = `${RANGE.reported}F#${upstream}/${resource}/${namespace}/`;
  const page = await deps.store.query({
    ...range(pk, prefix),
    limit: PAGE_SIZE,
    ...(cursor === undefined ? {} : { cursor }),
  });
  const change = earliestChange([message]);
  const messages = page.items.flatMap(({ sk }) => {
    const subject = parseReportedEntry(sk)?.subject;
    return subject === undefined
      ? []
      : [encodeDirty({ type: 'subject', subject, ...change }, `inventory ${token}`)];
  });
  if (messages.length > 0) await deps.dirty.send(messages);
  if (page.cursor === undefined) return;
  const next = { ...message, cursor: page.cursor };
  await deps.dirty.send([encodeDirty(next, `${token} ${resource} ${page.cursor}`)]);
}

/** Less than the timeout of an invocation, by more than the time of one shard (`MAX_OBJECT_STEPS`). */
const LATE_MS = 12_000;

type SubjectMessage = Extract<DirtyMessage, { type: 'subject' }>;

/**
 * Notifies the writer of strays. The desired result is known by now, so the writer can decide whether it contains a
 * CombinedStatus that somebody created.
 */
async function notifyOfStrays(
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

/** Leaves the remaining shards to another message, which follows the messages that already wait. */
async function goOnLater(
  deps: AggregateDeps,
  { subject, messages, progress }: Work,
  rest: readonly FoldedShards[],
): Promise<void> {
  const isOpen = (name: string | undefined): boolean => !rest.some(({ table }) => table === name);
  const rows = new Set(messages.flatMap((message) => message.rows ?? []));
  const strays = messages.flatMap((message) => message.strays ?? []);
  const message: SubjectMessage = {
    type: 'subject',
    subject,
    rest: [...rest, ...restOf(messages).filter(({ table }) => isOpen(table))],
    rows: [...rows].filter((row) => isOpen(parseRowName(row)?.family)),
    strays,
    ...earliestChange(messages),
  };
  // Only the part that was stored here has this revision, and a part that was removed is not stored again at once.
  await deps.dirty.send([encodeDirty(message, `rest ${progress.last} ${deps.clock()}`)]);
  const left = rest.flatMap((one) => one.left).length;
  deps.telemetry.info(REST_LEFT, {
    ...subjectFields(subject),
    shards: left,
  });
}

function restOf(messages: readonly SubjectMessage[]): readonly FoldedShards[] {
  return messages.flatMap((message) => message.rest ?? []);
}

/** Messages about one subject. */
interface Work {
  readonly subject: Subject;
  readonly messages: readonly SubjectMessage[];
  readonly progress: FoldProgress;
}

/** The WECs that the messages name, if nothing has changed except whether these WECs are silent. Otherwise `undefined`. */
function silenceAlone(
  { anew }: AggregateDeps,
  messages: readonly SubjectMessage[],
): readonly string[] | undefined {
  const named = messages.map(({ silence, wecs }) => (silence === true ? wecs : undefined));
  if (anew !== undefined || named.includes(undefined)) return undefined;
  return named.flatMap((wecs) => wecs ?? []);
}

async function aggregateSubject(deps: AggregateDeps, work: Work): Promise<void> {
  const { subject, messages, progress } = work;
  const change = earliestChange(messages);
  const rest = restOf(messages);
  switch (subject.type) {
    case 'workload': {
      const isSilenceAlone =
        deps.anew === undefined && messages.every((message) => message.silence === true);
      const wecs = new Set(messages.flatMap((message) => message.wecs ?? []));
      await aggregateWorkload(deps, subject, {
        rows: isSilenceAlone ? 'silence' : [...wecs],
        rest,
        progress,
        change,
      });
      if (progress.rest !== undefined) return goOnLater(deps, work, progress.rest);
      return notifyOfStrays(deps, messages);
    }
    case 'binding': {
      const silenceOf = silenceAlone(deps, messages);
      return aggregateBinding(deps, subject, { change, ...(silenceOf && { silenceOf }) });
    }
    case 'collector':
      return aggregateCollector(deps, subject, change);
    case 'fleet': {
      const rows = new Set(messages.flatMap((message) => message.rows ?? []));
      await aggregateFleet(deps, subject, {
        rows: [...rows].flatMap((row) => parseRowName(row) ?? []),
        rest,
        progress,
        change,
      });
      if (progress.rest !== undefined) await goOnLater(deps, work, progress.rest);
      return;
    }
  }
}

/**
 * Handles the messages of one group as one unit of work. A subject is aggregated once, for all rows that the messages name.
 * Pages are followed one after the other.
 */
export async function handleDirty(
  deps: AggregateDeps,
  messages: readonly DirtyMessage[],
): Promise<void> {
  const { clock, lateMs = LATE_MS } = deps;
  const startedMs = clock();
  for (const message of messages) {
    if (message.type === 'members') await followMembers(deps, message);
    if (message.type === 'sweep') await sweepSource(deps, message);
    if (message.type === 'fleet-inventory') await walkInventory(deps, message);
  }
  const ofSubject = messages.filter((message) => message.type === 'subject');
  const [first] = ofSubject;
  if (first === undefined) return;
  const progress = new FoldProgress(() => clock() - startedMs > lateMs);
  await aggregateSubject(deps, { subject: first.subject, messages: ofSubject, progress });
  const coalesced = ofSubject.length - 1;
  if (coalesced > 0) deps.telemetry.count('EventsCoalesced', coalesced);
}
