import { equalJson } from '#shared/core/json.ts';
import { ApiConflictError, ApiNotFoundError, messageOf } from '#shared/errors.ts';
import type { LeaderElectionOptions, LeaderElectionState } from './leader-election-options.ts';
import { type Lease, leaseTerm, renewedLease } from './lease.ts';
import type { LeaseRequests } from './lease-requests.ts';
import { leaseDeleted, leaseTaken, notRenewed, WORK_ENDED, workFailed } from './messages.ts';

/** The dependencies of a term, from the election that it was won in. */
export interface LeaderTermDeps {
  readonly options: Omit<LeaderElectionOptions, 'onState'>;
  readonly requests: LeaseRequests;
  readonly report: (change: Partial<LeaderElectionState>) => void;
}

/** The acquisition of leadership. */
export interface Acquisition {
  readonly epoch: number;
  /** The Lease as stored. */
  readonly lease: Lease;
  /** The time at which the request that acquired the Lease was sent, on the monotonic clock. */
  readonly startedAt: number;
}

/**
 * One term of leadership: the work of the leader, and the renewals during the work. Renewals count from the time at which they
 * were sent. The other candidates cannot have seen them earlier, so they wait for longer than this process believes that it
 * leads.
 */
export class LeaderTerm {
  readonly #deps: LeaderTermDeps;
  readonly #epoch: number;
  #lease: Lease;
  #renewedAt: number;
  #isOver = false;
  /** The error of the last attempt to renew. */
  #fault: string | undefined;
  /** Signals the work to end. */
  readonly #ending = new AbortController();
  /** Ends the renewals. */
  readonly #over = new AbortController();

  constructor(deps: LeaderTermDeps, { epoch, lease, startedAt }: Acquisition) {
    this.#deps = deps;
    this.#epoch = epoch;
    this.#lease = lease;
    this.#renewedAt = startedAt;
  }

  /** True while no other process can lead. Once false, it stays false. */
  readonly holds = (): boolean => {
    const { monotonic, times } = this.#deps.options;
    return !this.#isOver && monotonic() - this.#renewedAt < times.renewDeadlineMs;
  };

  /**
   * Runs the work of the leader until it has ended. The work is asked to end when leadership is lost or `stop` aborts.
   *
   * @returns `lost`, or `ended` if leadership was still held when the work ended. In that case the Lease can be released.
   */
  async run(stop: AbortSignal): Promise<'lost' | 'ended'> {
    const resign = (): void => this.#resign();
    const { report } = this.#deps;
    stop.addEventListener('abort', resign, { once: true });
    report({ role: 'leader', epoch: this.#epoch, renewedAt: this.#renewedAt, error: undefined });
    const [outcome] = await Promise.all([this.#work(), this.#renewals(), this.#watchDeadline()]);
    stop.removeEventListener('abort', resign);
    report({ role: 'candidate', epoch: undefined, renewedAt: undefined });
    return outcome;
  }

  async #work(): Promise<'lost' | 'ended'> {
    const { options, report } = this.#deps;
    const { signal } = this.#ending;
    try {
      await options.lead({ epoch: this.#epoch, signal, holds: this.holds });
      if (!signal.aborted) report({ error: WORK_ENDED });
    } catch (error) {
      report({ error: workFailed(messageOf(error)) });
    }
    const held = this.holds();
    this.#isOver = true;
    this.#over.abort();
    return held ? 'ended' : 'lost';
  }

  #resign(): void {
    if (this.#ending.signal.aborted) return;
    this.#deps.report({ role: 'resigning' });
    this.#ending.abort();
  }

  #lose(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#over.abort();
    this.#deps.report({ error: reason });
    this.#resign();
  }

  async #watchDeadline(): Promise<void> {
    const { monotonic, sleep, times } = this.#deps.options;
    while (!this.#over.signal.aborted) {
      const left = this.#renewedAt + times.renewDeadlineMs - monotonic();
      if (this.holds()) await sleep(Math.max(left, 1), this.#over.signal);
      else this.#missDeadline();
    }
  }

  #missDeadline(): void {
    const { lease, times } = this.#deps.options;
    const fault = this.#fault ?? `Lease ${lease.namespace}/${lease.name}`;
    this.#lose(notRenewed(fault, times.renewDeadlineMs / 1000));
  }

  async #renewals(): Promise<void> {
    const { sleep, times } = this.#deps.options;
    const { signal } = this.#over;
    for (;;) {
      await sleep(times.retryPeriodMs, signal);
      if (signal.aborted) return;
      try {
        await this.#renew(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#fault = this.#deps.requests.faultText(error);
        this.#deps.report({ error: this.#fault });
      }
    }
  }

  async #renew(signal: AbortSignal): Promise<void> {
    try {
      await this.#write(signal);
    } catch (error) {
      if (!(error instanceof ApiConflictError || error instanceof ApiNotFoundError)) throw error;
      // The Lease was changed by another process, or by a renewal of this process whose answer was lost.
      const lease = await this.#deps.requests.read(signal);
      if (lease === undefined || !equalJson(leaseTerm(lease), leaseTerm(this.#lease)))
        return this.#loseTo(lease);
      this.#lease = lease;
      await this.#write(signal);
    }
  }

  async #write(signal: AbortSignal): Promise<void> {
    const { monotonic, clock, times } = this.#deps.options;
    const startedAt = monotonic();
    const object = renewedLease(this.#lease, { durationMs: times.leaseDurationMs, nowMs: clock() });
    const stored = await this.#deps.requests.replace(object, signal);
    // The process may have been frozen meanwhile. A late answer does not restore leadership that was lost.
    if (!this.holds()) return this.#missDeadline();
    this.#lease = stored;
    this.#renewedAt = startedAt;
    this.#fault = undefined;
    this.#deps.report({ renewedAt: startedAt, holder: stored.holder, error: undefined });
  }

  #loseTo(lease: Lease | undefined): void {
    const { namespace, name } = this.#deps.options.lease;
    const holder = lease?.holder ?? '';
    const title = `Lease ${namespace}/${name}`;
    this.#deps.report({ holder });
    this.#lose(lease === undefined ? leaseDeleted(title) : leaseTaken(title, holder));
  }
}
