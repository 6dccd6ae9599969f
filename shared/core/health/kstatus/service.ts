import { type ObservedObject, textAt } from './observed-object.ts';
import { current, inProgress, type KstatusVerdict } from './verdict.ts';

/** kstatus of a Service (cli-utils, `serviceConditions`): it does not look at the load balancer's addresses. */
export function serviceKstatus({ object }: ObservedObject): KstatusVerdict {
  const waits =
    textAt(object, 'spec.type') === 'LoadBalancer' && textAt(object, 'spec.clusterIP') === '';
  return waits
    ? inProgress('NoIPAssigned', 'ClusterIP not set. Service type: LoadBalancer')
    : current('Service is ready');
}
