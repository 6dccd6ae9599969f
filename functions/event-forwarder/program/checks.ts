import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { LeaderElectionTimes } from '#functions/event-forwarder/leader-election-options.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
import {
  cannotList,
  definitionMissing,
  definitionRemedy,
  eventsWait,
  LEADER_WAITS,
  leaderStuck,
  leftOut,
  NOT_LISTED,
  NOT_SERVED,
  NOTHING_SENT,
  nothingAccepted,
  notServed,
  queueFails,
  renewed,
  STOPPING,
  sourceFails,
} from './check-messages.ts';
import type { ProgramStatus } from './status.ts';

/** The result of one check. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** The state, with the remedy if the check fails. One line. */
  readonly text: string;
  /** Nothing is broken, but some objects are not forwarded. */
  readonly notice?: true;
}

/** The time that a leader may continue after its Lease has expired, before it counts as stuck (client-go, HealthzAdaptor). */
const TOLERATED_MS = 20_000;

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

interface Asked {
  /** The configuration names the resource. */
  readonly configured: boolean;
  readonly served: readonly string[];
}

function resourceCheck(
  name: string,
  { phase, error }: ReflectorState,
  { configured, served }: Asked,
): Check {
  if (phase === 'waiting') {
    const text = cannotList(oneLine(error ?? 'no reason known'));
    return { name, ok: false, text };
  }
  if (phase === 'not-served') {
    if (configured) return { name, ok: false, text: notServed(name, served) };
    const remedy = definitionRemedy(name);
    return remedy === undefined
      ? { name, ok: true, text: NOT_SERVED }
      : { name, ok: false, text: definitionMissing(remedy) };
  }
  if (phase === 'forbidden')
    return {
      name,
      ok: true,
      text: leftOut(oneLine(error ?? '')),
      notice: true,
    };
  return { name, ok: true, text: phase };
}

function sourceCheck(state: ForwarderState): Check {
  const name = 'source';
  if (state.sourceError !== undefined)
    return { name, ok: false, text: sourceFails(oneLine(state.sourceError)) };
  if (!state.connected)
    return { name, ok: false, text: sourceFails('the cluster is not being watched') };
  if (!state.complete)
    return {
      name,
      ok: false,
      text: NOT_LISTED,
    };
  return { name, ok: true, text: `connected, ${state.objects} objects` };
}

function queueCheck(state: ForwarderState, sent: boolean): Check {
  const name = 'queue';
  if (state.queueError !== undefined)
    return { name, ok: false, text: queueFails(oneLine(state.queueError), state.unsent) };
  // An ITS without any WEC sends nothing, not even the end of a snapshot.
  if (!sent && state.complete && state.unsent === 0) return { name, ok: true, text: NOTHING_SENT };
  if (!sent)
    return {
      name,
      ok: false,
      text: nothingAccepted(state.unsent),
    };
  return { name, ok: true, text: `accepts events, ${eventsWait(state.unsent)}` };
}

/** A temporary state has a check name of its own. So a fault that follows it is a different check, and is logged. */
function waiting(state: keyof typeof LEADER_WAITS): Check {
  return { name: 'leader', ok: false, text: LEADER_WAITS[state] };
}

/** A process that does not forward is ready only as a standby: if it takes part in an election that another process has won. */
function standbyCheck({ identity, election }: ProgramStatus): Check {
  // The endpoints answer before the process takes part in an election, or leads without one.
  if (election === undefined) return waiting('started');
  const { role, holder } = election;
  // Before the Lease was read for the first time, this process does not take part.
  if (holder === undefined) return waiting('unread');
  if (role === 'resigning') return waiting('resigning');
  // This process writes its epoch to the Lease before it leads.
  if (role === 'leader' || holder === identity) return waiting('holds');
  if (holder === '') return waiting('vacant');
  return { name: 'election', ok: true, text: `standby, ${holder} leads` };
}

function electionCheck(status: ProgramStatus): Check {
  const name = 'election';
  const { stopping, election, term } = status;
  if (stopping) return { name, ok: false, text: STOPPING };
  if (election?.error !== undefined) return { name, ok: false, text: oneLine(election.error) };
  if (term === undefined) return standbyCheck(status);
  const alone = election === undefined ? ', without an election' : '';
  return { name, ok: true, text: `leader, epoch ${term.epoch}${alone}` };
}

function noticeCheck(text: string): Check {
  return { name: 'notice', ok: true, text: oneLine(text), notice: true };
}

/**
 * Checks whether the process is ready. It is ready if all checks are ok. A standby is ready while it takes part in the
 * election.
 */
export function readiness(status: ProgramStatus): readonly Check[] {
  const { term, configured } = status;
  const election = electionCheck(status);
  if (term === undefined) return [election];
  const { forwarder, sent, served } = term;
  return [
    election,
    sourceCheck(forwarder),
    queueCheck(forwarder, sent),
    ...[...forwarder.resources].map(([name, state]) =>
      resourceCheck(name, state, { configured: configured.includes(name), served }),
    ),
    ...forwarder.problems.map(noticeCheck),
  ];
}

/**
 * Checks whether the process should continue to run. A check fails if a leader does not notice that its term is over.
 *
 * @param now on the monotonic clock of the election, in milliseconds
 */
export function liveness(
  { election }: ProgramStatus,
  times: LeaderElectionTimes,
  now: number,
): readonly Check[] {
  const ping: Check = { name: 'ping', ok: true, text: 'ok' };
  if (election?.renewedAt === undefined) return [ping];
  const age = now - election.renewedAt;
  const seconds = Math.floor(age / 1_000);
  if (age <= times.leaseDurationMs + TOLERATED_MS)
    return [ping, { name: 'lease', ok: true, text: renewed(seconds) }];
  return [ping, { name: 'lease', ok: false, text: leaderStuck(seconds) }];
}
