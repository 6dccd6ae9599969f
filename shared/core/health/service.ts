import { at, type JsonObject } from '#shared/core/json.ts';
import { assessIngress } from './ingress.ts';
import type { ArgoCdVerdict } from './verdict.ts';

/** Whether an object is a Service that gets addresses from a load balancer. */
export function isLoadBalancer(object: JsonObject): boolean {
  return at(object, 'spec', 'type') === 'LoadBalancer';
}

/**
 * Argo CD's health of a v1 Service (gitops-engine, `health_service.go`). Reads `spec.type` and, only for a
 * LoadBalancer, the number of entries in `status.loadBalancer.ingress`, not their content.
 */
export function assessService(object: JsonObject): ArgoCdVerdict {
  return isLoadBalancer(object) ? assessIngress(object) : { status: 'Healthy' };
}
