import type { Suspect } from './suspects.ts';

/** A suspect that is known, or that was received more often, is more likely to end its invocation. */
function bySuspicion(a: Suspect, b: Suspect): number {
  return Number(a.isKnown) - Number(b.isKnown) || a.receives - b.receives;
}

/**
 * The suspects that wait for their trials.
 *
 * The next suspect is one of the tenant whose trials have taken the least time since it waits, so a tenant whose trials take half
 * a minute each takes half of the time at most from a tenant whose trials take milliseconds. If several tenants have used the
 * same time, they take turns. Within a tenant, the suspect that is least likely to end its invocation is next.
 */
export class WaitingSuspects {
  readonly #max: number;
  /** The suspects of each tenant. The tenant whose last turn is longest ago comes first. */
  readonly #lines = new Map<string, Suspect[]>();
  /** The time that the trials of each tenant have taken, in milliseconds. */
  readonly #usedMs = new Map<string, number>();
  /** The least used time of a waiting tenant at the last turn. A tenant that comes later begins with it. */
  #leastMs = 0;

  /** @param max the maximum number that wait */
  constructor(max: number) {
    this.#max = max;
  }

  /** Returns the suspects for which there is no place: those of the tenants with the most, the most likely ones first. */
  add(suspects: readonly Suspect[]): readonly Suspect[] {
    for (const suspect of suspects) this.#line(suspect.tenant).push(suspect);
    // A stable sort, so that those of equal suspicion stay in their order.
    for (const { tenant } of suspects) this.#lines.get(tenant)?.sort(bySuspicion);
    const left: Suspect[] = [];
    while (this.all.length > this.#max) left.push(...this.#removeLast());
    return left;
  }

  /** Removes the suspect whose turn it is. */
  next(): Suspect | undefined {
    const tenant = this.#nextTenant();
    if (tenant === undefined) {
      // There is nobody any more whom a tenant could have kept waiting.
      this.#usedMs.clear();
      this.#leastMs = 0;
      return undefined;
    }
    this.#leastMs = this.#used(tenant);
    const [next, ...others] = this.#lines.get(tenant) ?? [];
    this.#lines.delete(tenant);
    if (others.length > 0) this.#lines.set(tenant, others);
    return next;
  }

  /** Notes how long a trial of a tenant took, in milliseconds. */
  spend(tenant: string, ms: number): void {
    this.#usedMs.set(tenant, this.#used(tenant) + ms);
  }

  /** Removes all suspects. */
  clear(): readonly Suspect[] {
    const { all } = this;
    this.#lines.clear();
    return all;
  }

  get all(): readonly Suspect[] {
    return [...this.#lines.values()].flat();
  }

  has(suspect: Suspect): boolean {
    return this.#lines.get(suspect.tenant)?.includes(suspect) === true;
  }

  #used(tenant: string): number {
    return this.#usedMs.get(tenant) ?? this.#leastMs;
  }

  #line(tenant: string): Suspect[] {
    const known = this.#lines.get(tenant);
    if (known !== undefined) return known;
    const line: Suspect[] = [];
    this.#lines.set(tenant, line);
    // A tenant saves no time while it does not wait, and keeps what it has used.
    this.#usedMs.set(tenant, Math.max(this.#used(tenant), this.#leastMs));
    return line;
  }

  #nextTenant(): string | undefined {
    let next: string | undefined;
    for (const tenant of this.#lines.keys())
      if (next === undefined || this.#used(tenant) < this.#used(next)) next = tenant;
    return next;
  }

  /** Removes the last suspect of the longest line: of equally long ones, of that which has its turn last. */
  #removeLast(): readonly Suspect[] {
    let [tenant, longest]: [string, Suspect[]] = ['', []];
    for (const [name, line] of this.#lines)
      if (line.length >= longest.length) [tenant, longest] = [name, line];
    const removed = longest.splice(-1);
    if (longest.length === 0) this.#lines.delete(tenant);
    return removed;
  }
}
