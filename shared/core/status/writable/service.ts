import { isArray, member } from '#shared/core/json.ts';
import type { StatusWrite, WritableStatus } from './status-write.ts';
import { withChanges } from './status-write.ts';

/**
 * Only a Service of type LoadBalancer may have load balancers (Kubernetes, ValidateServiceStatusUpdate). A WEC still has
 * some while its Service is not yet of the new type.
 */
export function dropUnusedLoadBalancer({ spec, desired }: StatusWrite): WritableStatus {
  const ingress = member(desired['loadBalancer'], 'ingress');
  const isRefused = spec['type'] !== 'LoadBalancer' && isArray(ingress) && ingress.length > 0;
  return { status: isRefused ? withChanges(desired, { loadBalancer: {} }) : desired };
}
