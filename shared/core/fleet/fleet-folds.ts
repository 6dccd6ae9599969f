import { Multimap } from '#shared/core/binding/multimap.ts';
import { mergingFold } from '#shared/core/fold/fold.ts';
import { ShardedRows } from '#shared/core/fold/sharded-rows.ts';
import { BUNDLE, type BundlePart } from './bundle-fold.ts';
import { CELLS, type CellsPart, type ClusterCell } from './cells-fold.ts';
import { CLUSTER, type ClusterPart, type SourceCell } from './cluster-fold.ts';
import { CLUSTER_GROUP, type GroupPart, type GroupRow } from './cluster-group-fold.ts';
import type { DeploymentRow } from './deployment-row.ts';

/** The Bundles of a GitRepo or a HelmOp, each a row with its part, and its clusters. */
interface SourceFolds {
  readonly bundles: ShardedRows<BundlePart, BundlePart>;
  readonly cells: ShardedRows<ClusterCell, CellsPart>;
}

type Source = 'repo' | 'helmOp';

const MERGED_BUNDLES = mergingFold(BUNDLE);

/** The rows of one Bundle below one GitRepo and one HelmOp. */
interface BundleRows {
  readonly key: string;
  readonly bundle: string;
  readonly repo: string;
  readonly helmOp: string;
  readonly rows: ShardedRows<DeploymentRow, BundlePart>;
}

function bundleRowsKey({ bundle, repo, helmOp }: DeploymentRow): string {
  return [bundle, repo, helmOp].join('\n');
}

/**
 * The folds of all levels over the rows of targets. A change of a row folds one shard of its Bundle and of its Cluster
 * anew, and merges what has changed into the GitRepo, HelmOp and ClusterGroups above them.
 */
export class FleetFolds {
  readonly #rows = new Map<string, DeploymentRow>();
  readonly #bundleRows = new Map<string, BundleRows>();
  readonly #ofBundle = new Multimap<string, BundleRows>();
  readonly #clusters = new Map<string, ShardedRows<DeploymentRow, ClusterPart>>();
  readonly #sources = new Map<string, SourceFolds>();
  readonly #groups = new Map<string, ShardedRows<GroupRow, GroupPart>>();
  /** The sources that have a cell of a cluster. */
  readonly #cellsOf = new Map<string, ReadonlySet<string>>();
  readonly #changedBundles = new Set<BundleRows>();
  readonly #changedClusters = new Set<string>();

  /** Puts a row, or removes it. */
  setRow(key: string, row: DeploymentRow | undefined): void {
    const before = this.#rows.get(key);
    if (before === undefined && row === undefined) return;
    if (before !== undefined && !isSamePlace(before, row)) this.#remove(key, before);
    if (row === undefined) this.#rows.delete(key);
    else {
      this.#rows.set(key, row);
      this.#add(key, row);
    }
  }

