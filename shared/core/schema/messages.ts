// The sentences about resources that Bindings and BindingPolicies name, and about their collectors' use of a kind. They are in
// `status.errors` of both.

/** The core group in a sentence. */
function groupText(group: string): string {
  return group === '' ? 'the core group' : group;
}

function noResource(resource: string): string {
  return `Kubernetes has no ${resource}`;
}

/** Both are a resource and its group and version, such as `deployments of apps/v1`. */
export function misspeltResource(named: string, meant: string): string {
  return `spec.workload: ${noResource(named)}; did you mean ${meant}?`;
}

/** A namespaced resource without a namespace, such as `deployments of apps/v1`. */
export function namespaceMissing(resource: string): string {
  return `spec.workload.clusterScope: ${resource} are in namespaces; move them to namespaceScope, with their namespaces`;
}

/** A cluster-scoped resource in a namespace, such as `nodes of v1`. */
export function namespaceForbidden(resource: string): string {
  return `spec.workload.namespaceScope: ${resource} are in no namespace; move them to clusterScope`;
}

/** A group in a clause of a BindingPolicy. `meant` is `''` for the core group. */
export function misspeltGroup(group: string, meant: string): string {
  return `spec.downsync: ${noResource(`group ${group}`)}; did you mean ${meant || '""'}?`;
}

interface NamedResource {
  readonly resource: string;
  readonly group: string;
}

/** A resource in a clause of a BindingPolicy, which may be one of any group, and the one that was probably meant. */
export function misspeltInClause(
  { resource, group }: Pick<NamedResource, 'resource'> & { readonly group: string | undefined },
  meant: NamedResource,
): string {
  const isEmpty = meant.group === '' && group !== undefined && group !== '';
  const suggestion = `did you mean ${meant.resource} of ${groupText(meant.group)}${isEmpty ? ', ""' : ''}?`;
  const fault = `spec.downsync: ${noResource(resource)}`;
  return group === undefined
    ? `${fault}; ${suggestion} If it is a custom resource, give its apiGroup`
    : `${fault} in ${groupText(group)}; ${suggestion}`;
}

/** An error of an expression: where it is, and what is wrong. */
interface LocatedError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** `path` is the field of the expression. */
export function errorIn(path: string, { line, column, message }: LocatedError): string {
  return `${path}, line ${line}, column ${column}: ${message}`;
}

/** The number of the errors that are not listed. */
export function moreCollectorErrors(count: number): string {
  return `and ${count} more errors of StatusCollectors`;
}
