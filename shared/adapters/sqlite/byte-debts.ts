/** How many bytes the messages of a tenant may cost while other tenants are active. */
export interface ByteRate {
  /** Greater than 0. */
  readonly perSecond: number;
  /** What they may cost at once before the tenant has to wait. */
  readonly burst: number;
}

interface Debt {
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const MS_PER_SECOND = 1_000;

/**
 * What the messages of tenants have cost lately, in bytes. A debt becomes less with time. Only this process knows it, because only its
 * receivers share a processor.
 */
export class ByteDebts {
  readonly #rate: ByteRate;
  readonly #debts = new Map<string, Debt>();

  constructor(rate: ByteRate) {
    this.#rate = rate;
  }

  #left({ bytes, at }: Debt, now: number): number {
    // A clock that was set back forgives nothing.
    return Math.max(0, bytes - (Math.max(0, now - at) / MS_PER_SECOND) * this.#rate.perSecond);
  }

  add(tenant: string, bytes: number, now: number): void {
    const before = this.#debts.get(tenant);
    const left = before === undefined ? 0 : this.#left(before, now);
    this.#debts.set(tenant, { bytes: left + bytes, at: now });
  }

  /** The tenants whose messages have cost more than they may. */
  over(now: number): readonly string[] {
    const over: string[] = [];
    for (const [tenant, debt] of this.#debts) {
      const left = this.#left(debt, now);
      if (left === 0) this.#debts.delete(tenant);
      else if (left > this.#rate.burst) over.push(tenant);
    }
    return over;
  }
}
