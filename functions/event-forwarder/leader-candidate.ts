import { isDeepStrictEqual } from 'node:util';
import { equalJson } from '#shared/core/json.ts';
import { ApiConflictError } from '#shared/errors.ts';
import {
  JITTER_FACTOR,
  type LeaderElectionOptions,
  type LeaderElectionState,
} from './leader-election-options.ts';
import { LeaderTerm } from './leader-term.ts';
import {
  acquiredLease,
  epochOfHolder,
  epochOfLease,
  isEpochTransition,
  type Lease,
  leaseState,
  leaseWithEpoch,
  newLease,
  releasedLease,
} from './lease.ts';
import { LeaseRequests } from './lease-requests.ts';

/** The maximum number of attempts to release the Lease if writes of other processes conflict. */
const RELEASE_ATTEMPTS = 3;

/** A candidate of an election (`runLeaderElection`). */
export class LeaderCandidate {
  readonly #options: LeaderElectionOptions;
  readonly #requests: LeaseRequests;
  /** The Lease as last read, and the time since which it has been unchanged, on the monotonic clock. */
  #seen: { readonly lease: Lease; readonly at: number } | undefined;
  #highestEpoch = 0;
  /** A write of this process may have made it the holder. */
  #mayHold = false;
  #state: LeaderElectionState = {
    role: 'candidate',
    holder: undefined,
    epoch: undefined,
    renewedAt: undefined,
    error: undefined,
  };

  constructor(options: LeaderElectionOptions) {
    this.#options = options;
    const { api, lease, sleep, times } = options;
    this.#requests = new LeaseRequests({ api, lease, sleep, timeoutMs: times.renewDeadlineMs / 2 });
  }

  async run(stop: AbortSignal): Promise<void> {
    const { times, sleep, random } = this.#options;
    while (!stop.aborted) {
      const term = await this.#tryToAcquire(stop);
      if (term !== undefined && !stop.aborted) {
        const outcome = await term.run(stop);
        // After a lost Lease, the candidate reads the new holder at once. If the work ended by itself, the candidate leaves the
        // Lease to others.
        if (outcome === 'lost') continue;
        if (!stop.aborted) await this.#release();
      }
      await sleep(times.retryPeriodMs * (1 + JITTER_FACTOR * random()), stop);
    }
    await this.#release();
  }

  async #tryToAcquire(stop: AbortSignal): Promise<LeaderTerm | undefined> {
    try {
      const lease = await this.#requests.read(stop);
      this.#see(lease);
      if (!this.#isFree()) {
        this.#report({ error: undefined });
        return undefined;
      }
      return await this.#acquire(lease, stop);
    } catch (error) {
      // A conflict means that another candidate was faster. The next attempt reads the holder.
      if (!(stop.aborted || error instanceof ApiConflictError))
        this.#report({ error: this.#requests.faultText(error) });
      return undefined;
    }
  }

  async #acquire(lease: Lease | undefined, stop: AbortSignal): Promise<LeaderTerm | undefined> {
    const { identity, clock, monotonic, times } = this.#options;
    const transitions = this.#nextTransitions(lease);
    const least = lease && epochOfLease(lease, transitions);
    if (least !== undefined && 'fault' in least) return this.#refuse(least.fault);
    const holding = {
      holder: identity,
      durationMs: times.leaseDurationMs,
      transitions,
      nowMs: clock(),
    };
    const startedAt = monotonic();
    this.#mayHold = true;
    const stored =
      lease === undefined
        ? await this.#requests.create(newLease(this.#options.lease, holding), stop)
        : await this.#requests.replace(acquiredLease(lease, holding), stop);
    const result = epochOfHolder(stored, this.#highestEpoch);
    this.#see(stored);
    if ('fault' in result) return this.#refuse(result.fault);
    const { epoch } = result;
    const held = await this.#requests.replace(leaseWithEpoch(stored, epoch), stop);
    this.#see(held);
    // The process was frozen until the answer was too old to rely on.
    if (monotonic() - startedAt >= times.renewDeadlineMs) return undefined;
    const deps = {
      options: this.#options,
      requests: this.#requests,
      report: (change: Partial<LeaderElectionState>) => this.#report(change),
    };
    return new LeaderTerm(deps, { epoch, lease: held, startedAt });
  }

  #refuse(fault: string): undefined {
    this.#report({ error: this.#requests.faultText(fault) });
  }

  /**
   * One more than the highest known number of transitions, even if the Lease is gone. A Lease that is created again within the
   * same second starts higher.
   */
  #nextTransitions(lease: Lease | undefined): number {
    const before = lease ?? this.#seen?.lease;
    if (before === undefined) return 0;
    const next = before.transitions + 1;
    return lease !== undefined || isEpochTransition(next) ? next : 0;
  }

  #see(lease: Lease | undefined): void {
    if (lease === undefined) {
      // The observation of the former holder stays. That process may believe that it leads until its own deadline.
      this.#mayHold = false;
      this.#report({ holder: '' });
      return;
    }
    const before = this.#seen?.lease;
    if (before === undefined || !equalJson(leaseState(before), leaseState(lease)))
      this.#seen = { lease, at: this.#options.monotonic() };
    this.#mayHold = lease.holder === this.#options.identity;
    const observed = epochOfLease(lease, lease.transitions);
    if ('epoch' in observed) this.#highestEpoch = Math.max(this.#highestEpoch, observed.epoch);
    this.#report({ holder: lease.holder });
  }

  /**
   * Whether the Lease is free: nobody holds it, this process holds it, or its holder has not renewed it while it was observed
   * for long enough.
   */
  #isFree(): boolean {
    if (this.#seen === undefined) return true;
    const { lease, at } = this.#seen;
    if (lease.holder === '' || lease.holder === this.#options.identity) return true;
    const durationMs = lease.durationMs || this.#options.times.leaseDurationMs;
    return this.#options.monotonic() - at >= durationMs;
  }

  /** Best effort: if the release fails, the Lease expires. */
  async #release(): Promise<void> {
    const { signal } = new AbortController();
    for (let attempt = 1; this.#mayHold && attempt <= RELEASE_ATTEMPTS; attempt += 1) {
      try {
        const lease = await this.#requests.read(signal);
        this.#see(lease);
        if (lease === undefined || !this.#mayHold) return;
        const object = releasedLease(lease, this.#options.clock());
        this.#see(await this.#requests.replace(object, signal));
      } catch (error) {
        if (error instanceof ApiConflictError) continue;
        this.#report({ error: this.#requests.faultText(error) });
        return;
      }
    }
  }

  #report(change: Partial<LeaderElectionState>): void {
    const before = this.#state;
    this.#state = { ...before, ...change };
    if (!isDeepStrictEqual(before, this.#state)) this.#options.onState?.(this.#state);
  }
}
