import { WORK_GROUP } from '#shared/core/binding/managed-cluster.ts';
import { FLEET_GROUP } from '#shared/core/fleet-object.ts';
import { CONTROL_GROUP } from '#shared/core/kubestellar.ts';
import { nearestName } from '#shared/core/nearest-name.ts';

// The states of the checks. Each follows the name of its check and a colon.

/** Groups that the cluster must serve for the source, with the installation of their definitions. */
const INSTALLED_BY: Readonly<Record<string, string>> = {
  [CONTROL_GROUP]:
    "install KubeStellar's CustomResourceDefinitions (kubectl apply -f infra/crds) in this cluster",
  [FLEET_GROUP]:
    'install Fleet in this cluster (its chart fleet-crd has the definition), or watch its management cluster',
  [WORK_GROUP]:
    'register this cluster with Open Cluster Management (its klusterlet brings the definition), or choose the objects by source.select.labelSelector or resources',
};

const SOURCE_REMEDY = 'check that the API server answers and that the role allows list and watch';
const QUEUE_REMEDY =
  'check the queue of the configuration, its credentials and the connection to it; nothing is lost meanwhile';

/** WorkStatuses have a remedy of their own: unlike the other kinds of their group, they do not belong to a WDS. */
const WORK_STATUSES_REMEDY =
  "this is not an ITS, or KubeStellar's status add-on, which brings the definition, is not installed in it: watch the ITS, or install forwarders in the WECs (docs/install.md)";

/** `fault` is the reason why the cluster is not watched. */
export function sourceFails(fault: string): string {
  return `${fault}; ${SOURCE_REMEDY}`;
}

/** A resource that the cluster serves. */
export function cannotList(fault: string): string {
  return `${sourceFails(`cannot be listed or watched: ${fault}`)} of it`;
}

/** A resource that the configuration names and the cluster does not serve. */
export function notServed(name: string, served: readonly string[]): string {
  const nearest = nearestName(name, served);
  const remedy =
    nearest === undefined
      ? 'install its definition'
      : `did you mean ${nearest}? Else install its definition`;
  return `not served by the cluster, though source.select.resources names it: ${remedy}, or remove it there`;
}

/** How to install the definition of a resource that a source requires. `undefined` if the source works without it. */
export function definitionRemedy(name: string): string | undefined {
  if (name.startsWith('workstatuses.')) return WORK_STATUSES_REMEDY;
  // Older versions of Fleet have no HelmOps.
  if (name.startsWith('helmops.')) return undefined;
  return INSTALLED_BY[/^[^./]+\.(.+)\//.exec(name)?.[1] ?? ''];
}

/** `remedy` is {@link definitionRemedy}. */
export function definitionMissing(remedy: string): string {
  return `not served by the cluster: ${remedy}`;
}

/** A resource without which the source is complete. */
export const NOT_SERVED = definitionMissing('it has no objects');

/** `fault` is the answer of the API server. */
export function leftOut(fault: string): string {
  return `left out, because the role does not allow it: ${fault}`;
}

/** The first listing is in progress. */
export const NOT_LISTED = 'not everything has been listed yet; wait, or see the resources below';

/** In every state of the queue. */
export function eventsWait(events: number): string {
  return `${events} events wait`;
}

/** `fault` is the reason of the last failure. */
export function queueFails(fault: string, events: number): string {
  return `${fault}; ${eventsWait(events)}; ${QUEUE_REMEDY}`;
}

/** Nothing has been sent, although there are events. */
export function nothingAccepted(events: number): string {
  return `has accepted nothing yet; ${eventsWait(events)}; wait for the first snapshot`;
}

/** Nothing has been sent, because there are no events. */
export const NOTHING_SENT = 'there was nothing to send yet';

/** The states of an election that end without a remedy. */
export const LEADER_WAITS = {
  started: 'this process has just been started; wait',
  unread: 'the Lease has not been read yet; wait',
  resigning: 'this process has stopped leading; wait',
  holds: 'this process holds the Lease and does not forward yet; wait',
  vacant: 'no process leads yet; wait',
} as const;

/** The process ends. */
export const STOPPING = 'this process is stopping; another one takes over';

/** The age of the Lease. */
export function renewed(seconds: number): string {
  return `the Lease was renewed ${seconds} s ago`;
}

/** The Lease has expired long ago, but this process still leads. */
export function leaderStuck(seconds: number): string {
  return `${renewed(seconds)}, and the work of the leader has not ended: restart this process`;
}

/** In the log, with notices: the source has objects or resources that are left out. */
export const NOT_EVERYTHING = 'not everything is forwarded';
