import type { Destinations } from '#shared/core/binding/destinations.ts';
import type { Modulation } from '#shared/core/binding/downsync-modulation.ts';
import type { NamedCollector } from '#shared/core/collector/compiled-collector.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { SilentWecs } from '#shared/core/silence.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';

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

/** Everything that the results of a workload object depend on, besides the rows. */
export interface WorkloadInputs {
  readonly ref: WorkloadRef;
  /** The object in the WDS, or `undefined` if there is none. */
  readonly object: WorkloadObject | undefined;
  /** The memberships of the Bindings that count (`oldestBindings`), sorted by Binding. */
  readonly memberships: readonly WorkloadMembership[];
  /**
   * The valid collectors, and those that are not checked yet, by name. A collector for which no Binding has room need not
   * be compiled.
   */
  readonly collectors: ReadonlyMap<string, NamedCollector>;
  /** The last known API version of an object that is no longer known. */
  readonly lastVersion?: string;
  /** Specs of the WECs' objects by hash. Specs may be added until the rows that name them are lifted. */
  readonly specs: ReadonlyMap<string, JsonValue>;
  /** The WECs that have been silent for longer than their limit. If absent, none have. */
  readonly silent?: SilentWecs;
  /** What is known of WECs, by name. If absent, nothing is known, or no collector reads it. */
  readonly inventory?: ReadonlyMap<string, WecInventory>;
}
