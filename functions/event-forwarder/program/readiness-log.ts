import { LRUCache } from 'lru-cache';
import type { Waiting } from '#shared/watch/backoff.ts';
import { NOT_EVERYTHING } from './check-messages.ts';
import type { Check } from './checks.ts';
import type { ProgramLog } from './log.ts';

/** Log collectors limit the length of a line. */
const MAX_SHOWN = 20;
/** The number of notices that are remembered, so that no notice is logged twice. */
const MAX_REMEMBERED = 1_000;

/** The time for which changes are gathered after a line. Many resources may be refused or given up one after the other. */
const GATHER_MS = 5_000;

/** The key that distinguishes notices. A resource that is left out is one notice, even if the text of the refusal changes. */
function keyOf({ name, text }: Check): string {
  return name === 'notice' ? text : name;
}

function failingIn(checks: readonly Check[]): string {
  return checks.flatMap(({ name, ok }) => (ok ? [] : [name])).join(' ');
}

/**
 * Logs the changes of the checks that prevent readiness. If only the texts of the same checks change, nothing is logged.
 * Notices are logged once. The first change is logged at once, and so is readiness. Changes within the next 5 seconds are
 * logged together, as far as they last.
 */
export class ReadinessLog {
  readonly #log: ProgramLog;
  readonly #sleep: Waiting['sleep'];
  readonly #signal: AbortSignal;
  readonly #noticed = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  #failing: string | undefined;
  #latest: readonly Check[] = [];
  #gathering = false;

  /** @param signal ends the gathering of changes */
  constructor(log: ProgramLog, sleep: Waiting['sleep'], signal: AbortSignal) {
    this.#log = log;
    this.#sleep = sleep;
    this.#signal = signal;
  }

  /** Records the current checks. */
  note(checks: readonly Check[]): void {
    this.#latest = checks;
    const isReady = failingIn(checks) === '' && this.#failing !== '';
    if (this.#gathering && !isReady) return;
    if (this.#logChanges() && !this.#gathering) void this.#gather();
  }

  async #gather(): Promise<void> {
    this.#gathering = true;
    do await this.#sleep(GATHER_MS, this.#signal);
    while (!this.#signal.aborted && this.#logChanges());
    this.#gathering = false;
  }

  /** Logs what is new. Returns whether there was anything. */
  #logChanges(): boolean {
    const fresh = this.#latest.filter((check) => check.notice && !this.#noticed.has(keyOf(check)));
    const failing = failingIn(this.#latest);
    const isChanged = failing !== this.#failing;
    if (isChanged) this.#noteFailing(failing);
    this.#noteNew(fresh);
    return isChanged || fresh.length > 0;
  }

  #noteFailing(failing: string): void {
    this.#failing = failing;
    const bad = this.#latest.filter(({ ok }) => !ok);
    if (bad.length === 0) this.#log.info('ready', {});
    else this.#log.warn('not ready', { checks: bad.slice(0, MAX_SHOWN), failing: bad.length });
  }

  #noteNew(notices: readonly Check[]): void {
    if (notices.length === 0) return;
    for (const notice of notices) this.#noticed.set(keyOf(notice), true);
    const shown = notices.slice(0, MAX_SHOWN).map(({ name, text }) => ({ name, text }));
    this.#log.warn(NOT_EVERYTHING, { notices: shown, count: notices.length });
  }
}
