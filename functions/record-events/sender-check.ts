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
  /**
   * A sender for `EVERY_WEC` may report for each WEC.
   *
   * @throws StoreUnavailableError if that could not be read
   */
  mayReport(claim: Claim): boolean;
  /**
   * Whether the sender may redrive messages of others.
   *
   * @throws StoreUnavailableError if that could not be read
   */
  mayRedrive(senderId: string): boolean;
}

/** A message whose senders are checked. */
export interface RightsAsked {
  /**
   * Who has redriven it, the last one first. The queue has recorded the last one, and each of them vouches for the one before, so
   * behind a sender that may not redrive there is nothing but a text of this sender.
   */
  readonly redrivers: readonly string[];
  /** What its first sender reports for. */
  readonly claims: readonly Claim[];
}

/**
 * Checks who may report for which source, by the sender that the queue recorded (docs/architecture.md, section 6, invariant 6).
 */
export interface SenderCheck {
  /**
   * Checks the senders of many messages at once: with a read for each message, one sender could keep the messages of the others
   * waiting. If registrations cannot be read, only what is not known otherwise fails.
   */
  rights(messages: readonly RightsAsked[]): Promise<SenderRights>;
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
/** More than all WECs of the largest installation: otherwise each message would be checked again. */
const MAX_REMEMBERED = 120_000;

/** DynamoDB reads so many items in a request. */
const IN_REQUEST = 100;

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

