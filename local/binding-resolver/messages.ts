import { counted } from '#shared/core/counted.ts';

/** The largest number of BindingPolicies that a message names. */
const MAX_NAMED = 3;

/** A resource that is not known, and why. */
export function notKnown(resource: string, why: string): string {
  return `${resource}: ${why}`;
}

/** Discovery failed, or has not ended yet. */
export function discovery(why?: string): string {
  return why === undefined ? 'discovery' : `discovery: ${why}`;
}

/**
 * Resources that are not known.
 *
 * @param problems each as {@link notKnown} says it; at least one
 */
export function problemsText(problems: readonly string[]): string {
  const [first = '', ...others] = problems;
  return others.length === 0 ? first : `${first}, and ${counted(others.length, 'other resource')}`;
}

/**
 * Only some BindingPolicies may select objects of the resources that are not known.
 *
 * @param problems as those of {@link problemsText}
 * @param policies names; at least one
 */
export function onlyForPolicies(problems: readonly string[], policies: readonly string[]): string {
  const names = policies.slice(0, MAX_NAMED).join(', ');
  const others = policies.length - MAX_NAMED;
  const more = others > 0 ? ` and ${counted(others, 'other')}` : '';
  const who = policies.length === 1 ? 'BindingPolicy' : 'BindingPolicies';
  const what = problems.length === 1 ? 'it' : 'them';
  return `${problemsText(problems)} (only for ${who} ${names}${more}, which may select ${what}; the other Bindings are written)`;
}

/** A Binding would lose objects of a resource, or WECs, that may come back soon. */
export function notChangedYet(resource: string): string {
  return `Binding not changed for a while: ${resource} is not served`;
}

/** Why a Binding of the name of a BindingPolicy is left as it is. */
export const LEFT = {
  toKubeStellar:
    'BindingPolicy left to KubeStellar, which has put its finalizer there: remove the finalizer if KubeStellar is not installed anymore',
  toItsCreator:
    'Binding not changed: it was created by hand; delete it to have it created from the BindingPolicy of its name',
} as const;

/** The API server has not taken the write of a Binding. */
export const CANNOT_WRITE = 'cannot write Binding';
