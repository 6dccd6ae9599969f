import type { Cluster } from '#test/e2e/clusters.ts';
import type { Binaries } from './components.ts';
import type { Kubelets } from './stages.ts';

/** What a WEC shall be like. */
export interface WecPlan {
  readonly name: 'wec1' | 'wec2';
  /** How many simulated nodes it has. */
  readonly nodes: number;
  readonly kubelets: Kubelets;
}

/** What wec-process.ts shall start. */
export interface Plan extends Binaries {
  /** The WDS, which runs already. */
  readonly wds: Cluster;
  readonly wecs: readonly WecPlan[];
}

/** What wec-process.ts has started. */
export interface Running {
  /** A kubeconfig file with a context for the WDS and for each WEC. */
  readonly kubeconfigPath: string;
  /** In the order of the plan. */
  readonly wecs: readonly Cluster[];
}
