import { BUNDLE, type BundlePart } from '#shared/core/fleet/bundle-fold.ts';
import { BUNDLE_SOURCES } from '#shared/core/fleet/bundle-sources-fold.ts';
import { CELLS, type ClusterCell } from '#shared/core/fleet/cells-fold.ts';
import { CLUSTER } from '#shared/core/fleet/cluster-fold.ts';
import { type DeploymentRow, deploymentRow } from '#shared/core/fleet/deployment-row.ts';
import type { DesiredStatus } from '#shared/core/fleet/desired-status.ts';
import { desiredFleetStatus } from '#shared/core/fleet/fleet-result.ts';
import { foldRows, mergingFold } from '#shared/core/fold/fold.ts';
import { type JsonObject, member } from '#shared/core/json.ts';
import { shardCount, shardOf } from '#shared/state/shards.ts';
import { type Figure, quantile, rounded } from '../figure.ts';
import { bundleDeployment, fleetOf } from '../fleet-objects.ts';
import { commitOf, runGoTest, sourcesIn } from './go-test.ts';
import { compiledMilliseconds, NANOSECONDS_PER_MS, type Peer, requireSame } from './peer.ts';

const DEPLOYMENTS = 10_000;
const BUNDLES = 50;
const ROUNDS = 15;
const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

interface Said {
  /** Nanoseconds of each round. */
  readonly bundle: readonly number[];
  readonly repo: readonly number[];
  readonly statuses: Readonly<Record<'bundle' | 'repo', JsonObject>>;
}

/** Numbers of a status that Fleet and Starfold must agree about. */
const COUNTERS = ['ready', 'notReady', 'desiredReady'];

function countersOf(fields: JsonObject | undefined): unknown {
  return COUNTERS.map((name) => member(fields?.['summary'], name));
}

function objectOf(kind: string): JsonObject {
  const found = fleetOf(1, 0).find((object) => object.kind === kind);
  if (found === undefined) throw new RangeError(kind);
  return found.object;
}

const BUNDLE_OBJECT = objectOf('Bundle');
const REPO_OBJECT = objectOf('GitRepo');

/** The first BundleDeployment is ready and not ready in turn. */
const EVENTS = [true, false].map((ready) => bundleDeployment(0, 0, ready).object);

/** The BundleDeployments of so many Bundles in so many Clusters; every seventh is not ready. */
function deployments(bundles: number, clusters: number): readonly JsonObject[] {
  return Array.from({ length: bundles * clusters }, (_one, index) => {
    const [bundle, cluster] = [index % bundles, Math.floor(index / bundles)];
    return bundleDeployment(bundle, cluster, (bundle + cluster) % 7 !== 0).object;
  });
}

type BundleParts = (typeof BUNDLE_SOURCES)['empty'];

function bundleStatus(parts: BundleParts): DesiredStatus | undefined {
  const result = { resource: 'bundles', parts, targetErrors: [] } as const;
  return desiredFleetStatus(BUNDLE_OBJECT, result, NOW_MS);
}

/** The parts from which the status of a GitRepo follows: of each Bundle, and what it has in each Cluster. */
interface RepoParts {
  readonly bundles: Map<string, BundlePart>;
  readonly cells: Map<string, readonly ClusterCell[]>;
}

function cellsOf(rows: readonly DeploymentRow[]): readonly ClusterCell[] {
  return foldRows(CLUSTER, rows).repos.map(({ cell }) => cell);
}

function repoParts(rows: readonly DeploymentRow[]): RepoParts {
  const byBundle = [...Map.groupBy(rows, ({ bundle }) => bundle)];
  const byCluster = [...Map.groupBy(rows, ({ cluster }) => cluster)];
  return {
    bundles: new Map(byBundle.map(([id, own]) => [id, foldRows(BUNDLE, own)])),
    cells: new Map(byCluster.map(([id, own]) => [id, cellsOf(own)])),
  };
}

function repoStatus({ bundles, cells }: RepoParts): DesiredStatus | undefined {
  const result = {
    resource: 'gitrepos',
    part: foldRows(mergingFold(BUNDLE), bundles.values()),
    cells: foldRows(CELLS, [...cells.values()].flat()),
    bundleError: '',
    hasBundles: true,
  } as const;
  return desiredFleetStatus(REPO_OBJECT, result, NOW_MS);
}

