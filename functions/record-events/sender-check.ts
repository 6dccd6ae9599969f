import { LRUCache } from 'lru-cache';
import type { EventSource } from '#shared/core/event.ts';
import { sourcePartition } from '#shared/core/subject.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import {
  EVERY_WEC,
  isEveryWec,
  principalOf,
  redriverUntil,
  registeredClaims,
  type SenderClaim,
} from '#shared/state/senders.ts';

/** That a sender reports for a source. The source may be `EVERY_WEC`. */
export interface Claim {
  readonly senderId: string;
  readonly source: EventSource;
}

/** What senders may do, as far as it was asked. */
export interface SenderRights {
  /** A sender for `EVERY_WEC` may report for each WEC. */
  mayReport(claim: Claim): boolean;
  /** Whether the sender may redrive messages of others. */
  mayRedrive(senderId: string): boolean;
}

/** Whose rights are checked. */
export interface RightsAsked {
  readonly claims: readonly Claim[];
  /** Senders of messages that others have sent before. */
  readonly redrivers: readonly string[];
}

/**
 * Checks who may report for which source, by the sender that the queue recorded (docs/architecture.md, section 6, invariant 6).
 */
export interface SenderCheck {
  /**
   * Checks the senders of many messages at once: with a read for each message, one sender could keep the messages of the others
   * waiting.
   *
   * @throws StoreUnavailableError; then nobody may report
   */
  rights(asked: RightsAsked): Promise<SenderRights>;
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
/** More than all WECs of a large installation: otherwise each message would be checked again. */
const MAX_REMEMBERED = 50_000;

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

function isOneOfEvery({ source }: SenderClaim): boolean {
  return source.type === 'wec' && !isEveryWec(source);
}

function ofEveryWec(principal: string): SenderClaim {
  return { principal, source: EVERY_WEC };
}

/** A claim as a text. */
function claimKey({ principal, source }: SenderClaim): string {
  return `${principal} ${sourcePartition(source)}`;
}

function claimOf({ senderId, source }: Claim): SenderClaim {
  return { principal: principalOf(senderId), source };
}

/** Returns the texts of the claims that are true. */
async function registered(
  { store, memory }: { readonly store: ItemStore; readonly memory: Memory },
  claims: ReadonlyMap<string, SenderClaim>,
): Promise<ReadonlySet<string>> {
  const ask = async (some: readonly SenderClaim[]): Promise<readonly string[]> => {
    const found = some.length > 0 ? (await registeredClaims(store, some)).map(claimKey) : [];
    for (const key of found) memory.keep(key);
    return found;
  };
  const everyKey = ({ principal }: SenderClaim): string => claimKey(ofEveryWec(principal));
  const isKnown = (claim: SenderClaim): boolean =>
    memory.holds(claimKey(claim)) || (isOneOfEvery(claim) && memory.holds(everyKey(claim)));
  // Once for each claim, because a cached one may expire in between.
  const known = new Map([...claims].filter(([, claim]) => isKnown(claim)));
  const asked = [...claims].filter(([key]) => !known.has(key)).map(([, claim]) => claim);
  const found = new Set([...known.keys(), ...(await ask(asked))]);
  const left = asked.filter((claim) => isOneOfEvery(claim) && !found.has(claimKey(claim)));
  // Checked last, because most forwarders are registered for their own source.
  const unasked = left.filter((claim) => !claims.has(everyKey(claim)));
  const principals = [...new Set(unasked.map(({ principal }) => principal))];
  for (const key of await ask(principals.map(ofEveryWec))) found.add(key);
  return new Set([...found, ...left.filter((claim) => found.has(everyKey(claim))).map(claimKey)]);
}

/** The check by the registrations in the store. */
export function createSenderCheck({ store, clock, redrivers }: SenderCheckDeps): SenderCheck {
  const memory = new Memory(clock);
  const permanent = new Set(redrivers.map(principalOf));
  const mayRedrive = async (principal: string): Promise<boolean> => {
    const key = `${principal} redrives`;
    if (permanent.has(principal) || memory.holds(key)) return true;
    const until = await redriverUntil(store, principal);
    if (until <= clock()) return false;
    memory.keep(key, until);
    return true;
  };
  return {
    async rights(asked) {
      const claims = new Map(asked.claims.map(claimOf).map((claim) => [claimKey(claim), claim]));
      const principals = [...new Set(asked.redrivers.map(principalOf))];
      const [reported, redrives] = await Promise.all([
        registered({ store, memory }, claims),
        Promise.all(principals.map(mayRedrive)),
      ]);
      const redriving = new Set(principals.filter((_principal, index) => redrives[index]));
      return {
        mayReport: (claim) => reported.has(claimKey(claimOf(claim))),
        mayRedrive: (senderId) => redriving.has(principalOf(senderId)),
      };
    },
    called: principalOf,
  };
}
