import { LRUCache } from 'lru-cache';
import type { Check } from './checks.ts';
import type { ProgramLog } from './log.ts';

/** Log collectors limit the length of a line. */
const MAX_SHOWN = 20;
/** The number of notices that are remembered, so that no notice is logged twice. */
const MAX_REMEMBERED = 1_000;

/** The key that distinguishes notices. A resource that is left out is one notice, even if the text of the refusal changes. */
function keyOf({ name, text }: Check): string {
  return name === 'notice' ? text : name;
}

/**
 * Logs each change of the checks that prevent readiness. If only the texts of the same checks change, nothing is logged.
 * Notices are logged once, when they appear.
 */
export class ReadinessLog {
  readonly #log: ProgramLog;
  readonly #noticed = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  #failing: string | undefined;

  constructor(log: ProgramLog) {
    this.#log = log;
  }

  /** Records the current checks. */
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
