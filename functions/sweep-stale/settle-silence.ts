import { deliver } from '#shared/outbox/deliver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import { putSilence, type Silence, type SilenceScope } from '#shared/state/silence.ts';

/** What settling needs from outside. */
export interface SettleSilenceDeps {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A cluster, and its last sign of life. */
export interface Heard {
  readonly name: string;
  /** The version of that statement, as text. */
  readonly version: string;
  readonly silent: boolean;
  /** As in {@link Silence}. */
  readonly lastSeen?: string;
}

/** Some clusters, and the messages for those that are silent or report again. */
export interface SilenceRound {
  /** The scope of the clusters' entries. */
  readonly scope: SilenceScope;
  readonly heard: readonly Heard[];
  /** The stored entries of these clusters. */
  readonly stored: ReadonlyMap<string, Silence>;
  /** @param cause a text that stays the same if messages are sent again for the same cause */
  readonly messages: (
    held: readonly Silence[],
    cause: string,
  ) => Promise<readonly OutgoingMessage[]>;
  /** Sends what else follows from the same findings. */
  readonly alsoSend?: (held: readonly Silence[]) => Promise<void>;
}

/** The number of clusters that are handled together. A subject that has rows of several of them is notified once. */
const BATCH_SIZE = 100;

/** The entry to store for a cluster. Its subjects are then notified. Returns undefined if nothing has changed. */
function changeOf(heard: Heard, stored: Silence | undefined): Silence | undefined {
  const { name, version, silent, ...seen } = heard;
  // An entry of an older release does not have the time of a WEC's last heartbeat.
  const isSameTime = stored?.lastSeen === undefined || stored.lastSeen === seen.lastSeen;
  const isSame = (stored?.silent ?? false) === silent && (!silent || isSameTime);
  return isSame && (stored?.notified ?? true)
    ? undefined
    : { name, heartbeat: version, silent, notified: false, ...seen };
}

/**
 * Stores the findings, and notifies the subjects that have rows of these clusters ({@link deliver}). The entry is the note. If
 * an earlier run has stored a finding without sending the messages, they are sent now.
 *
 * @returns the clusters for which messages were sent
 */
export async function settleSilence(
  deps: SettleSilenceDeps,
  round: SilenceRound,
): Promise<readonly Silence[]> {
  const { scope, stored, messages, alsoSend } = round;
  const changes = round.heard
    .flatMap((heard) => changeOf(heard, stored.get(heard.name)) ?? [])
    .map((change) => ({ ...change, ...scope }));
  const notified: Silence[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE) {
    const some = changes.slice(from, from + BATCH_SIZE);
    const delivered = await deliver<Silence>({
      async note() {
        const held = await putSilence(deps.store, some, deps.clock());
        return held.length === 0 ? 'outdated' : held;
      },
      async send(held) {
        const causes = held.map(({ name, heartbeat, silent }) => `${name}@${heartbeat} ${silent}`);
        const after = scope.silentAfterMs === undefined ? [] : [`after ${scope.silentAfterMs}`];
        const sent = await messages(held, [...causes, ...after].join(' '));
        if (sent.length > 0) await deps.dirty.send(sent);
        await alsoSend?.(held);
      },
      async markSent(held) {
        const noted = held.map((entry) => ({ ...entry, notified: true }));
        await putSilence(deps.store, noted, deps.clock());
        return undefined;
      },
    });
    if (delivered !== 'outdated') notified.push(...delivered);
  }
  return notified;
}
