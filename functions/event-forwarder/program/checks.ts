import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { LeaderElectionTimes } from '#functions/event-forwarder/leader-election-options.ts';
import { FLEET_GROUP } from '#shared/core/fleet/fleet-object.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import type { ReflectorState } from '#shared/watch/reflection.ts';
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

/** Groups that the cluster must serve for the source, with the installation of their definitions. */
const INSTALLED_BY: Readonly<Record<string, string>> = {
  [CONTROL_GROUP]:
    "install KubeStellar's CustomResourceDefinitions (kubectl apply -f infra/crds) in this cluster",
  [FLEET_GROUP]:
    'install Fleet in this cluster (its chart fleet-crd has the definition), or watch its management cluster',
  'work.open-cluster-management.io':
    'register this cluster with Open Cluster Management (its klusterlet brings the definition), or choose the objects by source.select.labelSelector or resources',
};

const SOURCE_REMEDY = 'check that the API server answers and that the role allows list and watch';
const QUEUE_REMEDY =
  'check the queue of the configuration, its credentials and the way to it; nothing is lost meanwhile';

/** WorkStatuses have a remedy of their own: unlike the other kinds of their group, they do not belong to a WDS. */
const WORK_STATUSES_REMEDY =
  "this is no ITS, or KubeStellar's status add-on, which brings the definition, is not installed in it: watch the ITS, or install forwarders in the WECs (docs/install.md)";

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The text for a resource that the configuration names and the cluster does not serve. */
function unservedText(name: string, served: readonly string[]): string {
  const nearest = nearestName(name, served);
  const remedy =
    nearest === undefined
      ? 'install its definition'
      : `did you mean ${nearest}? Else install its definition`;
  return `not served by the cluster, though source.select.resources names it: ${remedy}, or remove it there`;
}

interface Asked {
  /** The configuration names the resource. */
  readonly configured: boolean;
  readonly served: readonly string[];
}

/** The installation of the definition of a resource that a source requires. */
function definitionRemedy(name: string): string | undefined {
  if (name.startsWith('workstatuses.')) return WORK_STATUSES_REMEDY;
  // Older versions of Fleet have no HelmOps.
  if (name.startsWith('helmops.')) return undefined;
  return INSTALLED_BY[/^[^./]+\.(.+)\//.exec(name)?.[1] ?? ''];
}

function resourceCheck(
  name: string,
  { phase, error }: ReflectorState,
  { configured, served }: Asked,
): Check {
  if (phase === 'waiting') {
    const text = `cannot be listed or watched: ${oneLine(error ?? 'no reason known')}; ${SOURCE_REMEDY} of it`;
    return { name, ok: false, text };
  }
  if (phase === 'not-served') {
    if (configured) return { name, ok: false, text: unservedText(name, served) };
    const remedy = definitionRemedy(name);
    return remedy === undefined
      ? { name, ok: true, text: 'not served by the cluster: it has no objects' }
      : { name, ok: false, text: `not served by the cluster: ${remedy}` };
  }
  if (phase === 'forbidden')
    return {
      name,
      ok: true,
      text: `left out, as the role does not allow it: ${oneLine(error ?? '')}`,
      notice: true,
    };
  return { name, ok: true, text: phase };
}

function sourceCheck(state: ForwarderState): Check {
  const name = 'source';
  if (state.sourceError !== undefined)
    return { name, ok: false, text: `${oneLine(state.sourceError)}; ${SOURCE_REMEDY}` };
  if (!state.connected)
    return { name, ok: false, text: `the cluster is not being watched; ${SOURCE_REMEDY}` };
  if (!state.complete)
    return {
      name,
      ok: false,
      text: 'not everything has been listed yet; wait, or look at the resources below',
    };
  return { name, ok: true, text: `connected, ${state.objects} objects` };
}

function queueCheck(state: ForwarderState, sent: boolean): Check {
  const name = 'queue';
  const waiting = `${state.unsent} events wait`;
  if (state.queueError !== undefined)
    return { name, ok: false, text: `${oneLine(state.queueError)}; ${waiting}; ${QUEUE_REMEDY}` };
  // An ITS without any WEC sends nothing, not even the end of a snapshot.
  if (!sent && state.complete && state.unsent === 0)
    return { name, ok: true, text: 'there was nothing to send yet' };
  if (!sent)
    return {
      name,
      ok: false,
      text: `has accepted nothing yet; ${waiting}; wait for the first snapshot`,
    };
  return { name, ok: true, text: `accepts events, ${waiting}` };
}

/** A temporary state has a check name of its own. So a fault that follows it is a different check, and is logged. */
function waiting(text: string): Check {
  return { name: 'leader', ok: false, text: `${text}; wait` };
}

/** A process that does not forward is ready only as a standby: if it takes part in an election that another process has won. */
function standbyCheck({ identity, election }: ProgramStatus): Check {
  // The endpoints answer before the process takes part in an election, or leads without one.
  if (election === undefined) return waiting('this process has just been started');
  const { role, holder } = election;
  // Before the Lease was read for the first time, this process does not take part.
  if (holder === undefined) return waiting('the Lease has not been read yet');
  if (role === 'resigning') return waiting('this process has stopped leading');
  // This process writes its epoch to the Lease before it leads.
  if (role === 'leader' || holder === identity)
    return waiting('this process holds the Lease and does not forward yet');
  if (holder === '') return waiting('nobody leads yet');
  return { name: 'election', ok: true, text: `standby, ${holder} leads` };
}

function electionCheck(status: ProgramStatus): Check {
  const name = 'election';
  const { stopping, election, term } = status;
  if (stopping)
    return { name, ok: false, text: 'this process has been told to stop; another one takes over' };
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
  const text = `the Lease was renewed ${Math.floor(age / 1_000)} s ago`;
  if (age <= times.leaseDurationMs + TOLERATED_MS) return [ping, { name: 'lease', ok: true, text }];
  const stuck = `${text}, and the work of the leader has not ended: start this process again`;
  return [ping, { name: 'lease', ok: false, text: stuck }];
}
