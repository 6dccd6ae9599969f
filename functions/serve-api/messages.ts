import { FLEET_KINDS } from '#shared/core/fleet-object.ts';
import type { FleetSubject } from '#shared/core/subject.ts';

// The sentences of problems and errors that only this function has. Those of the API of WDSes are in shared/api/messages.ts.

/** A method that changes something. */
export const ONLY_GET = 'only GET is allowed';

/** `paths` are those that are served. */
export function nothingAt(paths: readonly string[]): string {
  return `there is nothing at this path: request ${paths.join(' or ')}`;
}

/** The table does not answer. */
export const STORE_UNAVAILABLE = 'the store cannot be read at the moment: retry';

/** An error that nobody has expected. The log has it. */
export const INTERNAL_ERROR = 'internal error: see the log of serve-api';

/** `part` is the name of a part of the path. */
export function notUrlEncoded(part: string): string {
  return `${part} in the path is not URL-encoded`;
}

/** `known` are the parameters that there are. */
export function unknownParameter(name: string, known: readonly string[]): string {
  return `there is no parameter ${JSON.stringify(name)}: leave it out, or write one of ${known.join(', ')}`;
}

/** `limit` is no number, or none that is allowed. */
export function invalidLimit(max: number): string {
  return `limit must be a number from 1 to ${max}`;
}

/** A name that no management cluster can have. */
export const INVALID_UPSTREAM =
  'the management cluster in the path must be 1 to 253 letters, digits and . _ : @ -';

/** `listed` are the resources below which there are BundleDeployments. */
export function notListed(resource: string, listed: readonly string[]): string {
  return `BundleDeployments are listed of ${listed.join(', ')}, not of ${JSON.stringify(resource)}`;
}

/** `states` are those that a BundleDeployment can have. */
export function invalidState(states: readonly string[]): string {
  return `state must be one of ${states.join(', ')}: a target that is Pending has no BundleDeployment yet`;
}

/** `cursor` is that of another list, or of none. */
export const INVALID_CURSOR = 'cursor does not belong to this list: leave it out to start again';

/** A management cluster that has never reported. */
export function unknownUpstream(upstream: string): string {
  return `nothing was received from the management cluster ${upstream}: check its name`;
}

/** An object of Fleet without BundleDeployments. Perhaps it does not exist. */
export function unknownObject({ upstream, resource, namespace, name }: FleetSubject): string {
  return `nothing is known about ${FLEET_KINDS[resource]} ${namespace}/${name} in the management cluster ${upstream}: check its names`;
}

/** A WDS that is not in the settings. */
export function unknownWds(name: string): string {
  return `there is no WDS ${JSON.stringify(name)}: the path begins with /wds/ and a name in wdses of the settings`;
}

/** `plural` is the resource of BundleDeployments in the API of Fleet's state. */
export function onlyAboutFleet(plural: string): string {
  return `a WDS has no ${plural}: request /v1/fleet/UPSTREAM/RESOURCE/NAMESPACE/NAME/deployments, or read them by: starfold get bdst --stage STAGE`;
}

/** An answer without gzip, or one that is too large with it. */
export const LARGE_ANSWER =
  'the answer is larger than Lambda allows: accept gzip, or read at the direct door';
