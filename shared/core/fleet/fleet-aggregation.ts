import { Multimap } from '#shared/core/binding/multimap.ts';
import { compareText } from '#shared/core/collector/first-entries.ts';
import { type JsonObject, textAt } from '#shared/core/json.ts';
import { bundleError } from './bundle-status.ts';
import type { ClusterPart, SourceCell } from './cluster-fold.ts';
import type { GroupRow } from './cluster-group-fold.ts';
import { groupSelector } from './cluster-group-members.ts';
import { parentsOf } from './deployment-row.ts';
import type { DesiredStatus } from './desired-status.ts';
import { FleetFolds } from './fleet-folds.ts';
import {
  AGGREGATED_KINDS,
  type AggregatedKind,
  type FleetKind,
  labelledCluster,
  namespacedName,
} from './fleet-object.ts';
import { type ClusterResult, desiredFleetStatus, type FleetResult } from './fleet-result.ts';
import { compareJobs, gitRepoOf } from './git-job.ts';
import { type KnownCluster, TargetRows } from './target-rows.ts';

/** An object of one of the kinds, or that there is none any more. */
export interface FleetChange {
  readonly kind: FleetKind;
  readonly namespace: string;
  readonly name: string;
  /** `undefined`: it is gone. */
  readonly object: JsonObject | undefined;
}

/** What is known besides the objects. */
interface FleetGiven {
  readonly nowMs: number;
  readonly hasAllJobs?: boolean;
}

/**
 * All of Fleet's statuses at one time, from the objects that there are. A change of one BundleDeployment costs as much as
 * the square root of what it belongs to, on each level (design, section 3).
 */
