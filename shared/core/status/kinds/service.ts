import { assessService, isLoadBalancer } from '#shared/core/health/service.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { conditions } from '#shared/core/status/component.ts';
import type { ConditionReport } from '#shared/core/status/conditions.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { allAddresses } from './ingress.ts';

/** Types of condition whose True is the bad news: Kubernetes writes this one where a load balancer refuses a port. */
const FAILURE_TYPES: ReadonlySet<string> = new Set(['LoadBalancerPortsError']);

/** The True entry of such a type gives the reason, also where another WEC's entry is newer. */
function report(type: string, entry: JsonObject): ConditionReport {
  return { entry, decisive: FAILURE_TYPES.has(type) && entry['status'] === 'True' };
}

/**
 * The rule for v1 Services, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the entries of all WECs, each once, in a fixed order. There are none until every WEC whose
 *   Service is a LoadBalancer has at least one: Argo CD looks at nothing but whether there are any (L1). How many each
 *   WEC has does not matter (L2). None for any other type: API servers refuse them.
 * - `conditions`: see `finishConditions`; LoadBalancerPortsError is a failure type: True where a WEC says so, with the
 *   reason that it gives. Argo CD does not read them.
 *
 * An API server always shows a `loadBalancer`, so there is one, also an empty one.
 *
 * No status of a Service that is no LoadBalancer in the WDS is anything but Healthy, and none of a LoadBalancer that
 * has no address anywhere is Healthy, whatever type it has in a WEC.
 */
export const serviceRule = kindRule({
  assess: assessService,
  readsGeneration: false,
  components: {
    addresses: allAddresses,
    conditions: conditions({ failureTypes: FAILURE_TYPES, report }),
  },
  finish({ addresses, conditions: list }, { workload, worst }) {
    const isShown = isLoadBalancer(workload) && worst === 'Healthy' && addresses.length > 0;
    return { loadBalancer: isShown ? { ingress: addresses } : {}, conditions: list };
  },
});