  /** @param readMs when the read began that has found it */
  keep(key: string, readMs: number, latest = Number.POSITIVE_INFINITY): void {
    this.#until.set(key, Math.min(readMs + MEMORY_MS, latest));
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

function everyKey({ principal }: SenderClaim): string {
  return claimKey(ofEveryWec(principal));
}

function redriveKey(principal: string): string {
  return `${principal} redrives`;
}

/** The answers to what was asked, by the texts of claims and redrivers. */
class Answers {
  readonly #allowed = new Set<string>();
  readonly #denied = new Set<string>();
  readonly #failures = new Map<string, unknown>();

  allow(key: string): void {
    this.#allowed.add(key);
  }

  /** Adds what a read allows. If it fails, it is not known whether something of it is allowed. */
  async read(keys: readonly string[], reading: () => Promise<readonly string[]>): Promise<void> {
    try {
      const found = new Set(await reading());
      for (const key of keys) (found.has(key) ? this.#allowed : this.#denied).add(key);
    } catch (error) {
      for (const key of keys) this.#failures.set(key, error);
    }
  }

  wasAsked(key: string): boolean {
    return this.#allowed.has(key) || this.isDenied(key) || this.#failures.has(key);
  }

  isAllowed(key: string): boolean {
    return this.#allowed.has(key);
  }

  isDenied(key: string): boolean {
    return this.#denied.has(key);
  }

  /** @throws the failure of its read */
  check(key: string): boolean {
    if (this.#failures.has(key)) throw this.#failures.get(key);
    return this.#allowed.has(key);
  }
}

/** The check by the registrations in the store. */
class RegisteredSenders {
  readonly #deps: SenderCheckDeps;
  readonly #memory: Memory;
  readonly #permanent: ReadonlySet<string>;

  constructor(deps: SenderCheckDeps) {
    this.#deps = deps;
    this.#memory = new Memory(deps.clock);
    this.#permanent = new Set(deps.redrivers.map(principalOf));
  }

  async rights(messages: readonly RightsAsked[]): Promise<SenderRights> {
    const answers = new Answers();
    const vouched = await this.#vouchedFor(messages, answers);
    const claims = new Map(
      vouched.flatMap((message) => message.claims.map(claimOf).map((one) => [claimKey(one), one])),
    );
    await this.#askClaims(claims, answers);
    return {
      mayReport: (asked) => {
        const claim = claimOf(asked);
        const key = claimKey(claim);
        if (!claims.has(key)) return false;
        return answers.check(key) || (isOneOfEvery(claim) && answers.check(everyKey(claim)));
      },
      mayRedrive: (senderId) => answers.check(redriveKey(principalOf(senderId))),
    };
  }

  /** The messages that were redriven only by senders that may, or not at all. One read for each time that one was redriven. */
  async #vouchedFor(
    messages: readonly RightsAsked[],
    answers: Answers,
  ): Promise<readonly RightsAsked[]> {
    const vouched: RightsAsked[] = [];
    let left = messages;
    for (let times = 0; left.length > 0; times += 1) {
      vouched.push(...left.filter(({ redrivers }) => redrivers.length === times));
      const principals = left.flatMap(({ redrivers }) =>
        redrivers.slice(times, times + 1).map(principalOf),
      );
      await this.#askRedrivers(new Set(principals), answers);
      left = left.filter(({ redrivers }) => {
        const [redriver] = redrivers.slice(times, times + 1);
        return redriver !== undefined && answers.isAllowed(redriveKey(principalOf(redriver)));
      });
    }
    return vouched;
  }

  async #askRedrivers(principals: ReadonlySet<string>, answers: Answers): Promise<void> {
    for (const principal of principals)
      if (this.#permanent.has(principal) || this.#memory.holds(redriveKey(principal)))
        answers.allow(redriveKey(principal));
    const asked = [...principals].filter((principal) => !answers.wasAsked(redriveKey(principal)));
    // Few, because the queue has recorded them, or a redriver vouches for them. One that cannot be read concerns no other.
    await Promise.all(asked.map((principal) => this.#readRedriver(principal, answers)));
  }

  #readRedriver(principal: string, answers: Answers): Promise<void> {
    const { store, clock } = this.#deps;
    const key = redriveKey(principal);
    return answers.read([key], async () => {
      const readMs = clock();
      const until = await redriverUntil(store, principal);
      if (until <= clock()) return [];
      this.#memory.keep(key, readMs, until);
      return [key];
    });
  }

  async #askClaims(claims: ReadonlyMap<string, SenderClaim>, answers: Answers): Promise<void> {
    for (const [key, claim] of claims) if (this.#remembers(claim)) answers.allow(key);
    const asked = [...claims].filter(([key]) => !answers.wasAsked(key)).map(([, claim]) => claim);
    await this.#readClaims(asked, answers);
    // Checked last, because most forwarders are registered for their own source.
    const left = asked.filter(
      (claim) =>
        isOneOfEvery(claim) && answers.isDenied(claimKey(claim)) && !claims.has(everyKey(claim)),
    );
    const principals = new Set(left.map(({ principal }) => principal));
    await this.#readClaims([...principals].map(ofEveryWec), answers);
  }

  #remembers(claim: SenderClaim): boolean {
    return (
      this.#memory.holds(claimKey(claim)) ||
      (isOneOfEvery(claim) && this.#memory.holds(everyKey(claim)))
    );
  }

  /** Those of a request that succeeds are known, whatever becomes of the others. */
  async #readClaims(claims: readonly SenderClaim[], answers: Answers): Promise<void> {
    const requests = Array.from({ length: Math.ceil(claims.length / IN_REQUEST) }, (_, index) =>
      claims.slice(index * IN_REQUEST, (index + 1) * IN_REQUEST),
    );
    await Promise.all(requests.map((some) => this.#readRequest(some, answers)));
  }

  #readRequest(claims: readonly SenderClaim[], answers: Answers): Promise<void> {
    return answers.read(claims.map(claimKey), async () => {
      const readMs = this.#deps.clock();
      const found = (await registeredClaims(this.#deps.store, claims)).map(claimKey);
      for (const key of found) this.#memory.keep(key, readMs);
      return found;
    });
  }
}

/** The check by the registrations in the store. */
export function createSenderCheck(deps: SenderCheckDeps): SenderCheck {
  const senders = new RegisteredSenders(deps);
  return { rights: (messages) => senders.rights(messages), called: principalOf };
}
