import type { FleetMode } from '#shared/core/fleet-object.ts';

/** What stack-process.ts runs. Clusters are contexts of the kubeconfig, which are their names as well. */
export interface StackPlan {
  /** The kubeconfig file. */
  readonly kubeconfig: string;
  /** The state file. */
  readonly file: string;
  /** Absent: there is none. */
  readonly wds?: string;
  /** The WECs that it watches itself. */
  readonly wecs: readonly string[];
  /** Where the ManagedClusters are; absent: the Bindings do not follow the BindingPolicies. */
  readonly inventory?: string;
  /** The management cluster of Fleet. */
  readonly fleet?: { readonly cluster: string; readonly mode: FleetMode };
  readonly silence?: { readonly sweepMs: number };
  /** Makes it take events by HTTP on a port of 127.0.0.1. */
  readonly intake?: { readonly port: number; readonly tokensFile: string };
}
