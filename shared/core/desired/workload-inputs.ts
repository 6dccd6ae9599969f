import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { NamedCollector } from '#shared/core/collector/compiled-collector.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import type { SilentWecs } from '#shared/core/silence.ts';
import type { WecInventory } from '#shared/core/wec-inventory.ts';
import type { WorkloadRef } from '#shared/core/workload.ts';

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
