import { assessIngress, loadBalancerIngress } from '#shared/core/health/ingress.ts';
import { union } from '#shared/core/status/component.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

/** The addresses that the WECs' statuses have together, each once, in a fixed order. */
export const allAddresses = union(({ status }) => loadBalancerIngress(status));

/**
 * The rule for networking.k8s.io/v1 Ingresses, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the entries of all WECs, each once, in a fixed order. There are none until every WEC has at
 *   least one: Argo CD looks at nothing but whether there are any (L1). How many each WEC has does not matter (L2).
 *
 * An API server always shows a `loadBalancer`, so there is one, also an empty one.
 */
export const ingressRule = kindRule({
  assess: assessIngress,
  readsGeneration: false,
  components: { addresses: allAddresses },
  finish: ({ addresses }, { worst }) => ({
    loadBalancer: worst === 'Healthy' ? { ingress: addresses } : {},
  }),
});
