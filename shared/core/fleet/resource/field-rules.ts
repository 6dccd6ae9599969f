import { at, isArray, isObject, type JsonObject, member } from '#shared/core/json.ts';
import { looseBoolean, looseText } from './loose-values.ts';
import { changed, type Rule } from './rule.ts';

function displayOf(object: JsonObject): JsonObject | undefined {
  return ['display', 'summary']
    .map((field) => at(object, 'status', field))
    .filter(isObject)
    .find((display) => Object.keys(display).length > 0);
}

/** What the resource says of itself: `.status.display`, or where that is empty `.status.summary`. */
export const displayRule: Rule = ({ object }, before) => {
  const display = displayOf(object);
  return changed(before, {
    state: looseText(member(display, 'state')),
    error: looseBoolean(member(display, 'error')),
    transitioning: looseBoolean(member(display, 'transitioning')),
    message: looseText(member(display, 'message')),
  });
};

/** `.spec.active` of a resource without a state: `active` or `inactive`. */
export const activeRule: Rule = ({ object }, before) => {
  if (before.state !== '') return before;
  const active = looseText(at(object, 'spec', 'active'));
  if (active === 'true') return { ...before, state: 'active' };
  return active === 'false' ? { ...before, state: 'inactive' } : before;
};

/** `.status.phase`: Succeeded and Bound end every transition; any other one is the state of a resource without one. */
export const phaseRule: Rule = ({ object }, before) => {
  const phase = looseText(at(object, 'status', 'phase'));
  if (phase === 'Succeeded' || phase === 'Bound')
    return { ...before, state: phase, transitioning: false };
  return before.state === '' ? { ...before, state: phase } : before;
};

function isLoadBalancer(object: JsonObject): boolean {
  return (
    member(object, 'kind') === 'Service' &&
    ['type', 'serviceKind'].some((field) => at(object, 'spec', field) === 'LoadBalancer')
  );
}

/** A Service of type LoadBalancer that has no address yet; kstatus does not look at that. */
export const loadBalancerRule: Rule = ({ object }, before) => {
  const addresses = at(object, 'status', 'loadBalancer', 'ingress');
  const hasAddress = isArray(addresses) && addresses.length > 0;
  const isSettled = before.state === '' || before.state === 'active';
  return isSettled && isLoadBalancer(object) && !hasAddress
    ? changed(before, {
        state: 'pending',
        transitioning: true,
        message: 'Load balancer is being provisioned',
      })
    : before;
};
