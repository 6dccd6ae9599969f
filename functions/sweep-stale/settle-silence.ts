import { deliver } from '#shared/outbox/deliver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender, OutgoingMessage } from '#shared/ports/message-queue.ts';
import { putSilence, type Silence, type SilencePlace } from '#shared/state/silence.ts';

/** What settling needs of the world. */
export interface SettleSilenceDeps {
  readonly store: ItemStore;
  readonly dirty: MessageSender;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** A cluster, and when it was last heard of. */
export interface Heard {
  readonly name: string;
  /** Of the statement by which it was heard of, as text. */
  readonly version: string;
  readonly silent: boolean;
  /** As in {@link Silence}. */
  readonly lastSeen?: string;
}

/** Some clusters, and whom to tell of those that have fallen silent or speak again. */
export interface SilenceRound {
  /** Which clusters they are. */
  readonly place: SilencePlace;
  readonly heard: readonly Heard[];
  /** What is known of them. */
  readonly stored: ReadonlyMap<string, Silence>;
  /** @param cause a text that is the same when the same cause is told again */
  readonly messages: (
    held: readonly Silence[],
    cause: string,
  ) => Promise<readonly OutgoingMessage[]>;
}

/** So many clusters are told of together: what has rows of several of them is told once. */
const BATCH_SIZE = 100;

/** What is to be stored and told of a cluster; `undefined`: nothing, it is as it was. */
function changeOf(heard: Heard, stored: Silence | undefined): Silence | undefined {
  const { name, version, silent, ...seen } = heard;
  // An entry of an older release does not say when a WEC was last seen.
  const isSameTime = stored?.lastSeen === undefined || stored.lastSeen === seen.lastSeen;
  const isSame = (stored?.silent ?? false) === silent && (!silent || isSameTime);
  return isSame && (stored?.told ?? true)
    ? undefined
    : { name, heartbeat: version, silent, told: false, ...seen };
}

/**
 * Stores what was found, and notifies the subjects that have rows of these clusters ({@link deliver}). The entry is the
 * note. What an earlier run found, and of which it sent no messages, is sent now.
 *
 * @returns the clusters about which messages were sent
 */
export async function settleSilence(
  deps: SettleSilenceDeps,
  round: SilenceRound,
): Promise<readonly Silence[]> {
  const { place, stored, messages } = round;
  const changes = round.heard
    .flatMap((heard) => changeOf(heard, stored.get(heard.name)) ?? [])
    .map((change) => ({ ...change, ...place }));
  const told: Silence[] = [];
  for (let from = 0; from < changes.length; from += BATCH_SIZE) {
    const some = changes.slice(from, from + BATCH_SIZE);
    const delivered = await deliver<Silence>({
      async note() {
        const held = await putSilence(deps.store, some, deps.clock());
        return held.length === 0 ? 'outdated' : held;
      },
      async send(held) {
        const causes = held.map(({ name, heartbeat, silent }) => `${name}@${heartbeat} ${silent}`);
        const after = place.silentAfterMs === undefined ? [] : [`after ${place.silentAfterMs}`];
        const sent = await messages(held, [...causes, ...after].join(' '));
        if (sent.length > 0) await deps.dirty.send(sent);
      },
      async markSent(held) {
        const noted = held.map((entry) => ({ ...entry, told: true }));
        await putSilence(deps.store, noted, deps.clock());
        return undefined;
      },
    });
    if (delivered !== 'outdated') told.push(...delivered);
  }
  return told;
}
