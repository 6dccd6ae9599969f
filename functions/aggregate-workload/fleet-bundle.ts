import { LRUCache } from 'lru-cache';
import { contentHash } from '#shared/content-hash.ts';
import type { Destinations } from '#shared/core/binding/destinations.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import { BUNDLE_SOURCES } from '#shared/core/fleet/bundle-sources-fold.ts';
import { bundleError } from '#shared/core/fleet/bundle-status.ts';
import { silenceText } from '#shared/core/fleet/cluster-contact.ts';
import type { ClusterInventory } from '#shared/core/fleet/cluster-inventory.ts';
import {
  type DeploymentRow,
  parentsOf,
  pendingRow,
  type RowParents,
  silentRow,
} from '#shared/core/fleet/deployment-row.ts';
import type { BundleResult } from '#shared/core/fleet/fleet-result.ts';
import type { BundleFailure } from '#shared/core/fleet/source-bundles-fold.ts';
import { type BundleTargets, bundleTargets } from '#shared/core/fleet/targets.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { metadataText } from '#shared/core/metadata.ts';
import type { FleetSubject } from '#shared/core/subject.ts';
import { BUNDLE_ROW, DEPLOYMENT_ROW } from '#shared/state/fleet/contents.ts';
import {
  type FleetRow,
  fleetRowKey,
  fleetSubject,
  readRow,
} from '#shared/state/fleet/fleet-rows.ts';
import type { PlacedRow } from '#shared/state/fleet/placed-object.ts';
import type { Head } from '#shared/state/head.ts';
import { shardOf } from '#shared/state/shards.ts';
import { readSilence, type Silence } from '#shared/state/silence.ts';
import type { AggregateDeps } from './deps.ts';
import { foldFamily, type Shard } from './fleet-family.ts';
import {
  type FleetAggregate,
  type FleetFinding,
  type ObservedFleet,
  readFleetObject,
} from './fleet-finding.ts';

const NO_TARGETS: BundleTargets = { clusters: [], errors: [] };
const MAX_REMEMBERED = 100;
const found = new WeakMap<ClusterInventory, LRUCache<string, BundleTargets>>();

/** {@link bundleTargets}, once for a Bundle's content and an inventory. */
function targetsOnce(
  { content, contentHash: hash }: ObservedFleet,
  inventory: ClusterInventory,
): BundleTargets {
  if (content === undefined) return NO_TARGETS;
  const byHash = found.get(inventory) ?? new LRUCache({ max: MAX_REMEMBERED });
  found.set(inventory, byHash);
  const targets = byHash.get(hash) ?? bundleTargets(content, inventory);
  byHash.set(hash, targets);
  // A Bundle that is being deleted waits for no cluster.
  return isDeleting(content) ? { ...targets, clusters: [] } : targets;
}

/** The clusters of one shard, and a hash of their names. */
interface ShardTargets {
  readonly names: readonly string[];
  readonly hash: string;
}

const divided = new WeakMap<Destinations, Map<number, readonly ShardTargets[]>>();

/** The targets by shard. They are computed once for each list, because a list seldom changes. */
function targetsByShard(list: Destinations, shards: number): readonly ShardTargets[] {
  const byShardCount = divided.get(list) ?? new Map<number, readonly ShardTargets[]>();
  divided.set(list, byShardCount);
  let byShard = byShardCount.get(shards);
  if (byShard === undefined) {
    const names: string[][] = Array.from({ length: shards }, () => []);
    for (const name of list.names) names[shardOf(name, shards)]?.push(name);
    byShard = names.map((own) => ({ names: own, hash: contentHash(own.join(' ')) }));
    byShardCount.set(shards, byShard);
  }
  return byShard;
}

/** The context that decides how the rows of a Bundle count. */
interface RowContext {
  readonly parents: RowParents;
  readonly list: Destinations;
  readonly silence: ReadonlyMap<string, Silence>;
}

function rowsOf(
  { parents, list, silence }: RowContext,
  stored: readonly FleetRow[],
  { shard, shards }: Shard,
): readonly DeploymentRow[] {
  const deployed = new Set(stored.map(({ id }) => id));
  const rows = stored.map((item) => {
    const { id } = item;
    const row = readRow(DEPLOYMENT_ROW, item);
    const entry = silence.get(id);
    return entry?.silent === true ? silentRow(row, silenceText(entry.lastSeen ?? '')) : row;
  });
  const waiting = (targetsByShard(list, shards)[shard]?.names ?? [])
    .filter((cluster) => !deployed.has(cluster))
    .map((cluster) => pendingRow(parents, cluster));
  return [...rows, ...waiting];
}

