import { at, isArray, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/** The addresses in the status of an Ingress or of a Service: `loadBalancer.ingress`. Empty if there are none. */
export function loadBalancerIngress(status: JsonValue | undefined): readonly JsonValue[] {
  const list = at(status, 'loadBalancer', 'ingress');
  return isArray(list) ? list : [];
}

/**
 * Argo CD's health of an Ingress of any API version in the groups networking.k8s.io and extensions (gitops-engine,
 * `health_ingress.go`). Reads only the number of entries in `status.loadBalancer.ingress`, not their content.
 */
export function assessIngress(object: JsonObject): ArgoCdVerdict {
  const { length } = loadBalancerIngress(object['status']);
  return { status: length > 0 ? 'Healthy' : 'Progressing' };
}
