import { FleetAggregation } from '#shared/core/fleet/fleet-aggregation.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Figure, quantile, rounded } from './figure.ts';
import {
  bundleDeployment,
  bundleId,
  CLUSTER_GROUP,
  clusterId,
  fleetOf,
  GIT_REPO,
} from './fleet-objects.ts';

const SECTION = 'Fleet: a GitRepo with 50 Bundles, 3 resources each';
const BUNDLES = 50;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const WARM_UP = 100;
const CHANGES = 500;
/** A number of Clusters without a divisor in common with the steps, so that changes meet every shard. */
const STEP = 37;

/** What Fleet's own functions take for the GitRepo alone, in milliseconds, on a machine like the one of our CI. */
const FLEET_MS: Readonly<Record<number, number>> = { 50: 11, 1000: 299, 4000: 3498 };
/** etcd takes 1.5 MiB; managedFields and spec stand in the same object. */
const MAX_BYTES = 1024 * 1024;

interface Measured {
  readonly clusters: number;
  readonly recomputeMs: number;
  /** The GitRepo's status after one change, and those of the Bundle, Cluster and ClusterGroup as well. */
  readonly updateMs: number;
  readonly allMs: number;
  readonly statusBytes: number;
}

function bytesOf(status: JsonObject | undefined): number {
  return Buffer.byteLength(JSON.stringify(status));
}

function measure(clusters: number): Measured {
  const changes = fleetOf(BUNDLES, clusters);
  const started = performance.now();
  const aggregation = new FleetAggregation({ nowMs: NOW_MS });
  for (const change of changes) aggregation.apply(change);
  const first = aggregation.desired('GitRepo', GIT_REPO);
  const recomputeMs = performance.now() - started;
  const times: number[] = [];
  const allTimes: number[] = [];
  for (let index = 0; index < WARM_UP + CHANGES; index += 1) {
    const bundle = index % BUNDLES;
    const cluster = (index * STEP) % clusters;
    const change = bundleDeployment(bundle, cluster, index % 2 === 0);
    const before = performance.now();
    aggregation.apply(change);
    aggregation.desired('GitRepo', GIT_REPO);
    const done = performance.now();
    aggregation.desired('Bundle', bundleId(bundle));
    aggregation.desired('Cluster', clusterId(cluster));
    aggregation.desired('ClusterGroup', CLUSTER_GROUP);
    if (index < WARM_UP) continue;
    times.push(done - before);
    allTimes.push(performance.now() - before);
  }
  return {
    clusters,
    recomputeMs,
    updateMs: quantile(times, 0.5),
    allMs: quantile(allTimes, 0.5),
    statusBytes: bytesOf(first?.fields),
  };
}

function figuresOf(measured: Measured): readonly Figure[] {
  const { clusters, recomputeMs, updateMs, allMs, statusBytes } = measured;
  const what = (text: string): string => `${clusters} clusters: ${text}`;
  const updateGoal = clusters === 1000 ? { goal: { type: 'at most', value: 1 } as const } : {};
  return [
    {
      section: SECTION,
      what: what('all statuses, from the objects'),
      value: recomputeMs,
      unit: 'ms',
      beside: `${FLEET_MS[clusters] ?? '?'} ms: Fleet's own functions, the GitRepo alone, measured elsewhere`,
    },
    {
      section: SECTION,
      what: what('the GitRepo after one change, p50'),
      value: updateMs,
      unit: 'ms',
      ...updateGoal,
      beside: `${rounded(recomputeMs / updateMs)} times faster than all anew`,
    },
    {
      section: SECTION,
      what: what('the GitRepo, Bundle, Cluster and ClusterGroup after one change, p50'),
      value: allMs,
      unit: 'ms',
    },
    {
      section: SECTION,
      what: what("the GitRepo's status"),
      value: statusBytes / 1024,
      unit: 'KiB',
      goal: { type: 'at most', value: MAX_BYTES / 1024 },
      beside: '1,536 KiB: what etcd takes',
    },
  ];
}

/** How the statuses of Fleet grow: recomputing, one change, and the size of what is written. */
export function benchFleet(): readonly Figure[] {
  const measured = [50, 1000, 4000].map(measure);
  const [small, , large] = measured;
  const growth =
    small === undefined || large === undefined
      ? Number.NaN
      : Math.log(large.updateMs / small.updateMs) / Math.log(large.clusters / small.clusters);
  return [
    ...measured.flatMap(figuresOf),
    {
      section: SECTION,
      what: 'growth of one change from 50 to 4,000 clusters, as an exponent',
      value: growth,
      unit: '',
      goal: { type: 'at most', value: 0.5 },
      beside: '0.5: the square root; 1: everything anew',
    },
  ];
}
