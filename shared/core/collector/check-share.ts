import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { MAX_OBJECT_CHECK_COST } from '#shared/core/limits.ts';
import type { CollectorNaming } from './compiled-share.ts';

/**
 * What the check of a StatusCollector costs in addition to its characters: storing the outcome, and, if a pattern may be
 * compiled, patterns of the largest size that it may have.
 */
const CHECK_COST = 10_000;
const PATTERNS_COST = 100_000;

/**
 * An upper bound of the cost of checking the `spec` of a StatusCollector, in characters of an expression. It is known
 * before anything is compiled, and is the same each time. Measured with the most expensive specs, a character takes at most
 * 0.35 microseconds in a process that has checked specs before, and 0.74 microseconds in a new process.
 */
export function checkCost(spec: JsonValue | undefined): number {
  const text = stringifyJson(spec ?? null);
  return CHECK_COST + text.length + (text.includes('matches') ? PATTERNS_COST : 0);
}

/** What a Binding may still spend. */
interface Purse {
  left: number;
}

/**
 * Limits the checks of StatusCollectors in one aggregation of an object. Each Binding that names collectors has the same
 * share. What a Binding spends depends only on its own collectors.
 */
export class CheckShares {
  readonly #naming = new Map<string, Purse[]>();
  #hasTaken = false;

  /** @param cost what the Bindings may spend together */
  constructor(namings: readonly CollectorNaming[], cost = MAX_OBJECT_CHECK_COST) {
    const asking = namings.filter(({ modulation }) => modulation.statusCollectors.length > 0);
    const share = Math.floor(cost / Math.max(asking.length, 1));
    for (const { modulation } of asking) {
      const purse: Purse = { left: share };
      for (const name of modulation.statusCollectors) {
        const naming = this.#naming.get(name) ?? [];
        this.#naming.set(name, naming);
        naming.push(purse);
      }
    }
  }

  /**
   * Whether a collector may be checked now. Each Binding that names it and has enough left pays the cost. The first
   * collector that is offered may always be checked, however expensive it is. So each aggregation makes progress.
   */
  take(name: string, cost: number): boolean {
    const able = (this.#naming.get(name) ?? []).filter(({ left }) => left >= cost);
    for (const purse of able) purse.left -= cost;
    const takes = able.length > 0 || !this.#hasTaken;
    if (takes) this.#hasTaken = true;
    return takes;
  }
}
