import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { Modulation } from '#shared/core/binding/downsync-modulation.ts';
import type {
  CompiledCollector,
  UncompiledCollector,
} from '#shared/core/collector/compiled-collector.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';

/** That a Binding names a workload object, with where it sends it and what it asks for. */
export interface WorkloadMembership {
  readonly binding: string;
  readonly bindingUid: string;
  readonly policyUid?: string;
  /** When the API server created the Binding; absent: not known. */
  readonly created?: string;
  /** API version of the workload object, such as `v1`. */
  readonly version: string;
  readonly modulation: Modulation;
  readonly destinations: Destinations;
  /** What the Binding, or else its BindingPolicy, says in `starfold.dev/silent-after`, in milliseconds. */
  readonly silentAfterMs?: number;
}

/** Everything that a workload's results follow from, besides the rows. */
export interface WorkloadInputs {
  readonly ref: WorkloadRef;
  /** The object in the WDS; `undefined` where there is none. */
  readonly object: WorkloadObject | undefined;
  /** Of the Bindings that count (`oldestBindings`), sorted by Binding. */
  readonly memberships: readonly WorkloadMembership[];
  /** The valid collectors, by name. One that no Binding has room for need not be compiled. */
  readonly collectors: ReadonlyMap<string, CompiledCollector | UncompiledCollector>;
  /** API version under which the object was last known, where it is not known any more. */
  readonly lastVersion?: string;
  /** Specs of the WECs' objects by hash; may be filled until the rows that name them are lifted. */
  readonly specs: ReadonlyMap<string, JsonValue>;
  /** Names of the WECs that have been silent for longer than their limit; absent: none. */
  readonly silent?: ReadonlySet<string>;
}