  #remove(key: string, row: DeploymentRow): void {
    this.#changedBundle(row).rows.delete(key);
    this.#changedCluster(row).delete(key);
  }

  #add(key: string, row: DeploymentRow): void {
    this.#changedBundle(row).rows.set(key, row);
    this.#changedCluster(row).set(key, row);
  }

  #changedBundle(row: DeploymentRow): BundleRows {
    const key = bundleRowsKey(row);
    let bundle = this.#bundleRows.get(key);
    if (bundle === undefined) {
      const { bundle: id, repo, helmOp } = row;
      bundle = { key, bundle: id, repo, helmOp, rows: new ShardedRows(BUNDLE) };
      this.#bundleRows.set(key, bundle);
      this.#ofBundle.add(id, bundle);
    }
    this.#changedBundles.add(bundle);
    return bundle;
  }

  #changedCluster({ cluster }: DeploymentRow): ShardedRows<DeploymentRow, ClusterPart> {
    const rows = this.#clusters.get(cluster) ?? new ShardedRows(CLUSTER);
    this.#clusters.set(cluster, rows);
    this.#changedClusters.add(cluster);
    return rows;
  }

  /** What a cluster says of itself, or which groups have it, has changed. */
  touchCluster(cluster: string): void {
    this.#changedClusters.add(cluster);
  }

  /** Removes the fold of a ClusterGroup; its clusters have to be touched when it comes again. */
  dropGroup(group: string): void {
    this.#groups.delete(group);
  }

  /**
   * Carries what has changed to the levels above.
   *
   * @param groupRowsOf the ClusterGroups near a cluster, each with the cluster's row, or `undefined` where it is no member
   */
  settle(
    groupRowsOf: (
      cluster: string,
      part: ClusterPart,
    ) => Iterable<readonly [group: string, row: GroupRow | undefined]>,
  ): void {
    for (const bundle of this.#changedBundles) this.#carryBundle(bundle);
    this.#changedBundles.clear();
    for (const cluster of this.#changedClusters) {
      const part = this.clusterPart(cluster);
      this.#carryCells(cluster, part);
      for (const [group, row] of groupRowsOf(cluster, part)) this.#carryGroup(group, cluster, row);
      if (this.#clusters.get(cluster)?.size === 0) this.#clusters.delete(cluster);
    }
    this.#changedClusters.clear();
  }

  #carryBundle(bundle: BundleRows): void {
    const { key, repo, helmOp, rows } = bundle;
    const isEmpty = rows.size === 0;
    for (const source of [...sourceKeys('repo', repo), ...sourceKeys('helmOp', helmOp)])
      if (isEmpty) this.#leaveSource(source, 'bundles', key);
      else this.#sourceAt(source).bundles.set(key, rows.part());
    if (!isEmpty) return;
    this.#bundleRows.delete(key);
    this.#ofBundle.delete(bundle.bundle, bundle);
  }

  #leaveSource(source: string, level: keyof SourceFolds, key: string): void {
    const folds = this.#sources.get(source);
    folds?.[level].delete(key);
    if (folds?.bundles.size === 0 && folds.cells.size === 0) this.#sources.delete(source);
  }

  #sourceAt(key: string): SourceFolds {
    let folds = this.#sources.get(key);
    if (folds === undefined) {
      folds = { bundles: new ShardedRows(MERGED_BUNDLES), cells: new ShardedRows(CELLS) };
      this.#sources.set(key, folds);
    }
    return folds;
  }

  #carryCells(cluster: string, part: ClusterPart): void {
    const before = this.#cellsOf.get(cluster) ?? new Set<string>();
    const now = new Set<string>();
    const carry = (type: Source, { source, cell }: SourceCell): void => {
      const key = sourceKey(type, source);
      now.add(key);
      this.#sourceAt(key).cells.set(cluster, cell);
    };
    for (const cell of part.repos) carry('repo', cell);
    for (const cell of part.helmOps) carry('helmOp', cell);
    for (const key of before) if (!now.has(key)) this.#leaveSource(key, 'cells', cluster);
    if (now.size > 0) this.#cellsOf.set(cluster, now);
    else this.#cellsOf.delete(cluster);
  }

  #carryGroup(group: string, cluster: string, row: GroupRow | undefined): void {
    const known = this.#groups.get(group);
    if (row === undefined) {
      known?.delete(cluster);
      if (known?.size === 0) this.#groups.delete(group);
      return;
    }
    const rows = known ?? new ShardedRows(CLUSTER_GROUP);
    this.#groups.set(group, rows);
    rows.set(cluster, row);
  }

  /** The part of a Bundle, of all that it belongs to. */
  bundlePart(bundle: string): BundlePart {
    const all = [...this.#ofBundle.get(bundle)];
    return all.map(({ rows }) => rows.part()).reduce(BUNDLE.merge, BUNDLE.empty);
  }

  /** The part of a Cluster; `''`: of the deployments that belong to none. */
  clusterPart(cluster: string): ClusterPart {
    return this.#clusters.get(cluster)?.part() ?? CLUSTER.empty;
  }

  /** The parts of a GitRepo or HelmOp. */
  sourceParts(type: Source, id: string): { readonly part: BundlePart; readonly cells: CellsPart } {
    const folds = this.#sources.get(sourceKey(type, id));
    return {
      part: folds?.bundles.part() ?? BUNDLE.empty,
      cells: folds?.cells.part() ?? CELLS.empty,
    };
  }

  /** The part of a ClusterGroup. */
  groupPart(group: string): GroupPart {
    return this.#groups.get(group)?.part() ?? CLUSTER_GROUP.empty;
  }
}

function sourceKey(type: Source, id: string): string {
  return `${type} ${id}`;
}

/** None where rows belong to none. */
function sourceKeys(type: Source, id: string): readonly string[] {
  return id === '' ? [] : [sourceKey(type, id)];
}

function isSamePlace(a: DeploymentRow, b: DeploymentRow | undefined): boolean {
  return b !== undefined && a.cluster === b.cluster && bundleRowsKey(a) === bundleRowsKey(b);
}
