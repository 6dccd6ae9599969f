import { AppError } from '#shared/errors.ts';

/** So long a subject may hold up others, in milliseconds, before its cluster is given one place and no more. */
export const HOLD_MS = 10_000;
/** Longer than any invocation: what has not ended by then is gone with its process, or was frozen with it. */
const GONE_MS = 60_000;

/** Another subject of the cluster has been taking long: this one has not been tried, or not to its end, and comes again. */
export class ClusterHeldError extends AppError {
  override readonly name = 'ClusterHeldError';
  readonly code = 'cluster-held';
  readonly retryable = true;
  constructor(cluster: string) {
    super(
      `${cluster}: it takes longer than ${HOLD_MS / 1000} s to write one subject, so others wait, and are tried one at a time: see whether its API server is slow or overloaded`,
    );
  }
}

/** What keeps a cluster that is slow from holding up the work for others. */
export interface HeldClusters {
  /**
   * Does the work of one subject.
   *
   * @param cluster in words, such as `WDS wds1`
   * @throws ClusterHeldError where the cluster has no place for it; the work, if it was begun, goes on.
   */
  run<T>(cluster: string, work: () => Promise<T>): Promise<T>;
}

/** How a cluster does. */
interface Cluster {
  /** Since a subject took too long, until one is done in time: one at a time. */
  isSlow: boolean;
  /** When the next one may be tried, in milliseconds since the epoch. */
  freeAt: number;
}

/**
 * The clusters of one process. A subject that takes longer than `holdMs` makes its cluster slow: it goes on, but those of the
 * cluster that are under way end with an error when they take as long, further ones are not begun until it has ended, and
 * as long again. Then one is tried; if it is done in time, the cluster has all places again. So a cluster that is slow, or
 * asked for thousands of subjects that take long, holds up one invocation of a process at a time, and nobody else waits.
 */
export function createHeldClusters(clock: () => number, holdMs: number = HOLD_MS): HeldClusters {
  const clusters = new Map<string, Cluster>();

  /** Takes a place; throws where there is none. */
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
