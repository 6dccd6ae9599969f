import { type ObservedObject, textAt } from './observed-object.ts';
import { current, inProgress, type KstatusVerdict } from './verdict.ts';

/** kstatus of a Service (cli-utils, `serviceConditions`). It does not check the addresses of the load balancer. */
export function serviceKstatus({ object }: ObservedObject): KstatusVerdict {
  const waits =
    textAt(object, 'spec.type') === 'LoadBalancer' && textAt(object, 'spec.clusterIP') === '';
  return waits
    ? inProgress('NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready');
}
