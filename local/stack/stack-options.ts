import type { ForwarderState } from '#functions/event-forwarder/forwarder-options.ts';
import type { Notifications } from '#shared/adapters/webhooks/notifications-document.ts';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import type { Writer } from '#shared/doctor/writer-mark.ts';
import type { ObjectApi, Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { Observability } from '#shared/runtime/batch.ts';
import type { AggregationLimits } from './aggregation-pool.ts';
import type { QueryLimits } from './query-threads.ts';

/** A cluster and its API. */
export interface StackCluster {
  readonly name: string;
  /** Its context in the kubeconfig of the user. Absent if it has none. */
  readonly context?: string;
  /** The file of this kubeconfig. Absent if the user did not name one. */
  readonly kubeconfig?: string;
  readonly api: ObjectApi & ResourceApi;
}

/** The options of the embedded stack. */
export interface StackOptions {
  /** The file with the store and the queues. */
  readonly file: string;
  /** If absent, there is no WDS, and there are no WECs. */
  readonly wds?: StackCluster;
  readonly wecs: readonly StackCluster[];
  /** A management cluster of Fleet, and what to do with the statuses there. */
  readonly fleet?: { readonly cluster: StackCluster; readonly mode: FleetMode };
  /**
   * Selects the objects of the WECs that came from the WDS. If both are absent, all objects of the resources that
   * Bindings name are selected.
   */
  readonly labelSelector?: string;
  readonly resources?: readonly Resource[];
  /**
   * The cluster with the ManagedClusters, whose labels BindingPolicies select and StatusCollectors read. If absent, they are in
   * the WDS, where they are only looked for if Bindings follow BindingPolicies.
   */
  readonly inventory?: StackCluster;
  /** Makes the Bindings follow the BindingPolicies. If absent, another component writes the Bindings. */
  readonly resolveBindings?: {
    /** Names of WECs that report by {@link Stack.takeEvents}. They count like `wecs` if there is no inventory. */
    readonly otherWecs?: readonly string[];
    /** Called with what the resolver is waiting for, or with `undefined` if it is not waiting. */
    readonly onState?: (waitsFor: string | undefined) => void;
  };
  /**
   * How often the stack checks for silent WECs, how long a WEC may send no heartbeat, and how often the forwarders of the stack
   * send one. Default: 30 s, 5 minutes and 30 s.
   */
  readonly silence?: {
    readonly sweepMs?: number;
    readonly limitMs?: number;
    readonly heartbeatMs?: number;
  };
  /** Records what changes, so that the statuses can be watched. It costs a little for each change. Default: false. */
  readonly watchable?: boolean;
  /** Records changes of BundleDeployments in the same way. Default: false. */
  readonly fleetWatchable?: boolean;
  /** Who is notified of what. Default: nobody. */
  readonly notifications?: Notifications;
  /** The worker threads of aggregation: the module that they run, and their limits. */
  readonly aggregation?: Partial<AggregationLimits> & { readonly entry?: URL };
  /** The worker threads of queries, in the same way. */
  readonly queries?: Partial<QueryLimits> & { readonly entry?: URL };
  readonly observability: Observability;
  /** The name of this installation in the clusters that it writes. */
  readonly writer: Writer;
  /** Called after each check with the other writer of a cluster, or with `undefined` if there is none. */
  readonly onWriter?: (cluster: string, problem: string | undefined) => void;
  /** Called when the state of a forwarder has changed. */
  readonly onForwarder?: (cluster: string, state: ForwarderState) => void;
}
