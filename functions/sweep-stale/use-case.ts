import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { type Heartbeat, readHeartbeats } from '#shared/state/heartbeats.ts';
import {
  parseSeenEntry,
  RANGE,
  range,
  type Subject,
  sourcePartition,
  subjectPartition,
} from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { putSilence, readSilence, type Silence } from '#shared/state/silence.ts';

/** What the sweep needs of the world. */
export interface SweepStaleDeps {
  readonly store: ItemStore;
  readonly dirty: MessageQueue;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** How long a WEC may say nothing, in milliseconds. Default: {@link SILENCE_LIMIT_MS}. */
  readonly limitMs?: number;
}

/** What a sweep has done. */
export interface SweepStaleOutcome {
  /** Names of the WECs of which it has told that their silence began, and that it ended. */
  readonly silent: readonly string[];
  readonly speaking: readonly string[];
  /** Keys of entries that cannot be read: what they speak of has not been told. */
  readonly unreadable: readonly string[];
}

/** So many WECs are told of together: a workload that runs in several of them is told once. */
const BATCH_SIZE = 100;

/** What is to be stored and told of a WEC; `undefined`: nothing, it is as it was. */
function changeOf(
  { wec, version, heardMs }: Heartbeat,
  stored: Silence | undefined,
  rule: { readonly nowMs: number; readonly limitMs: number },
): Silence | undefined {
  const silent = isSilent(heardMs, rule.nowMs, rule.limitMs);
  const isKnown = (stored?.silent ?? false) === silent && (stored?.told ?? true);
  return isKnown ? undefined : { wec, heartbeat: version, silent, told: false };
}

/** Entries of what WECs have said: what they speak of, each once, and the keys of those that cannot be read. */
interface Entries {
  readonly subjects: Map<string, Subject>;
  readonly unreadable: Set<string>;
}

function addEntry({ subjects, unreadable }: Entries, { pk, sk }: Item): void {
  const subject = parseSeenEntry(sk)?.subject;
  if (subject === undefined) unreadable.add(`${pk} ${sk}`);
  else subjects.set(subjectPartition(subject), subject);
}

/** The workload objects on which these WECs have rows. */
async function workloadsOf(store: ItemStore, wecs: readonly Silence[]): Promise<Entries> {
  const found: Entries = { subjects: new Map(), unreadable: new Set() };
  for (const { wec } of wecs) {
    const entries = range(sourcePartition({ type: 'wec', name: wec }), RANGE.seen);
    for await (const items of pages(store, entries))
      for (const item of items) addEntry(found, item);
  }
  return found;
}

/** What was told of, and what could not be read on the way. */
interface Settled {
  readonly told: readonly Silence[];
  readonly unreadable: Iterable<string>;
}

/** Stores what was found, tells, and only then notes that it was told. */
async function settle(deps: SweepStaleDeps, changes: readonly Silence[]): Promise<Settled> {
  const held = await putSilence(deps.store, changes, deps.clock());
  if (held.length === 0) return { told: [], unreadable: [] };
  const cause = held.map(({ wec, heartbeat, silent }) => `${wec}@${heartbeat} ${silent}`).join(' ');
  const { subjects, unreadable } = await workloadsOf(deps.store, held);
  if (subjects.size > 0)
    await deps.dirty.send(
      [...subjects.values()].map((subject) =>
        encodeDirty({ type: 'subject', subject, silence: true }, cause),
      ),
    );
  const told = held.map((entry) => ({ ...entry, told: true }));
  await putSilence(deps.store, told, deps.clock());
  return { told: held, unreadable };
}

/**
 * Finds the WECs whose forwarders have sent no heartbeat for longer than the limit, and those that speak again, and tells
 * the workload objects on which they have rows (design, section 9.9). Level-triggered: what an earlier run has found and
 * not told is told now, so a crash at any point is made good by the next run. Any number may run at a time.
 *
 * An entry that cannot be read keeps nobody from being told. While nothing changes it reads one small item for each WEC, and one more for each silent one, and does nothing else.
 */
export async function sweepStale(deps: SweepStaleDeps): Promise<SweepStaleOutcome> {
  const rule = { nowMs: deps.clock(), limitMs: deps.limitMs ?? SILENCE_LIMIT_MS };
  const heartbeats = await readHeartbeats(deps.store);
  const stored = await readSilence(deps.store);
  const changes = heartbeats.flatMap(
    (heartbeat) => changeOf(heartbeat, stored.get(heartbeat.wec), rule) ?? [],
  );
  const told: Silence[] = [];
  const unreadable: string[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE) {
    const settled = await settle(deps, changes.slice(from, from + BATCH_SIZE));
    told.push(...settled.told);
    unreadable.push(...settled.unreadable);
  }
  const named = (silent: boolean): readonly string[] =>
    told.filter((entry) => entry.silent === silent).map(({ wec }) => wec);
  return { silent: named(true), speaking: named(false), unreadable };
}
