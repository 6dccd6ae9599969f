import { SILENCE_LIMIT_MS } from '#shared/core/silence.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { readHeard } from '#shared/state/heard.ts';
import { readHeartbeats } from '#shared/state/heartbeats.ts';
import { readSilence } from '#shared/state/silence.ts';
import { bindingMessages } from './binding-messages.ts';
import { heardAt } from './heard-at.ts';
import { notifyOfHeard } from './notify-of-heard.ts';
import { notifyOfInventories } from './notify-of-inventories.ts';
import { notifyOfSilence } from './notify-of-silence.ts';
import { type SettleSilenceDeps, settleSilence } from './settle-silence.ts';
import { workloadsOf } from './workloads-of.ts';

/** What the sweep needs from outside. */
export interface SweepStaleDeps extends SettleSilenceDeps {
  /** How long a WEC may send no heartbeat, in milliseconds. Default: {@link SILENCE_LIMIT_MS}. */
  readonly limitMs?: number;
  /** Takes the messages about WECs whose silence has begun or ended. Absent if no rule concerns them. */
  readonly notifications?: MessageSender;
}

/** The outcome of a sweep. */
export interface SweepStaleOutcome {
  /** The names of the WECs whose silence has begun or ended, and whose subjects were notified. */
  readonly silent: readonly string[];
  readonly speaking: readonly string[];
  /** The names of the WECs whose labels or annotations have changed, and whose Bindings were notified. */
  readonly labelled: readonly string[];
  /** The keys of entries that cannot be read. Their subjects were not notified. */
  readonly unreadable: readonly string[];
}

/**
 * Finds the WECs whose forwarders have sent no heartbeat for longer than the limit, and those that report again, and notifies
 * the workload objects for which they have rows (docs/architecture.md, section 5, "7. Silence"), and the Bindings. If the list of
 * all WECs that have ever reported has changed, also notifies the Bindings of that. Subjects with another limit are notified by
 * `settleSilentAfter`.
 *
 * It is level-triggered: if an earlier run has stored a finding without notifying, this run notifies. So after a crash at any
 * point, the next run completes the work. Any number may run at the same time.
 *
 * An entry that cannot be read does not prevent other subjects from being notified. As long as nothing changes, it only reads
 * one small item for each source, one more for each silent WEC, and what {@link notifyOfHeard} and {@link notifyOfInventories} read.
 */
export async function sweepStale(deps: SweepStaleDeps): Promise<SweepStaleOutcome> {
  const { store, clock, limitMs = SILENCE_LIMIT_MS } = deps;
  const nowMs = clock();
  const before = await readHeard(store);
  const heartbeats = await readHeartbeats(store);
  const unreadable: string[] = [];
  const notified = await settleSilence(deps, {
    scope: {},
    heard: heardAt(heartbeats, { nowMs, silenceMs: limitMs }),
    stored: await readSilence(store),
    messages: async (held, cause) => {
      const found = await workloadsOf(store, held);
      unreadable.push(...found.unreadable);
      const workloads = [...found.subjects.values()].map((subject) =>
        encodeDirty({ type: 'subject', subject, silence: true }, cause),
      );
      const wecs = held.map(({ name }) => name);
      return [...workloads, ...(await bindingMessages(store, { wecs, cause }))];
    },
    alsoSend: (held) => notifyOfSilence(deps.notifications, held),
  });
  await notifyOfHeard(deps, before, heartbeats);
  const labelled = await notifyOfInventories(deps);
  const named = (silent: boolean): readonly string[] =>
    notified.filter((entry) => entry.silent === silent).map(({ name }) => name);
  return {
    silent: named(true),
    speaking: named(false),
    labelled,
    unreadable: [...new Set(unreadable)],
  };
}
