import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import type { LeaseName } from './lease.ts';

/** Times of an election, with the meaning that they have in client-go (tools/leaderelection). */
export interface LeaderElectionTimes {
  /** After so long without a renewal another candidate takes the Lease. */
  readonly leaseDurationMs: number;
  /** After so long without a renewal the leader stops. */
  readonly renewDeadlineMs: number;
  /** Between two attempts. */
  readonly retryPeriodMs: number;
}

/** What the work of a leader is given. */
export interface Leadership {
  /** Greater than that of every leader before on this Lease (`epochOfLease`). */
  readonly epoch: number;
  /** Aborts when the work is to end: leadership was lost, or the election stops and the Lease is still held. */
  readonly signal: AbortSignal;
  /**
   * Whether leadership is held at this moment; to be asked right before each send. It knows of a renewal deadline that
   * passed while the process was frozen before any timer runs. After the signal has aborted it tells the two reasons
   * apart: while it is true, what is unsent may still be sent.
   */
  readonly holds: () => boolean;
}

/** How a candidate is. */
export interface LeaderElectionState {
  /** `resigning`: it has lost leadership or is to stop, and waits for its work to end. */
  readonly role: 'candidate' | 'leader' | 'resigning';
  /** The Lease's holderIdentity as last read or written; `''`: nobody; `undefined`: not known yet. */
  readonly holder: string | undefined;
  /** Of the term that runs, also while resigning. */
  readonly epoch: number | undefined;
  /**
   * When the last renewal of that term that succeeded was sent, on the monotonic clock. A term that goes on for longer
   * than leaseDuration and 20 s after it is stuck: its work does not end (client-go's HealthzAdaptor).
   */
  readonly renewedAt: number | undefined;
  /** What went wrong last, and what to do; `undefined` when an attempt has succeeded since. */
  readonly error: string | undefined;
}

/** What an election needs of the world. */
export interface LeaderElectionOptions extends Waiting {
  readonly api: ObjectApi;
  readonly lease: LeaseName;
  /** Of this run of this process alone: two runs with one identity would take the other's Lease for their own. */
  readonly identity: string;
  readonly times: LeaderElectionTimes;
  /** Milliseconds from anywhere; never set back, and running also while the process is frozen. */
  readonly monotonic: () => number;
  /** Milliseconds since 1970; only written into the Lease. */
  readonly clock: () => number;
  /** The work of a leader. It ends soon after its signal has aborted; until then nobody is a candidate here. */
  readonly lead: (leadership: Leadership) => Promise<void>;
  /** Called when something of the state has changed, at least at each renewal; must not throw. */
  readonly onState?: (state: LeaderElectionState) => void;
}

/** A candidate waits for up to so many retry periods more, at random (client-go's own figure). */
export const JITTER_FACTOR = 1.2;

/**
 * Refuses times that no election can work with.
 *
 * @throws RangeError that names the two times and what to change.
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
