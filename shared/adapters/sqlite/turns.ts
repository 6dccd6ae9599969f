import type { DebtRate, Debts } from '#shared/debts.ts';
import type { LowPriorities, LowPriority } from './low-priority.ts';
import type { FedQueue, MessageTable } from './message-table.ts';
import type { TenantsInFlight } from './tenants-in-flight.ts';

/** How the tenants of a queue take turns. */
export interface TurnOptions {
  /**
   * The queue that receives the work which follows from the messages here. If enough of a tenant's work waits there, the tenant
   * gets no turn here.
   */
  readonly feeds?: FedQueue;
  /**
   * The maximum number of turns of a tenant in one receive, greater than 0. If a tenant waits alone and another one arrives,
   * the latter only waits for these turns. A tenant with a backlog then shares a receive with other backlogs only. Default: as
   * many as there are places.
   */
  readonly turns?: number;
  /**
   * The maximum number of turns of a tenant in flight while other tenants are active, greater than 0. So a receiver is free
   * when their messages arrive. Default: no limit.
   */
  readonly share?: number;
  /**
   * What the messages of a tenant may cost while other tenants are active. Turns share messages, but an expensive one keeps the
   * processor for long. The receiver says what a message has cost (`charge`). Default: no limit.
   */
  readonly cost?: DebtRate;
  /**
   * How many messages of its parts a tenant may get while other tenants are active. One change can bring hundreds of them at once,
   * and receivers share a processor. Default: no limit.
   */
  readonly parts?: DebtRate;
  /** The clock of these two rates, in milliseconds. Default: `clock`. */
  readonly rateClock?: () => number;
  /** Which tenants come after others. Default: none. */
  readonly lowPriority?: LowPriority;
  /** The turns of this queue and of others whose receivers share a processor with those of this one. Default: of this queue. */
  readonly inFlight?: TenantsInFlight;
}

/** The turn of a tenant: the group that it gets. */
export interface Turn {
  readonly tenant: string;
  readonly group: string;
}

/** What the turns of a receive depend on. */
export interface TurnContext {
  readonly table: MessageTable;
  readonly inFlight: TenantsInFlight;
  /** Of bytes, and of messages of parts. Empty if the queue has no rate. */
  readonly debts: readonly Debts[];
  readonly priorities: LowPriorities | undefined;
  readonly options: TurnOptions & { readonly name: string; readonly clock: () => number };
}

/** The time of the debts. */
export function rateTime({ rateClock, clock }: TurnContext['options']): number {
  return (rateClock ?? clock)();
}

/** Tenants that get no turn now, with all their parts, because of what they have in flight or have taken lately. */
export function heldBack({ table, inFlight, debts, options }: TurnContext): readonly string[] {
  const { name, feeds, share = Number.POSITIVE_INFINITY, clock } = options;
  const now = clock();
  const isHeld = ([tenant, count]: readonly [string, number]): boolean => {
    if (count >= share && inFlight.isBesideOthers(tenant, now)) return true;
    return feeds !== undefined && table.hasFed(tenant, feeds.groups - count * feeds.perTurn);
  };
  const at = rateTime(options);
  const over = debts.flatMap((some) => some.over(at));
  const indebted = over.filter((tenant) => inFlight.isBesideOthers(tenant, now));
  return [...indebted, ...[...inFlight.counts(name, now)].filter(isHeld).map(([tenant]) => tenant)];
}

/** Tenants and parts that get no turn now, because their priority is low. */
export function afterOthers({ priorities, options }: TurnContext): readonly string[] {
  return priorities?.afterOthers(options.clock()) ?? [];
}

/** The tenants of one receive, by the rules of {@link turnsIn}. */
class TenantsOfReceive {
  readonly #context: TurnContext;
  readonly #slots: number;
  readonly #joined = new Set<string>();
  /** Tenants that get another receive. */
  readonly #apart = new Set<string>();
  /** Whether this is a receive of backlogs. The first tenant decides. */
  #isOfBacklogs: boolean | undefined;

  constructor(context: TurnContext, slots: number) {
    this.#context = context;
    this.#slots = slots;
  }

  next(): string | undefined {
    const held = heldBack(this.#context);
    const after = afterOthers(this.#context);
    while (this.#apart.size < this.#slots) {
      const apart = [...this.#apart, ...after];
      const tenant = this.#context.table.nextTenant({ held, apart });
      if (tenant === undefined || this.#joins(tenant)) return tenant;
      this.#apart.add(tenant);
    }
    return undefined;
  }

  #joins(tenant: string): boolean {
    if (this.#joined.has(tenant)) return true;
    const hasBacklog = this.#hasBacklog(tenant);
    this.#isOfBacklogs ??= hasBacklog;
    if (hasBacklog !== this.#isOfBacklogs) return false;
    this.#joined.add(tenant);
    return true;
  }

  #hasBacklog(tenant: string): boolean {
    const { table, options } = this.#context;
    const { turns = this.#slots } = options;
    return turns < this.#slots && table.hasWaiting(tenant, this.#slots + 1);
  }
}

/**
 * The turns of one receive. Each begins when the previous one is over. They end when the next tenant has had its maximum.
 *
 * If there is a maximum, a tenant with more waiting than a receive can take has a backlog. A receive is either of backlogs or of
 * other tenants. A receive is handled completely before its receiver is free, so the messages of others would wait for those of
 * a backlog. Backlogs share receives, so receives stay full if all tenants have one.
 *
 * @param slots the number of messages that the receive can take
 */
export function turnsIn(context: TurnContext, slots: number): () => Turn | undefined {
  const { table, options } = context;
  const tenants = new TenantsOfReceive(context, slots);
  const had = new Map<string, number>();
  return () => {
    const tenant = tenants.next();
    if (tenant === undefined) return undefined;
    // This tenant was served least recently, so all other waiting tenants of the receive have had theirs too.
    const count = (had.get(tenant) ?? 0) + 1;
    had.set(tenant, count);
    const isOver = count > (options.turns ?? slots);
    const group = isOver ? undefined : table.nextReadyGroup(tenant);
    return group === undefined ? undefined : { tenant, group };
  };
}
