import { API_VERSION } from './api-group.ts';
import { unsupportedValue } from './messages.ts';

// The sentences about what is created and stored nowhere: queries, and the reviews that users create of themselves.

/** The remedy for another method than POST. */
export const CREATE_QUERY = 'a query is only created: use POST';

/** Like {@link CREATE_QUERY}. */
export const CREATE_REVIEW = 'a review is only created: use POST';

/** `value` is no value of `dryRun` in Kubernetes either. */
export function unsupportedDryRun(value: string): string {
  return `dryRun: ${unsupportedValue(value, ['All'])}`;
}

export const NOT_JSON = 'the body of the request is not JSON';

/** A body that is a JSON text. */
export const NOT_AN_OBJECT = 'the body of the request is not a JSON object, or is nested too deep';

export const NOT_PROTOBUF = 'the body of the request is not in protocol buffers';

/** A body that does not begin as those of clients in Go. */
export const NO_KUBERNETES_PROTOBUF = `${NOT_PROTOBUF} of Kubernetes`;

/** A kind, and the `apiVersion` that it has or is said to have. */
interface GivenKind {
  readonly kind: string;
  readonly apiVersion: string;
}

/** An object of another kind than the path. */
export function wrongKind({ kind, apiVersion }: GivenKind, wanted: string): string {
  return `the object is ${kind} of ${apiVersion}, and must be ${wanted} of ${API_VERSION}`;
}

/** An object with a namespace, of a kind without. */
export function noNamespace(kind: string): string {
  return `${kind} has no namespace: leave out metadata.namespace`;
}

/** Of `spec.continue`. */
export const CONTINUE_OF_OTHER = 'is not one that an answer to this query has given';

/** Of the field that names the resource, like the two that follow. The resource has objects, but not where the query asks. */
export const CREATE_CLUSTER_QUERY = 'its objects have no namespace: create a ClusterStatusQuery';

export const CREATE_NAMESPACED_QUERY =
  'its objects have a namespace: create a StatusQuery, or set workloads.allNamespaces';

export const NO_ALL_NAMESPACES = 'its objects have no namespace: leave out workloads.allNamespaces';

/** `asked` is a resource without objects, `near` a similar name of one with objects. */
export function noObjects(asked: string, near: string | undefined): string {
  const hint =
    near === undefined
      ? 'use the plural, such as deployments, and the group'
      : `did you mean ${near}?`;
  return `no Binding names objects of ${asked}: ${hint}`;
}

/** `near` is the similar name of a group whose objects some Binding names. */
export function noObjectsOfGroup(group: string, near: string | undefined): string {
  const asked = group === '' ? 'the core API group' : `the API group ${group}`;
  const hint = near === undefined ? 'check its name, or leave it out' : `did you mean ${near}?`;
  return `no Binding names objects of ${asked}: ${hint}`;
}

/** Where the rules are that a SelfSubjectRulesReview asks for. */
export const NO_RULES =
  'this server knows no rules: ask the WDS, or ask here about one verb and resource';

/** A SelfSubjectAccessReview without a resource. */
export const NO_RESOURCE_ATTRIBUTES =
  'spec.resourceAttributes: Required value: name a verb and a resource; what has no resource is open to everybody here';
