import { loadBalancerIngress } from '#shared/core/health/ingress.ts';
import { assessService, isLoadBalancer } from '#shared/core/health/service.ts';
import { conditions } from '#shared/core/status/component.ts';
import { condition } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { ADDRESSES, addresses, loadBalancerOf } from './ingress.ts';

/**
 * The rule for v1 Services, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the list that all WECs have. If every WEC whose Service is a LoadBalancer has a list and
 *   the lists differ: the entries of all, each once, in a fixed order. Argo CD only reads whether there are any (L1,
 *   L2). None if the WDS's Service is of another type, because API servers reject them.
 * - `conditions`: see `finishConditions`. Argo CD does not read them.
 *
 * A Service that is not a LoadBalancer in the WDS is Healthy with any status. A LoadBalancer that has no address
 * anywhere is not Healthy with any status, regardless of its type in a WEC.
 */
export const serviceRule = kindRule({
  assess: assessService,
  readsGeneration: false,
  components: { ...addresses, conditions: conditions() },
  documentation: 'rules.md#service',
  fields: { loadBalancer: ADDRESSES, conditions: condition('conditions') },
  literal: ({ commonOnes, conditions: list }) => ({
    ...loadBalancerOf(commonOnes),
    conditions: list,
  }),
  departure: ({ allOnes }, { workload, worst }) =>
    loadBalancerOf(isLoadBalancer(workload) && worst === 'Healthy' ? allOnes : []),
  accepts: (status, workload) =>
    isLoadBalancer(workload) || loadBalancerIngress(status).length === 0,
});
