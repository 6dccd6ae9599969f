import { assessIngress, loadBalancerIngress } from '#shared/core/health/ingress.ts';
import { isIpAddress } from '#shared/core/ip-address.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { isSubdomain } from '#shared/core/names.ts';
import { common, union } from '#shared/core/status/component.ts';
import { departing, sameInAll } from '#shared/core/status/field-rules.ts';
import { kindRule } from '#shared/core/status/kind-rule.ts';

function isTextOf(value: JsonValue | undefined, isValid: (text: string) => boolean): boolean {
  return value === undefined || (typeof value === 'string' && isValid(value));
}

/** Whether an API server accepts an address (Kubernetes, `ValidateLoadBalancerStatus`). */
function isAcceptable(entry: JsonValue): boolean {
  if (!isObject(entry)) return false;
  const { ip, hostname, ipMode } = entry;
  return (
    isTextOf(ip, isIpAddress) &&
    isTextOf(hostname, (name) => isSubdomain(name) && !isIpAddress(name)) &&
    isTextOf(ipMode, (mode) => ip !== undefined && ['VIP', 'Proxy'].includes(mode))
  );
}

/** Without the addresses that an API server rejects, which would keep the addresses of all WECs from being written. */
function addressesIn(status: JsonValue | undefined): readonly JsonValue[] {
  return loadBalancerIngress(status).filter(isAcceptable);
}

/**
 * The addresses in the WECs' statuses: the list that all have, and the addresses of all, each once, in a fixed order.
 */
export const addresses = {
  commonOnes: common(({ status }) => addressesIn(status)),
  allOnes: union(({ status }) => addressesIn(status)),
};

/** The rules of the addresses. */
export const ADDRESSES = {
  ...sameInAll('commonOnes'),
  ...departing('union', 'allOnes', 'commonOnes'),
} as const;

/** A status with these addresses. API servers always show a `loadBalancer`, so there is one even if it is empty. */
export function loadBalancerOf(ingress: readonly JsonValue[]): JsonObject {
  return { loadBalancer: ingress.length === 0 ? {} : { ingress } };
}

/**
 * The rule for networking.k8s.io/v1 Ingresses, over all qualified WECs.
 *
 * - `loadBalancer.ingress`: the list that all WECs have. If every WEC has a list and the lists differ: the entries of
 *   all, each once, in a fixed order. Argo CD only reads whether there are any. If one WEC has none, there must be none
 *   (L1). How many each WEC has does not matter (L2).
 */
export const ingressRule = kindRule({
  assess: assessIngress,
  readsGeneration: false,
  components: addresses,
  documentation: 'rules.md#ingress',
  fields: { loadBalancer: ADDRESSES },
  literal: ({ commonOnes }) => loadBalancerOf(commonOnes),
  departure: ({ allOnes }, { worst }) => loadBalancerOf(worst === 'Healthy' ? allOnes : []),
});
