import type { Cluster } from '#test/e2e/clusters.ts';

/** The WECs that run. */
export const WECS = ['wec1', 'wec2', 'wec3'] as const;

/** What world-process.ts shall start. */
export interface WorldPlan {
  /** The folder with kube-apiserver and etcd. */
  readonly servers: string;
  /** The folder of build-argocd.sh. */
  readonly argoCd: string;
  /** Of this run; removed at its end. The WDS's API server writes there what is asked of it. */
  readonly folder: string;
}

/** What world-process.ts has started. */
export interface Running {
  readonly wds: Cluster;
  /** In the order of {@link WECS}. */
  readonly wecs: readonly Cluster[];
}
