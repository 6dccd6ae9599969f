/** How much a tenant may cost, in bytes or in requests. */
export interface DebtRate {
  /** Greater than 0. */
  readonly perSecond: number;
  /** What it may cost at once before it has to wait. */
  readonly burst: number;
  /** Further costs are forgotten beyond this, more than `burst`. Default: no limit. */
  readonly most?: number;
}

interface Debt {
  readonly amount: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const MS_PER_SECOND = 1_000;

/** What tenants have cost lately. A debt becomes less with time. Only this process knows it, because only its work shares a processor. */
export class Debts {
  readonly #rate: DebtRate;
  readonly #debts = new Map<string, Debt>();

  constructor(rate: DebtRate) {
    this.#rate = rate;
  }

  #left({ amount, at }: Debt, now: number): number {
    // A clock that was set back forgives nothing.
    return Math.max(0, amount - (Math.max(0, now - at) / MS_PER_SECOND) * this.#rate.perSecond);
  }

  /** @param now milliseconds since the epoch, also below */
  add(tenant: string, amount: number, now: number): void {
    const { most = Number.POSITIVE_INFINITY } = this.#rate;
    const sum = Math.min(this.#of(tenant, now) + amount, most);
    this.#debts.set(tenant, { amount: sum, at: now });
  }

  #of(tenant: string, now: number): number {
    const debt = this.#debts.get(tenant);
    return debt === undefined ? 0 : this.#left(debt, now);
  }

  /** The milliseconds until a tenant has cost no more than it may. */
  waitMs(tenant: string, now: number): number {
    const { perSecond, burst } = this.#rate;
    return (Math.max(0, this.#of(tenant, now) - burst) / perSecond) * MS_PER_SECOND;
  }

  /** The tenants that have cost more than they may. */
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
