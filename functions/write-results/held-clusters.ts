import { AppError } from '#shared/errors.ts';
import { slowCluster } from './messages.ts';

/** How long the writing of a subject may take, in milliseconds, before its cluster gets only one slot. */
export const HOLD_MS = 10_000;
/** Longer than any invocation, in milliseconds: work that has not ended by then ended, or was frozen, with its process. */
const GONE_MS = 60_000;

/** Another subject of the cluster takes long. This subject was not written, or not completely, and is delivered again. */
export class ClusterHeldError extends AppError {
  override readonly name = 'ClusterHeldError';
  readonly code = 'cluster-held';
  readonly retryable = true;
  constructor(cluster: string) {
    super(slowCluster(cluster, HOLD_MS / 1000));
  }
}

/** Prevents a slow cluster from blocking the work for others. */
export interface HeldClusters {
  /**
   * Does the work of one subject.
   *
   * @param cluster name for messages, such as `WDS wds1`
   * @throws ClusterHeldError if the cluster has no free slot. Work that has begun continues.
   */
  run<T>(cluster: string, work: () => Promise<T>): Promise<T>;
}

/** The state of a cluster. */
interface Cluster {
  /** After a subject took too long, and until one is done in time: subjects run one at a time. */
  isSlow: boolean;
  /** When the next subject may be tried, in milliseconds since the epoch. */
  freeAt: number;
}

/**
 * The clusters of one process. A subject that takes longer than `holdMs` makes its cluster slow. That subject continues. Other
 * subjects of the cluster that are in progress fail when they take as long, and no further subject begins until `holdMs` after
 * the slow one has ended. Then one subject is tried. If it is done in time, the cluster has all slots again. So a slow cluster
 * blocks one invocation of a process at a time, and no work for other clusters.
 */
export function createHeldClusters(clock: () => number, holdMs: number = HOLD_MS): HeldClusters {
  const clusters = new Map<string, Cluster>();

  /** Takes a slot. @throws ClusterHeldError if there is none */
  const enter = (name: string): Cluster => {
    const cluster = clusters.get(name) ?? { isSlow: false, freeAt: 0 };
    clusters.set(name, cluster);
    if (!cluster.isSlow) return cluster;
    if (clock() < cluster.freeAt) throw new ClusterHeldError(name);
    cluster.freeAt = clock() + GONE_MS;
    return cluster;
  };

  return {
    async run(name, work) {
      const cluster = enter(name);
      const isTrial = cluster.isSlow;
      let isHolder = false;
      const { promise: held, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => {
        isHolder = isTrial || !cluster.isSlow;
        if (!isHolder) return reject(new ClusterHeldError(name));
        cluster.isSlow = true;
        cluster.freeAt = clock() + GONE_MS;
      }, holdMs);
      timer.unref();
      const done = work().finally(() => {
        clearTimeout(timer);
        if (isHolder) cluster.freeAt = clock() + holdMs;
        else if (isTrial) cluster.isSlow = false;
      });
      return Promise.race([done, held]);
    },
  };
}
