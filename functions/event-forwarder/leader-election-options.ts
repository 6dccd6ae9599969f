import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { LeaseName } from './lease.ts';

/** Times of an election, with the meaning that they have in client-go (tools/leaderelection). */
export interface LeaderElectionTimes {
  /** The time without a renewal after which another candidate takes the Lease. */
  readonly leaseDurationMs: number;
  /** The time without a renewal after which the leader stops. */
  readonly renewDeadlineMs: number;
  /** The interval between two attempts. */
  readonly retryPeriodMs: number;
}

/** The parameters of the work of a leader. */
export interface Leadership {
  /** Greater than the epoch of every earlier leader with this Lease (`epochOfLease`). */
  readonly epoch: number;
  /** Aborts when the work must end: leadership was lost, or the election stops and the Lease is still held. */
  readonly signal: AbortSignal;
  /**
   * Whether leadership is held at this moment. Call it right before each send. If a renewal deadline passed while the process
   * was frozen, it returns false before any timer runs. After the signal has aborted, it distinguishes the two reasons: while
   * it returns true, unsent events may still be sent.
   */
  readonly holds: () => boolean;
}

/** The state of a candidate. */
export interface LeaderElectionState {
  /** `resigning`: the candidate has lost leadership or must stop, and waits for its work to end. */
  readonly role: 'candidate' | 'leader' | 'resigning';
  /** The Lease's holderIdentity as last read or written; `''`: nobody; `undefined`: not known yet. */
  readonly holder: string | undefined;
  /** The epoch of the current term, also while resigning. */
  readonly epoch: number | undefined;
  /**
   * The time at which the last successful renewal of the term was sent, on the monotonic clock. If the term lasts for longer
   * than leaseDuration and 20 s after it, the term is stuck: its work does not end (client-go's HealthzAdaptor).
   */
  readonly renewedAt: number | undefined;
  /** The last error, with the remedy. `undefined`: an attempt has succeeded since. */
  readonly error: string | undefined;
}

/** The dependencies of an election. */
export interface LeaderElectionOptions extends Waiting {
  readonly api: ObjectApi;
  readonly lease: LeaseName;
  /** Unique to this run of this process. If two runs had one identity, each would take the Lease of the other for its own. */
  readonly identity: string;
  readonly times: LeaderElectionTimes;
  /** Milliseconds from an arbitrary start. The clock is never set back, and also runs while the process is frozen. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970; only written into the Lease. */
  readonly clock: () => number;
  /** The work of a leader. It ends soon after its signal has aborted. Until then, this process is not a candidate. */
  readonly lead: (leadership: Leadership) => Promise<void>;
  /** Called when the state has changed, at least at each renewal. Must not throw. */
  readonly onState?: (state: LeaderElectionState) => void;
}

/** A candidate waits for a random time of up to this number of additional retry periods (client-go's own value). */
export const JITTER_FACTOR = 1.2;

/**
 * Checks that an election can work with the times.
 *
 * @throws RangeError that names the two times and the remedy
 */
export function checkLeaderElectionTimes(times: LeaderElectionTimes): void {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = times;
  const shown = `leaseDuration ${leaseDurationMs / 1000} s, renewDeadline ${renewDeadlineMs / 1000} s, retryPeriod ${retryPeriodMs / 1000} s`;
  if (!(retryPeriodMs > 0))
    throw new RangeError(`leader election: ${shown}: retryPeriod must be greater than 0`);
  if (!(renewDeadlineMs > retryPeriodMs * JITTER_FACTOR))
    throw new RangeError(
      `leader election: ${shown}: renewDeadline must be greater than ${JITTER_FACTOR} times retryPeriod: raise renewDeadline or lower retryPeriod`,
    );
  if (!(leaseDurationMs > renewDeadlineMs && leaseDurationMs < Number.POSITIVE_INFINITY))
    throw new RangeError(
      `leader election: ${shown}: leaseDuration must be greater than renewDeadline: raise leaseDuration or lower renewDeadline`,
    );
}
