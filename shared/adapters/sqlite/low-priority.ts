import { type DebtRate, Debts } from '#shared/debts.ts';
import { wholeTenant } from '#shared/ports/message-queue.ts';
import { isRecent, type TenantsInFlight } from './tenants-in-flight.ts';

/**
 * How many groups with messages of a tenant or of a part may get a turn before the priority of the tenant or part is low. While others
 * are active, it has its next turn then when nothing of itself and of others is in flight, or after {@link LONGEST_HOLD_MS}.
 */
export interface LowPriority extends DebtRate {
  /** Whether the turns of a tenant count. */
  readonly counts: (tenant: string) => boolean;
}

/** How long others count as active after their last turn, in milliseconds. */
const OTHERS_MS = 1_000;

/** In milliseconds. */
const LONGEST_HOLD_MS = 100;

/** The tenants and parts of low priority of one queue. Only this process knows them. Times are milliseconds since the epoch. */
export class LowPriorities {
  readonly #counts: LowPriority['counts'];
  readonly #debts: Debts;
  readonly #inFlight: TenantsInFlight;
  /** When each tenant last had a turn in this queue, the earliest first. */
  readonly #lastTurns = new Map<string, number>();

  /** @param inFlight of this queue, and of others whose receivers share a processor with those of this one */
  constructor({ counts, ...rate }: LowPriority, inFlight: TenantsInFlight) {
    this.#counts = counts;
    this.#debts = new Debts(rate);
    this.#inFlight = inFlight;
  }

  /**
   * Notes the turn of a group.
   *
   * @param tenant whose turn it was
   * @param tenants of the messages that were received. Each of them pays once
   */
  took(tenant: string, tenants: ReadonlySet<string>, at: number): void {
    for (const one of tenants) if (this.#counts(one)) this.#debts.add(one, 1, at);
    this.#forgetTurns(at);
    this.#lastTurns.delete(tenant);
    this.#lastTurns.set(tenant, at);
  }

  /** The tenants and parts that have to wait for others now. The parts of a tenant wait in one line. */
  afterOthers(now: number): readonly string[] {
    const low = new Set(this.#debts.over(now));
    // Where the priority of all that are active is low, it is the same.
    if (low.size === 0 || !this.#inFlight.isActive(now, OTHERS_MS, low)) return [];
    this.#forgetTurns(now);
    const isBusy = this.#inFlight.isBusy(now, low);
    const atWork = this.#inFlight.atWork(now);
    const lines = Map.groupBy(low, (tenant) => wholeTenant(tenant)).values();
    const isHeld = (line: readonly string[]): boolean =>
      line.some((tenant) => this.#lastTurns.has(tenant)) &&
      (isBusy || line.some((tenant) => atWork.has(tenant)));
    return [...lines].filter(isHeld).flat();
  }

  /** What is left had a turn within the longest hold. */
  #forgetTurns(now: number): void {
    for (const [tenant, at] of this.#lastTurns) {
      if (isRecent(at, now, LONGEST_HOLD_MS)) return;
      this.#lastTurns.delete(tenant);
    }
  }
}
