import { wholeTenant } from '#shared/ports/message-queue.ts';

/** Messages that were received in one turn of a tenant. */
interface TurnInFlight {
  readonly queue: string;
  readonly tenant: string;
  readonly at: number;
  /** The time from which its messages are visible again. */
  readonly until: number;
  /** The sequences of the messages that are neither deleted nor returned. */
  readonly open: Set<number>;
}

interface Ended {
  readonly tenant: string;
  readonly at: number;
}

/** How long a tenant counts as active after its last turn, in milliseconds. */
const ACTIVE_MS = 10_000;

/** How long after a turn the next step of the same work may be between two queues, in milliseconds. */
const BETWEEN_STEPS_MS = 5;

/** How long a turn is at work, in milliseconds. After that, it waits for something, such as an API server that does not answer. */
const AT_WORK_MS = 200;

/** Whether a time was less than some milliseconds ago. After the clock was set back, no time in the future counts. */
export function isRecent(at: number, now: number, ms: number): boolean {
  return at <= now && now - at < ms;
}

/**
 * The turns that are in flight, of one queue or of several whose receivers share a processor, and which tenants were active recently.
 * Only the turns of this process are known. A tenant may be a part of another one. A call may be repeated, because a transaction may
 * be run twice. Times are milliseconds since the epoch.
 */
export class TenantsInFlight {
  readonly #turns = new Set<TurnInFlight>();
  readonly #bySequence = new Map<number, TurnInFlight>();
  /** When each tenant last began a turn, the earliest first. */
  readonly #begun = new Map<string, number>();
  /** The turns that ended a moment ago, the earliest first. */
  readonly #ended: Ended[] = [];

  /** Notes a turn: the sequences of its messages, when it began, and when its messages are visible again. */
  begin(
    { queue, tenant }: { readonly queue: string; readonly tenant: string },
    sequences: readonly number[],
    { at, until }: { readonly at: number; readonly until: number },
  ): void {
    this.#forgetInactive(at);
    this.#begun.delete(tenant);
    this.#begun.set(tenant, at);
    if (sequences.length === 0) return;
    const turn: TurnInFlight = { queue, tenant, at, until, open: new Set(sequences) };
    this.#turns.add(turn);
    for (const sequence of sequences) {
      this.end(sequence, at);
      this.#bySequence.set(sequence, turn);
    }
  }

  /** Notes that a message was deleted or returned. */
  end(sequence: number, at: number): void {
    const turn = this.#bySequence.get(sequence);
    if (turn === undefined) return;
    this.#bySequence.delete(sequence);
    turn.open.delete(sequence);
    if (turn.open.size > 0) return;
    this.#turns.delete(turn);
    this.#ended.push({ tenant: turn.tenant, at });
    this.#forgetEnded(at);
  }

  #forgetInactive(now: number): void {
    for (const [tenant, at] of this.#begun) {
      if (isRecent(at, now, ACTIVE_MS)) return;
      this.#begun.delete(tenant);
    }
  }

  #forgetEnded(now: number): void {
    const first = this.#ended.findIndex(({ at }) => isRecent(at, now, BETWEEN_STEPS_MS));
    this.#ended.splice(0, first < 0 ? this.#ended.length : first);
  }

  /** The number of turns of a queue in flight of each tenant that has some, with those of its parts. */
  counts(queue: string, now: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const turn of [...this.#turns]) {
      const { tenant, until, open } = turn;
      if (until <= now) for (const sequence of [...open]) this.end(sequence, until);
      else if (turn.queue === queue) {
        const whole = wholeTenant(tenant);
        counts.set(whole, (counts.get(whole) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** Whether another tenant had a turn recently. The parts of a tenant are no others for it. */
  isBesideOthers(tenant: string, now: number): boolean {
    this.#forgetInactive(now);
    for (const other of this.#begun.keys()) if (wholeTenant(other) !== tenant) return true;
    return false;
  }

  /** Whether a tenant that is not `excepted` had a turn in the last milliseconds. */
  isActive(now: number, ms: number, excepted: ReadonlySet<string>): boolean {
    for (const [tenant, at] of this.#begun)
      if (isRecent(at, now, ms) && !excepted.has(tenant)) return true;
    return false;
  }

  /** The tenants that have a turn at work. */
  atWork(now: number): ReadonlySet<string> {
    const turns = [...this.#turns].filter(({ at }) => isRecent(at, now, AT_WORK_MS));
    return new Set(turns.map(({ tenant }) => tenant));
  }

  /** Whether a tenant that is not `excepted` has a turn at work, or may be between two steps. */
  isBusy(now: number, excepted: ReadonlySet<string>): boolean {
    this.#forgetEnded(now);
    const busy = [...this.atWork(now), ...this.#ended.map(({ tenant }) => tenant)];
    return busy.some((tenant) => !excepted.has(tenant));
  }
}
