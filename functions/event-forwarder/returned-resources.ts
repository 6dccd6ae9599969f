import { isDownsyncable } from '#shared/core/binding/excluded-resources.ts';
import { isWithoutStatus } from '#shared/core/without-status.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';

/**
 * Whether the objects of a resource of a WEC are reported if nobody has named the resource. A named resource is always
 * reported. A forwarder needs no permission to read kinds without a status.
 */
export function isReturned(resource: Resource): boolean {
  return isDownsyncable(resource.group, resource.resource) && !isWithoutStatus(resource);
}