/** The silent Clusters by shard, with the time since which each is silent. */
function silentByShard(
  silence: ReadonlyMap<string, Silence>,
  shards: number,
): ReadonlyMap<number, readonly string[]> {
  const byShard = new Map<number, string[]>();
  for (const { name, silent, lastSeen = '' } of silence.values()) {
    if (!silent) continue;
    const shard = shardOf(name, shards);
    byShard.set(shard, [...(byShard.get(shard) ?? []), `${name} ${lastSeen}`].sort());
  }
  return byShard;
}

/** Computes the fingerprint of each shard: its targets and their parents, and the silent clusters in the shard. */
function fingerprintOf({ parents, list, silence }: RowContext): (shard: Shard) => string {
  let cached:
    | { readonly shards: number; readonly silent: ReturnType<typeof silentByShard> }
    | undefined;
  return ({ shard, shards }) => {
    // All calls pass the same number of shards.
    cached =
      cached?.shards === shards ? cached : { shards, silent: silentByShard(silence, shards) };
    const { hash = '' } = targetsByShard(list, shards)[shard] ?? {};
    const own = cached.silent.get(shard) ?? [];
    return contentHash(JSON.stringify([hash, parents.repo, parents.helmOp, ...own]));
  };
}

/** The data that a Bundle passes to the GitRepo and the HelmOp that its labels name. */
function bundleFailure(
  { content }: ObservedFleet,
  { targetErrors, id }: { readonly targetErrors: readonly string[]; readonly id: string },
): BundleFailure | null {
  if (content === undefined) return null;
  const order = `${metadataText(content, 'uid')}\n${id}`;
  return { order, error: bundleError({ bundle: content, targetErrors }) };
}

/** The data of a Bundle that its GitRepos and HelmOps receive. */
interface SourceData {
  readonly parents: RowParents;
  readonly result: BundleResult;
  readonly ownFailure: BundleFailure | null;
}

const SOURCES = [
  ['gitrepos', 'repo'],
  ['helmops', 'helmOp'],
] as const;

/** Returns, for each GitRepo or each HelmOp that the Bundle or a deployment of it names, the row below that object. */
function sourceRows(
  { upstream }: FleetSubject,
  { parents, result, ownFailure }: SourceData,
  {
    next,
    source: [resource, type],
  }: { readonly next: Head; readonly source: (typeof SOURCES)[number] },
): readonly PlacedRow[] {
  const { resultRevision: revision = 0, resultChunks: chunks = 0, hash = '' } = next;
  const having = new Set(result.parts.map((part) => part[type]));
  const named = ownFailure === null ? [] : [parents[type]];
  return [...new Set([...having, ...named])].flatMap((id): readonly PlacedRow[] => {
    const subject = fleetSubject(upstream, resource, id);
    if (subject === undefined) return [];
    const body = BUNDLE_ROW.encode({
      result: having.has(id) ? { revision, chunks, hash } : null,
      known: id === parents[type] ? ownFailure : null,
    });
    return [{ key: fleetRowKey(subject, { family: 'BUNDLE', id: parents.bundle }), body }];
  });
}

/**
 * Folds the deployments of a Bundle, and finds the Clusters that wait for a deployment.
 *
 * @returns `undefined` if something was replaced meanwhile. The caller starts again.
 */
export async function aggregateBundle(
  deps: AggregateDeps,
  { subject, pk, head, changed }: FleetAggregate,
): Promise<FleetFinding | undefined> {
  const observed = await readFleetObject(deps, subject);
  const inventory = await deps.inventories.targets(subject);
  const silence = await readSilence(deps.store, { upstream: subject.upstream });
  const targets = targetsOnce(observed, inventory);
  const destinations = await deps.destinations.put(pk, targets.clusters, {
    before: head.destinations,
    revision: head.revision + 1,
  });
  const list = await deps.destinations.get(pk, destinations);
  if (list === undefined) return undefined;
  const { namespace, name } = subject;
  const parents =
    observed.content === undefined
      ? { bundle: namespacedName(namespace, name), repo: '', helmOp: '' }
      : parentsOf(observed.content, namespace, name);
  const context = { parents, list, silence };
  const folded = await foldFamily(deps, {
    pk,
    family: 'CLUSTER',
    head,
    expected: list.names.length,
    changed,
    fold: BUNDLE_SOURCES,
    rowsOf: (stored, shard) => rowsOf(context, stored, shard),
    fingerprint: fingerprintOf(context),
  });
  if (folded === undefined) return undefined;
  const targetErrors = targets.errors;
  const result: BundleResult = { parts: folded.part, targetErrors };
  const ownFailure = bundleFailure(observed, { targetErrors, id: parents.bundle });
  const { repo, helmOp } = parents;
  return {
    result: { resource: 'bundles', ...result },
    families: { CLUSTER: folded.layout },
    observed,
    destinations,
    contributions: (next) =>
      SOURCES.flatMap((source) =>
        sourceRows(subject, { parents, result, ownFailure }, { next, source }),
      ),
    targets: { list: destinations, body: { repo, helmOp } },
  };
}
