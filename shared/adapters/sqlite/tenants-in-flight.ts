/** Messages that were received in one turn of a tenant. */
interface TurnInFlight {
  readonly tenant: string;
  /** The time from which its messages are visible again. */
  readonly until: number;
  /** The sequences of the messages that are neither deleted nor returned. */
  readonly open: Set<number>;
}

interface Served {
  readonly tenant: string;
  readonly at: number;
}

/** How long a tenant counts as active after its last turn, in milliseconds. */
const ACTIVE_MS = 10_000;

const NEVER: Served = { tenant: '', at: Number.NEGATIVE_INFINITY };

/**
 * The turns of one queue that are in flight, and which tenants were active recently. Only the turns of this process are known,
 * because only its receivers share a processor. A call may be repeated, because a transaction may be run twice. Times are
 * milliseconds since the epoch.
 */
export class TenantsInFlight {
  readonly #turns = new Set<TurnInFlight>();
  readonly #bySequence = new Map<number, TurnInFlight>();
  #last = NEVER;
  /** The last turn of another tenant than that of the last turn. */
  #lastOfAnother = NEVER;

  /** Notes a turn: the sequences of its messages, when it began, and when its messages are visible again. */
  begin(
    tenant: string,
    sequences: readonly number[],
    { at, until }: { readonly at: number; readonly until: number },
  ): void {
    if (this.#last.tenant !== tenant) this.#lastOfAnother = this.#last;
    this.#last = { tenant, at };
    if (sequences.length === 0) return;
    const turn: TurnInFlight = { tenant, until, open: new Set(sequences) };
    this.#turns.add(turn);
    for (const sequence of sequences) {
      this.end(sequence);
      this.#bySequence.set(sequence, turn);
    }
  }

  /** Notes that a message was deleted or returned. */
  end(sequence: number): void {
    const turn = this.#bySequence.get(sequence);
    if (turn === undefined) return;
    this.#bySequence.delete(sequence);
    turn.open.delete(sequence);
    if (turn.open.size === 0) this.#turns.delete(turn);
  }

  /** The number of turns in flight of each tenant that has some. */
  counts(now: number): ReadonlyMap<string, number> {
    const counts = new Map<string, number>();
    for (const { tenant, until, open } of [...this.#turns])
      if (until <= now) for (const sequence of [...open]) this.end(sequence);
      else counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
    return counts;
  }

  /** Whether another tenant had a turn recently. */
  isBesideOthers(tenant: string, now: number): boolean {
    const other = this.#last.tenant === tenant ? this.#lastOfAnother : this.#last;
    return now - other.at < ACTIVE_MS;
  }
}
