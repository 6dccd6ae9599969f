import { wholeTenant } from '#shared/ports/message-queue.ts';
import type { SqliteDatabase } from './database.ts';

/** The tenants that wait are counted up to this number. */
const MAX_COUNTED = 64;

/**
 * The numbers of the turns of one queue: the tenant with the lowest number is next. A tenant that has had a turn comes after all
 * others. The parts of a tenant share its turns, however many they are: their numbers are as far apart as the turns of one tenant
 * are while all others that wait have one too.
 */
export class TurnNumbers {
  readonly #latest: () => number;
  readonly #waiting: () => number;
  /** The number of the last turn. Another process that uses the queue may have come further. */
  #reached: number;
  /** By tenant, the last number of a part of it. */
  readonly #last = new Map<string, number>();

  constructor(database: SqliteDatabase, queue: string) {
    const latest = database.prepare(`SELECT served FROM turns
      WHERE queue = ? AND instr(tenant, '~') = 0 ORDER BY served DESC LIMIT 1`);
    const waiting = database.prepare(`SELECT count(*) AS count FROM (SELECT 1 FROM turns
      WHERE queue = ? AND ready = 1 AND instr(tenant, '~') = 0 LIMIT ${MAX_COUNTED})`);
    const first = database.prepare(`SELECT served FROM turns
      WHERE queue = ? AND ready = 1 AND instr(tenant, '~') > 0 ORDER BY served LIMIT 1`);
    this.#latest = () => Number(latest.get(queue)?.['served'] ?? 0);
    this.#waiting = () => Number(waiting.get(queue)?.['count']);
    this.#reached = Number(first.get(queue)?.['served'] ?? 0);
  }

  /** The tenant with this number has a turn. */
  reached(number: number): void {
    this.#reached = Math.max(this.#reached, number);
  }

  /** The number of the next turn of a tenant, or of a part of it. */
  next(tenant: string): number {
    const now = Math.max(this.#reached, this.#latest());
    const whole = wholeTenant(tenant);
    if (whole === tenant) return now + 1;
    const number = Math.max(now, this.#last.get(whole) ?? 0) + Math.max(this.#waiting(), 1);
    this.#last.set(whole, number);
    return number;
  }
}
