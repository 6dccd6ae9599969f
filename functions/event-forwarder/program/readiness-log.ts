import { LRUCache } from 'lru-cache';
import type { Check } from './checks.ts';
import type { ProgramLog } from './log.ts';

/** A line of a log has a limit with whoever collects it. */
const MAX_SHOWN = 20;
/** So many notices are remembered, so that none is logged twice. */
const MAX_REMEMBERED = 1_000;

/** What makes a notice another one: a resource is left out once, whatever the words of the refusal are. */
function keyOf({ name, text }: Check): string {
  return name === 'notice' ? text : name;
}

/**
 * Logs when what keeps the process from being ready changes; the same checks with other words are no change. Notices are
 * logged once, when they appear.
 */
export class ReadinessLog {
  readonly #log: ProgramLog;
  readonly #noticed = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  #failing: string | undefined;

  constructor(log: ProgramLog) {
    this.#log = log;
  }

  /** Takes note of the checks as they are now. */
  note(checks: readonly Check[]): void {
    this.#noteFailing(checks.filter(({ ok }) => !ok));
    this.#noteNew(checks.filter((check) => check.notice && !this.#noticed.has(keyOf(check))));
  }

  #noteFailing(bad: readonly Check[]): void {
    const failing = bad.map(({ name }) => name).join(' ');
    if (failing === this.#failing) return;
    this.#failing = failing;
    if (bad.length === 0) this.#log.info('ready', {});
    else this.#log.warn('not ready', { checks: bad.slice(0, MAX_SHOWN), failing: bad.length });
  }

  #noteNew(notices: readonly Check[]): void {
    if (notices.length === 0) return;
    for (const notice of notices) this.#noticed.set(keyOf(notice), true);
    const shown = notices.slice(0, MAX_SHOWN).map(({ name, text }) => ({ name, text }));
    this.#log.warn('not everything is forwarded', { notices: shown, count: notices.length });
  }
}