/** One event of a GitRepo, in memory: its Bundle and its Cluster are folded, and merged with the others. */
function oneRepoEvent(objects: readonly JsonObject[]): () => unknown {
  const rows = objects.map(deploymentRow);
  const parts = repoParts(rows);
  const [first] = rows;
  if (first === undefined) throw new RangeError('no BundleDeployment');
  const { bundle, cluster } = first;
  const ofBundle = rows.filter((row) => row.bundle === bundle && row !== first);
  const ofCluster = rows.filter((row) => row.cluster === cluster && row !== first);
  let turn = 0;
  return () => {
    const now = deploymentRow(EVENTS[turn++ % EVENTS.length] ?? {});
    parts.bundles.set(bundle, foldRows(BUNDLE, [now, ...ofBundle]));
    parts.cells.set(cluster, cellsOf([now, ...ofCluster]));
    return repoStatus(parts);
  };
}

/** One event of a Bundle, in memory: one shard is folded, and its part is merged with those of the other shards. */
function oneBundleEvent(objects: readonly JsonObject[]): () => unknown {
  const shards = shardCount(objects.length);
  const rows = objects.map(deploymentRow);
  const byShard = Map.groupBy(rows, ({ cluster }) => shardOf(cluster, shards));
  const parts = new Map([...byShard].map(([shard, own]) => [shard, foldRows(BUNDLE_SOURCES, own)]));
  const [first] = rows;
  const shard = shardOf(first?.cluster ?? '', shards);
  let turn = 0;
  return () => {
    const now = deploymentRow(EVENTS[turn++ % EVENTS.length] ?? {});
    const own = (byShard.get(shard) ?? []).map((row) => (row === first ? now : row));
    parts.set(shard, foldRows(BUNDLE_SOURCES, own));
    return bundleStatus(foldRows(mergingFold(BUNDLE_SOURCES), parts.values()));
  };
}

async function measureFleet(folder: string | undefined): Promise<readonly Figure[]> {
  const has = 'internal/cmd/controller/target/status.go';
  const sources = sourcesIn({ option: '--fleet', folder, has });
  const ofBundle = deployments(1, DEPLOYMENTS);
  const ofRepo = deployments(BUNDLES, DEPLOYMENTS / BUNDLES);
  const test = { file: 'fleet_test.go', sources, package: 'internal/resourcestatus' };
  // The test writes this.
  const said = (await runGoTest(test, {
    bundle: BUNDLE_OBJECT,
    ofBundle,
    ofRepo,
    rounds: ROUNDS,
  })) as Said;
  const allOfBundle = () => bundleStatus(foldRows(BUNDLE_SOURCES, ofBundle.map(deploymentRow)));
  const rows = ofBundle.map(deploymentRow);
  const rowsOfBundle = () => bundleStatus(foldRows(BUNDLE_SOURCES, rows));
  const allOfRepo = () => repoStatus(repoParts(ofRepo.map(deploymentRow)));
  requireSame('Bundle', countersOf(allOfBundle()?.fields), countersOf(said.statuses.bundle));
  requireSame('GitRepo', countersOf(allOfRepo()?.fields), countersOf(said.statuses.repo));
  const theirBundle = quantile(said.bundle, 0.5) / NANOSECONDS_PER_MS;
  const theirRepo = quantile(said.repo, 0.5) / NANOSECONDS_PER_MS;
  const section = `Status over ${rounded(DEPLOYMENTS)} BundleDeployments, beside Rancher Fleet${await commitOf(sources)} (median)`;
  const bundle = `Bundle in ${rounded(DEPLOYMENTS)} Clusters`;
  const repo = `GitRepo with ${BUNDLES} Bundles in ${DEPLOYMENTS / BUNDLES} Clusters`;
  const beside = (value: number): string => `Fleet: ${rounded(value)} ms`;
  const figures: readonly Omit<Figure, 'section' | 'unit'>[] = [
    {
      what: `${bundle}, all`,
      value: await compiledMilliseconds(allOfBundle),
      beside: beside(theirBundle),
    },
    { what: `${bundle}, all, rows in memory`, value: await compiledMilliseconds(rowsOfBundle) },
    {
      what: `${bundle}, one event, in memory`,
      value: await compiledMilliseconds(oneBundleEvent(ofBundle)),
      beside: `${beside(theirBundle)}: it computes all again, and no resources`,
    },
    { what: `peer: Fleet, ${bundle}`, value: theirBundle },
    {
      what: `${repo}, all`,
      value: await compiledMilliseconds(allOfRepo),
      beside: beside(theirRepo),
    },
    {
      what: `${repo}, one event, in memory`,
      value: await compiledMilliseconds(oneRepoEvent(ofRepo)),
      beside: `${beside(theirRepo)}: it computes all again`,
    },
    { what: `peer: Fleet, ${repo}`, value: theirRepo },
  ];
  return figures.map((figure) => ({ section, unit: 'ms', ...figure }));
}

/**
 * What Rancher Fleet's controllers compute of BundleDeployments.
 *
 * @param folder of a checkout
 */
export function fleet(folder: string | undefined): Peer {
  return { name: "Fleet's summary", measure: () => measureFleet(folder) };
}
