import { LRUCache } from 'lru-cache';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  EVERY_WEC,
  isEveryWec,
  principalOf,
  redriverUntil,
  registeredSources,
} from '#shared/state/senders.ts';

/**
 * Checks who may report for which source, by the sender that the queue recorded (docs/architecture.md, section 6, invariant 6).
 * Each method may throw `StoreUnavailableError`; then nobody may report.
 */
export interface SenderCheck {
  /**
   * Returns those of the sources for which the sender may report, as `sourcePartition` names them. A sender for `EVERY_WEC` may
   * report for each WEC. `EVERY_WEC` itself may be given as a source.
   */
  allowed(senderId: string, sources: readonly EventSource[]): Promise<ReadonlySet<string>>;
  /** Whether the sender may redrive messages of others. */
  mayRedrive(senderId: string): Promise<boolean>;
  /** The name of the sender in reasons. */
  called(senderId: string): string;
}

/** The dependencies of the check. */
export interface SenderCheckDeps {
  readonly store: ItemStore;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Principals that may always redrive: the role of the function that redrives. */
  readonly redrivers: readonly string[];
}

/** How long a process trusts a sender without another check, and so the longest time until a revocation takes effect. */
const MEMORY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Caches what is allowed. What is not allowed is checked each time, so a registration takes effect at once. */
class Memory {
  // With `max`, the cache would allocate all of its entries at once.
  readonly #until = new LRUCache<string, number>({
    maxSize: MAX_REMEMBERED,
    sizeCalculation: () => 1,
  });
  readonly #clock: () => number;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  holds(key: string): boolean {
    return this.#clock() < (this.#until.get(key) ?? 0);
  }

  keep(key: string, latest = Number.POSITIVE_INFINITY): void {
    this.#until.set(key, Math.min(this.#clock() + MEMORY_MS, latest));
  }
}

function mayBeOneOfEvery(source: EventSource): boolean {
  return source.type === 'wec' && !isEveryWec(source);
}

/** The check by the registrations in the store. */
export function createSenderCheck({ store, clock, redrivers }: SenderCheckDeps): SenderCheck {
  const memory = new Memory(clock);
  const permanent = new Set(redrivers.map(principalOf));
  return {
    async allowed(senderId, sources) {
      const principal = principalOf(senderId);
      const keyOf = (source: EventSource): string => `${principal} ${sourcePartition(source)}`;
      const ask = async (asked: readonly EventSource[]): Promise<readonly EventSource[]> => {
        const found = asked.length > 0 ? await registeredSources(store, principal, asked) : [];
        for (const source of found) memory.keep(keyOf(source));
        return found;
      };
      const isKnown = (source: EventSource): boolean =>
        memory.holds(keyOf(source)) || (source.type === 'wec' && memory.holds(keyOf(EVERY_WEC)));
      const cached = sources.filter(isKnown);
      const asked = sources.filter((source) => !cached.includes(source));
      const found = await ask(asked);
      const left = asked.filter((source) => mayBeOneOfEvery(source) && !found.includes(source));
      // Checked last, because most forwarders are registered for their own source.
      const every = left.length > 0 ? await ask([EVERY_WEC]) : [];
      return new Set([...cached, ...found, ...(every.length > 0 ? left : [])].map(sourcePartition));
    },
    called: principalOf,
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
