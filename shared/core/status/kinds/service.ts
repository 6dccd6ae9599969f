import { assessService, isLoadBalancer } from '#shared/core/health/service.ts';
import { conditions } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';
import { allAddresses } from './ingress.ts';

/**
 * The rule for v1 Services, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the entries of all WECs, each once, in a fixed order. There are none until every WEC whose
 *   Service is a LoadBalancer has at least one: Argo CD looks at nothing but whether there are any (L1). How many each
 *   WEC has does not matter (L2). None for any other type: API servers refuse them.
 * - `conditions`: by the truth table, see `finishConditions`. Argo CD does not read them.
 *
 * An API server always shows a `loadBalancer`, so there is one, also an empty one.
 *
 * No status of a Service that is no LoadBalancer in the WDS is anything but Healthy, and none of a LoadBalancer that
 * has no address anywhere is Healthy, whatever type it has in a WEC.
 */
export const serviceRule = kindRule({
  assess: assessService,
  readsGeneration: false,
  components: { addresses: allAddresses, conditions: conditions() },
  finish({ addresses, conditions: list }, { workload, worst }) {
    const isShown = isLoadBalancer(workload) && worst === 'Healthy' && addresses.length > 0;
    return { loadBalancer: isShown ? { ingress: addresses } : {}, conditions: list };
  },
});
