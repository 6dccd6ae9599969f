import { type GroupResource, resourceText } from '#shared/core/status-api/status-name.ts';
import { API_VERSION, GROUP } from './api-group.ts';

// The sentences of errors and warnings of the API. Those about lists, watches and `without` are in list-messages.ts, and those about
// queries and reviews are in query-messages.ts. Where an API server of Kubernetes has the same error, its words are used, because
// clients know them. What Starfold adds follows a colon.

function withRemedy(message: string, remedy: string | undefined): string {
  return remedy === undefined ? message : `${message}: ${remedy}`;
}

/** There is no such resource, subresource or path. */
export function resourceNotFound(remedy?: string): string {
  return withRemedy('the server could not find the requested resource', remedy);
}

/** The path exists, the method does not. */
export function methodNotSupported(remedy?: string): string {
  return withRemedy('the server does not allow this method on the requested resource', remedy);
}

/** There is no such object. */
export function objectNotFound(resource: GroupResource, name: string): string {
  return `${resourceText(resource)} "${name}" not found`;
}

/** The remedy for a path that is not served. */
export const SEE_DISCOVERY = `GET /apis/${API_VERSION} names what is served`;

/** The remedy for a method that changes something. */
export const ONLY_READ = 'it is only read: use GET';

/** kubectl asks about the namespace of an object that is not found. */
export const NO_NAMESPACES = `this server serves only ${GROUP}: ask the WDS about namespaces`;

/** `types` are the media types in which there is an answer. */
export function acceptedTypes(types: string): string {
  return `only the following media types are accepted: ${types}`;
}

/** A body of another media type. `types` are those that are read. */
export function unknownFormat(types: readonly string[]): string {
  return `the body of the request was in an unknown format - accepted media types include: ${types.join(', ')}`;
}

/** An object of another namespace than the path. */
export const WRONG_NAMESPACE =
  'the namespace of the provided object does not match the namespace sent on the request';

/** An error that nobody has expected. The log has it. */
export const INTERNAL_ERROR = 'Internal error occurred: see the log of starfold';

/** Nobody reads this sentence. */
export const CLIENT_GONE = 'the client has gone';

export const UNAUTHORIZED = 'Unauthorized';

/** A request that is to be answered as for somebody else. */
export const NO_IMPERSONATION =
  'this server does not impersonate: leave out --as, --as-group and --as-uid, or ask the API server of the WDS, through an APIService';

/** The body of a request is too large. */
export function largeBody(maxBytes: number): string {
  return `Request entity too large: limit is ${maxBytes}`;
}

/** The body of a request does not come. */
export function lateBody(seconds: number): string {
  return `the body of the request did not come within ${seconds} seconds`;
}

/** The body of a request is compressed. */
export const ENCODED_BODY = 'the body of the request must have no content-encoding';

export const NOT_UTF8 = 'the body of the request is not UTF-8';

/** A fault of a field of an object. */
interface FieldFault {
  readonly field: string;
  readonly message: string;
}

/** `object` is the kind and the group of an object without a name. */
export function invalidObject(object: string, faults: readonly FieldFault[]): string {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`);
  const text = texts.length === 1 ? texts.join() : `[${texts.join(', ')}]`;
  return `${object} "" is invalid: ${text}`;
}

/** Follows the name of a field. */
export function unsupportedValue(value: string, supported: readonly string[]): string {
  const values = supported.map((one) => `"${one}"`);
  return `Unsupported value: "${value}": supported values: ${values.join(', ')}`;
}

/** What {@link accessForbidden} names. `''` for a namespace or name that is not given. */
interface DeniedAccess extends GroupResource {
  readonly verb: string;
  readonly namespace: string;
  readonly name: string;
}

/** `reason` is that of the WDS, `''` if it gives none. */
export function accessForbidden(username: string, access: DeniedAccess, reason: string): string {
  const { verb, group, resource, namespace, name } = access;
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const what = `User "${username}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  const object = `${resourceText(access)}${name === '' ? '' : ` "${name}"`}`;
  return withRemedy(`${object} is forbidden: ${what}`, reason === '' ? undefined : reason);
}

/** A warning: the reader may not get the objects of `resources`. */
export function leftOut(resources: readonly string[]): string {
  return `objects of ${resources.join(', ')} are left out: you may not get these yourself`;
}

/** The WDS does not say who may do what. */
export function noPermissionReview(error: string): string {
  return `the WDS cannot be asked for permission: ${error}`;
}

/** The WDS does not say who has a token. */
export function noTokenReview(error: string): string {
  return `the WDS cannot be asked about a token: ${error}`;
}

/** What {@link placesOfUserTaken} names. */
interface TakenPlaces {
  /** The plural of what has a place, such as `watches`. */
  readonly what: string;
  readonly taken: number;
  /** How many of them one user may have. */
  readonly ofOneUser: number;
}

/** A user has as many watches or queries as one user may have. */
export function placesOfUserTaken(user: string, { what, taken, ofOneUser }: TakenPlaces): string {
  return `${JSON.stringify(user)} has ${taken} ${what} already, and one user may have ${ofOneUser}: end one, or try again later`;
}

/** `what` is the plural of what has a place. */
export function placesTaken(what: string, max: number): string {
  return `there are ${max} ${what} already: try again later`;
}