export class FleetAggregation {
  readonly #nowMs: number;
  readonly #hasAllJobs: boolean;
  readonly #objects = new Map<AggregatedKind, Map<string, JsonObject>>(
    AGGREGATED_KINDS.map((kind) => [kind, new Map()]),
  );
  readonly #jobs = new Map<string, JsonObject>();
  readonly #jobsOf = new Multimap<string, string>();
  /** Bundles by the GitRepo and the HelmOp that their labels name. */
  readonly #bundlesOf = new Multimap<string, string>();
  readonly #folds = new FleetFolds();
  readonly #targets: TargetRows;

  /**
   * @param given what time it is, in milliseconds since the epoch; and whether a GitRepo of which no Job is given has none
   *   (default: that is not known, and what its status says counts)
   */
  constructor({ nowMs, hasAllJobs = false }: FleetGiven) {
    this.#nowMs = nowMs;
    this.#hasAllJobs = hasAllJobs;
    this.#targets = new TargetRows(nowMs, (key, row) => this.#folds.setRow(key, row));
  }

  /** Takes an object as it is now. */
  apply({ kind, namespace, name, object }: FleetChange): void {
    const id = namespacedName(namespace, name);
    switch (kind) {
      case 'BundleDeployment':
        this.#targets.setDeployment(id, object);
        return;
      case 'Job':
        this.#setJob(id, object);
        return;
      case 'Bundle':
        this.#setBundle(id, object);
        break;
      case 'Cluster':
        if (this.#targets.setCluster(id, object)) this.#folds.touchCluster(id);
        break;
      case 'ClusterGroup':
        this.#setGroup(id, namespace, object);
        break;
      case 'GitRepo':
      case 'HelmOp':
    }
    const objects = this.#objectsOf(kind);
    if (object === undefined) objects.delete(id);
    else objects.set(id, object);
  }

  #objectsOf(kind: AggregatedKind): Map<string, JsonObject> {
    // There is a map for each kind.
    return this.#objects.get(kind) as Map<string, JsonObject>;
  }

  #setJob(id: string, object: JsonObject | undefined): void {
    const before = this.#jobs.get(id);
    if (before !== undefined) this.#jobsOf.delete(gitRepoOf(before), id);
    this.#jobs.delete(id);
    if (object === undefined) return;
    this.#jobs.set(id, object);
    this.#jobsOf.add(gitRepoOf(object), id);
  }

  #setBundle(id: string, object: JsonObject | undefined): void {
    const before = this.#objectsOf('Bundle').get(id);
    for (const source of sourcesOf(before)) this.#bundlesOf.delete(source, id);
    for (const source of sourcesOf(object)) this.#bundlesOf.add(source, id);
    this.#targets.setBundle(id, object);
  }

  #setGroup(id: string, namespace: string, object: JsonObject | undefined): void {
    if (!this.#targets.setGroup(id, object)) return;
    this.#folds.dropGroup(id);
    for (const [cluster, { target }] of this.#targets.clusters)
      if (target.namespace === namespace) this.#folds.touchCluster(cluster);
  }

  /** The Cluster that a BundleDeployment belongs to, as `<namespace>/<name>`; `''`: none that has been given. */
  clusterOf(deployment: JsonObject): string {
    const namespace = textAt(deployment, 'metadata', 'namespace');
    return this.#targets.clusterOf({ cluster: labelledCluster(deployment), namespace });
  }

  /**
   * What the status of an object should be. `undefined`: there is no such object, or its status is to be left as it is.
   *
   * @param id `<namespace>/<name>`
   */
  desired(kind: AggregatedKind, id: string): DesiredStatus | undefined {
    this.#targets.settle();
    this.#folds.settle((cluster, part) => this.#groupRows(cluster, part));
    const object = this.#objectsOf(kind).get(id);
    if (object === undefined) return undefined;
    return desiredFleetStatus(object, this.#resultOf(kind, id, object), this.#nowMs);
  }

  #groupRows(id: string, part: ClusterPart): (readonly [string, GroupRow | undefined])[] {
    const cluster = this.#targets.clusters.get(id);
    const rows: [string, GroupRow | undefined][] = [];
    for (const [group, { namespace, selector }] of this.#targets.groups) {
      if (!id.startsWith(`${namespace}/`)) continue;
      const isMember = cluster !== undefined && selector.matches(cluster.target);
      rows.push([
        group,
        isMember
          ? { namespace, name: cluster.target.name, contact: cluster.contact, part }
          : undefined,
      ]);
    }
    return rows;
  }

  #resultOf(kind: AggregatedKind, id: string, object: JsonObject): FleetResult {
    switch (kind) {
      case 'Bundle':
        return {
          resource: 'bundles',
          parts: [{ repo: '', helmOp: '', part: this.#folds.bundlePart(id) }],
          targetErrors: this.#targets.targetErrors(id),
        };
      case 'GitRepo': {
        const bundles = [...this.#bundlesOf.get(`repo ${id}`)];
        const job = this.#jobOf(id) ?? (this.#hasAllJobs ? null : undefined);
        return {
          resource: 'gitrepos',
          ...this.#folds.sourceParts('repo', id),
          bundleError: this.#firstBundleError(bundles),
          hasBundles: bundles.length > 0,
          ...(job === undefined ? {} : { job }),
        };
      }
      case 'HelmOp':
        return {
          resource: 'helmops',
          ...this.#folds.sourceParts('helmOp', id),
          bundleError: this.#firstBundleError([...this.#bundlesOf.get(`helmOp ${id}`)]),
        };
      case 'Cluster':
        return { resource: 'clusters', ...this.#clusterResult(id) };
      case 'ClusterGroup': {
        const { errors: selectorErrors } = groupSelector(object);
        return { resource: 'clustergroups', part: this.#folds.groupPart(id), selectorErrors };
      }
    }
  }

  /** The job of a GitRepo: of several the one that was made last, then the one whose name comes first. */
  #jobOf(gitRepo: string): JsonObject | undefined {
    // What is indexed is there.
    const jobs = [...this.#jobsOf.get(gitRepo)].map((id) => this.#jobs.get(id) as JsonObject);
    return jobs.sort(compareJobs)[0];
  }

  /** In the order of their UIDs, as Fleet looks at them. */
  #firstBundleError(bundles: readonly string[]): string {
    const errors = bundles.flatMap((id) => {
      // What is indexed is there.
      const bundle = this.#objectsOf('Bundle').get(id) as JsonObject;
      const error = bundleError({ bundle, targetErrors: this.#targets.targetErrors(id) });
      return error === '' ? [] : [{ order: `${textAt(bundle, 'metadata', 'uid')}\n${id}`, error }];
    });
    errors.sort((a, b) => compareText(a.order, b.order));
    return errors[0]?.error ?? '';
  }

  #clusterResult(id: string): ClusterResult {
    // It has been set together with its object.
    const { target, contact } = this.#targets.clusters.get(id) as KnownCluster;
    const part = this.#folds.clusterPart(id);
    const existing = (cells: readonly SourceCell[], kind: AggregatedKind): readonly string[] =>
      cells.map(({ source }) => source).filter((source) => this.#objectsOf(kind).has(source));
    return {
      namespace: target.namespace,
      name: target.name,
      contact,
      part,
      gitRepos: existing(part.repos, 'GitRepo'),
      helmOps: existing(part.helmOps, 'HelmOp'),
    };
  }
}

function sourcesOf(bundle: JsonObject | undefined): readonly string[] {
  if (bundle === undefined) return [];
  const { repo, helmOp } = parentsOf(bundle, textAt(bundle, 'metadata', 'namespace'), '');
  return [...(repo === '' ? [] : [`repo ${repo}`]), ...(helmOp === '' ? [] : [`helmOp ${helmOp}`])];
}
