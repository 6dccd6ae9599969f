import { LeaderCandidate } from './leader-candidate.ts';
import { checkLeaderElectionTimes, type LeaderElectionOptions } from './leader-election-options.ts';

/**
 * Takes part in the election of a leader by a Lease until the signal aborts. The process is a candidate, leads, and is a
 * candidate again after leadership was lost and the work has ended. The rules are those of client-go (tools/leaderelection),
 * with three differences. Each acquisition counts as a transition, even by the previous holder, so that no two terms share an
 * epoch. A deleted Lease ends the term. Leadership ends sooner: a renewal deadline after the last renewal was sent.
 *
 * The times of other holders are never compared with a clock of this machine. When the signal aborts, the Lease is renewed
 * until the work has ended, and is then released. Errors are reported by `onState`. The promise is never rejected.
 *
 * @throws RangeError if no election can work with the times (`checkLeaderElectionTimes`) or the identity is empty
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
