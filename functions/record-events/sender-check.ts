import type { EventSource } from '#shared/core/event.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { sourcePartition } from '#shared/state/keys.ts';
import { principalOf, redriverUntil, registeredSources } from '#shared/state/senders.ts';

/**
 * Says who may speak for whom, by the sender that the queue recorded (design, section 6, invariant 6). Each method may
 * throw `StoreUnavailableError`: then nothing is known, and nobody may speak.
 */
export interface SenderCheck {
  /** Of these sources those that the sender may speak for, as `sourcePartition` names them. */
  allowed(senderId: string, sources: readonly EventSource[]): Promise<ReadonlySet<string>>;
  /** Whether the sender may bring messages in the name of others. */
  mayRedrive(senderId: string): Promise<boolean>;
}

/** What the check is made of. */
export interface SenderCheckDeps {
  readonly store: ItemStore;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Principals that may always redrive: the role of the function that does. */
  readonly redrivers: readonly string[];
}

/** So long a process goes on trusting a sender without asking: the longest that a revocation takes to hold. */
const MEMORY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Remembers for a while what is allowed. What is not allowed is asked for each time: registering takes effect at once. */
class Memory {
  readonly #until = new Map<string, number>();
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  holds(key: string): boolean {
    return this.#clock() < (this.#until.get(key) ?? 0);
  }

  keep(key: string, latest = Number.POSITIVE_INFINITY): void {
    if (this.#until.size >= MAX_REMEMBERED) this.#until.clear();
    this.#until.set(key, Math.min(this.#clock() + MEMORY_MS, latest));
  }
}

/** The check by the registrations in the store. */
export function createSenderCheck({ store, clock, redrivers }: SenderCheckDeps): SenderCheck {
  const memory = new Memory(clock);
  const permanent = new Set(redrivers.map(principalOf));
  return {
    async allowed(senderId, sources) {
      const principal = principalOf(senderId);
      const keyOf = (source: EventSource): string => `${principal} ${sourcePartition(source)}`;
      const known = sources.filter((source) => memory.holds(keyOf(source)));
      const asked = sources.filter((source) => !known.includes(source));
      const found = asked.length > 0 ? await registeredSources(store, principal, asked) : [];
      for (const source of found) memory.keep(keyOf(source));
      return new Set([...known, ...found].map(sourcePartition));
    },
    async mayRedrive(senderId) {
      const principal = principalOf(senderId);
      const key = `${principal} redrives`;
      if (permanent.has(principal) || memory.holds(key)) return true;
      const until = await redriverUntil(store, principal);
      if (until <= clock()) return false;
      memory.keep(key, until);
      return true;
    },
  };
}
