import { isSilent, SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { type Heartbeat, readHeartbeats } from '#shared/state/heartbeats.ts';
import { parseSeenKey, parseSubject, RANGE, range, sourcePartition } from '#shared/state/keys.ts';
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

/** Names of the WECs of which a sweep has told that their silence began or ended. */
export interface SweepStaleOutcome {
  readonly silent: readonly string[];
  readonly speaking: readonly string[];
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

/** Partitions of the workload objects on which these WECs have rows, each once. */
async function workloadsOf(
  store: ItemStore,
  wecs: readonly Silence[],
): Promise<ReadonlySet<string>> {
  const partitions = new Set<string>();
  for (const { wec } of wecs) {
    const entries = range(sourcePartition({ type: 'wec', name: wec }), RANGE.seen);
    for await (const items of pages(store, entries))
      for (const { sk } of items) partitions.add(parseSeenKey(sk).pk);
  }
  return partitions;
}

/** Stores what was found, tells, and only then notes that it was told; returns what was told. */
async function settle(
  deps: SweepStaleDeps,
  changes: readonly Silence[],
): Promise<readonly Silence[]> {
  const held = await putSilence(deps.store, changes, deps.clock());
  if (held.length === 0) return [];
  const cause = held.map(({ wec, heartbeat, silent }) => `${wec}@${heartbeat} ${silent}`).join(' ');
  const partitions = await workloadsOf(deps.store, held);
  if (partitions.size > 0)
    await deps.dirty.send(
      [...partitions].map((pk) =>
        encodeDirty({ type: 'subject', subject: parseSubject(pk), silence: true }, cause),
      ),
    );
  const told = held.map((entry) => ({ ...entry, told: true }));
  await putSilence(deps.store, told, deps.clock());
  return held;
}

/**
 * Finds the WECs whose forwarders have sent no heartbeat for longer than the limit, and those that speak again, and tells
 * the workload objects on which they have rows (design, section 9.9). Level-triggered: what an earlier run has found and
 * not told is told now, so a crash at any point is made good by the next run. Any number may run at a time.
 *
 * While nothing changes it reads one small item for each WEC, and one more for each silent one, and does nothing else.
 */
export async function sweepStale(deps: SweepStaleDeps): Promise<SweepStaleOutcome> {
  const rule = { nowMs: deps.clock(), limitMs: deps.limitMs ?? SILENCE_LIMIT_MS };
  const heartbeats = await readHeartbeats(deps.store);
  const stored = await readSilence(deps.store);
  const changes = heartbeats.flatMap(
    (heartbeat) => changeOf(heartbeat, stored.get(heartbeat.wec), rule) ?? [],
  );
  const told: Silence[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE)
    told.push(...(await settle(deps, changes.slice(from, from + BATCH_SIZE))));
  const named = (silent: boolean): readonly string[] =>
    told.filter((entry) => entry.silent === silent).map(({ wec }) => wec);
  return { silent: named(true), speaking: named(false) };
}
