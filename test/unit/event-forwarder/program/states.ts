import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { LeaderElectionState } from '#functions/event-forwarder/leader-election-options.ts';
import type { ProgramStatus } from '#functions/event-forwarder/program/status.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';

/** A reflector that does what it should. */
export function reflectorState(change: Partial<ReflectorState> = {}): ReflectorState {
  return { phase: 'watching', synced: true, listings: 1, watches: 1, failures: 0, ...change };
}

/** A forwarder that does what it should, with one resource. */
export function forwarderState(change: Partial<ForwarderState> = {}): ForwarderState {
  return {
    connected: true,
    complete: true,
    resources: new Map([['deployments.apps/v1', reflectorState()]]),
    problems: [],
    unsent: 0,
    objects: 3,
    tooLarge: 0,
    ...change,
  };
}

/** A leader. */
export function electionState(change: Partial<LeaderElectionState> = {}): LeaderElectionState {
  return {
    role: 'leader',
    holder: 'pod-1',
    epoch: 7,
    renewedAt: 1_000,
    error: undefined,
    ...change,
  };
}

/** A process that has just been started. */
export const STARTED: ProgramStatus = { stopping: false, identity: 'pod-1', configured: [] };

/** A process that leads and does what it should. */
export function leading(forwarder: Partial<ForwarderState> = {}): ProgramStatus {
  const term = { epoch: 7, sent: true, forwarder: forwarderState(forwarder), served: [] };
  return { ...STARTED, election: electionState(), term };
}
