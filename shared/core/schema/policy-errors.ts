import type { BindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { intendedGroup, intendedName } from './intended-resource.ts';
import { misspeltGroup, misspeltInClause } from './messages.ts';

/** The maximum number of misspelt resources that are listed for a policy. */
const MAX_ERRORS = 20;

/** The error of a group for all of its resources. The group of a CustomResourceDefinition has a dot, so it is never one. */
function groupErrors(group: string): readonly string[] {
  const intended = group.includes('.') ? undefined : intendedGroup(group);
  return intended === undefined ? [] : [misspeltGroup(group, intended)];
}

function errorsOf(group: string | undefined, resource: string): readonly string[] {
  const intended = intendedName(group, resource);
  return intended === undefined ? [] : [misspeltInClause({ resource, group }, intended)];
}

/**
 * The errors of a BindingPolicy for its status: those that were found when it was read, and the resources in its clauses that
 * Kubernetes does not have, each with the resource that was probably meant. A clause with such a resource is still used, because
 * a later release may have a resource of that name.
 */
export function policyErrors({
  errors,
  clauses,
}: Pick<BindingPolicy, 'clauses' | 'errors'>): readonly string[] {
  const misspelt = clauses.flatMap(({ test }) => {
    const [group] = test.exact.group ?? [];
    const { resource: names } = test.exact;
    if (names === undefined) return group === undefined ? [] : groupErrors(group);
    return [...names].flatMap((resource) => errorsOf(group, resource));
  });
  return [...errors, ...[...new Set(misspelt)].slice(0, MAX_ERRORS)];
}
