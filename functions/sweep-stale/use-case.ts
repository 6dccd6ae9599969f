import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { type Subject, sourcePartition, subjectPartition } from '#shared/core/subject.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { Item, ItemStore } from '#shared/ports/item-store.ts';
import { readHeartbeats } from '#shared/state/heartbeats.ts';
import { parseReportedEntry, RANGE, range } from '#shared/state/keys.ts';
import { pages } from '#shared/state/pages.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import { type SettleSilenceDeps, settleSilence } from './settle-silence.ts';

/** What the sweep needs of the world. */
export interface SweepStaleDeps extends SettleSilenceDeps {
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

/** Entries of what WECs have said: what they speak of, each once, and the keys of those that cannot be read. */
interface Entries {
  readonly subjects: Map<string, Subject>;
  readonly unreadable: Set<string>;
}

function addEntry({ subjects, unreadable }: Entries, { pk, sk }: Item): void {
  const subject = parseReportedEntry(sk)?.subject;
  if (subject === undefined) unreadable.add(`${pk} ${sk}`);
  else subjects.set(subjectPartition(subject), subject);
}

/** The workload objects on which these WECs have rows. */
async function workloadsOf(store: ItemStore, wecs: readonly Silence[]): Promise<Entries> {
  const found: Entries = { subjects: new Map(), unreadable: new Set() };
  for (const { name } of wecs) {
    const entries = range(sourcePartition({ type: 'wec', name }), RANGE.reported);
    for await (const items of pages(store, entries))
      for (const item of items) addEntry(found, item);
  }
  return found;
}

/**
 * Finds the WECs whose forwarders have sent no heartbeat for longer than the limit, and those that speak again, and tells
 * the workload objects on which they have rows (docs/architecture.md, section 9.9). Level-triggered: what an earlier
 * run has found and not told is told now, so a crash at any point is made good by the next run. Any number may run at a
 * time.
 *
 * An entry that cannot be read keeps nobody from being told. While nothing changes it reads one small item for each WEC,
 * and one more for each silent one, and does nothing else.
 */
export async function sweepStale(deps: SweepStaleDeps): Promise<SweepStaleOutcome> {
  const { clock, limitMs = SILENCE_LIMIT_MS } = deps;
  const nowMs = clock();
  const heartbeats = await readHeartbeats(deps.store);
  const unreadable: string[] = [];
  const told = await settleSilence(deps, {
    heard: heartbeats.map(({ wec, version, heardMs }) => ({
      name: wec,
      version,
      silent: isSilent(heardMs, nowMs, limitMs),
    })),
    stored: await readSilence(deps.store),
    messages: async (held, cause) => {
      const found = await workloadsOf(deps.store, held);
      unreadable.push(...found.unreadable);
      return [...found.subjects.values()].map((subject) =>
        encodeDirty({ type: 'subject', subject, silence: true }, cause),
      );
    },
  });
  const named = (silent: boolean): readonly string[] =>
    told.filter((entry) => entry.silent === silent).map(({ name }) => name);
  return { silent: named(true), speaking: named(false), unreadable };
}
