import { LeaderCandidate } from './leader-candidate.ts';
import { checkLeaderElectionTimes, type LeaderElectionOptions } from './leader-election-options.ts';

/**
 * Takes part in the election of a leader by a Lease until the signal aborts: is a candidate, leads, and is a candidate
 * again when leadership was lost and the work has ended. The rules are those of client-go (tools/leaderelection), but each
 * time that leadership is won counts as a transition, also for the holder of before, so that no two terms share an epoch;
 * a Lease that was deleted ends the term; and leadership ends sooner, a renewal deadline after the last renewal was sent.
 *
 * Other holders' times are never compared with a clock of this machine. When the signal aborts, the Lease is renewed until
 * the work has ended, and then released. What goes wrong is told by `onState`; the promise is never rejected.
 *
 * @throws RangeError when no election can work with the times (`checkLeaderElectionTimes`) or the identity is empty.
 */
export function runLeaderElection(
  options: LeaderElectionOptions,
  signal: AbortSignal,
): Promise<void> {
  checkLeaderElectionTimes(options.times);
  if (options.identity === '')
    throw new RangeError('leader election: identity is empty: give each process one of its own');
  return new LeaderCandidate(options).run(signal);
}
