import { loadBalancerIngress } from '#shared/core/health/ingress.ts';
import { assessService, isLoadBalancer } from '#shared/core/health/service.ts';
import { conditions } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { addresses, loadBalancerOf } from './ingress.ts';

/**
 * The rule for v1 Services, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the list that all WECs have. Where every WEC whose Service is a LoadBalancer has a list and
 *   they differ: the entries of all, each once, in a fixed order. Argo CD looks at nothing but whether there are any
 *   (L1, L2). None where the WDS's Service is of another type: API servers refuse them.
 * - `conditions`: see `finishConditions`. Argo CD does not read them.
 *
 * No status of a Service that is no LoadBalancer in the WDS is anything but Healthy, and none of a LoadBalancer that
 * has no address anywhere is Healthy, whatever type it has in a WEC.
 */
export const serviceRule = kindRule({
  assess: assessService,
  readsGeneration: false,
  components: { ...addresses, conditions: conditions() },
  literal: ({ commonOnes, conditions: list }) => ({
    ...loadBalancerOf(commonOnes),
    conditions: list,
  }),
  departure: ({ allOnes }, { workload, worst }) =>
    loadBalancerOf(isLoadBalancer(workload) && worst === 'Healthy' ? allOnes : []),
  accepts: (status, workload) =>
    isLoadBalancer(workload) || loadBalancerIngress(status).length === 0,
});
