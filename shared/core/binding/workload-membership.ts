import type { Destinations } from './destinations.ts';
import type { Modulation } from './downsync-modulation.ts';

/** A Binding that names a workload object, with its destinations and what it requests. */
export interface WorkloadMembership {
  readonly binding: string;
  readonly bindingUid: string;
  readonly policyUid?: string;
  /** When the API server created the Binding. Absent if this is not known. */
  readonly created?: string;
  /** API version of the workload object, such as `v1`. */
  readonly version: string;
  readonly modulation: Modulation;
  readonly destinations: Destinations;
  /** The value of `starfold.dev/silent-after` of the Binding, or otherwise of its BindingPolicy, in milliseconds. */
  readonly silentAfterMs?: number;
}
