import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { type Labels, labelsOf } from '#shared/core/labels.ts';
import { metadataText } from '#shared/core/metadata.ts';
import { type GroupSelector, groupSelector } from './cluster-group-members.ts';

/** The fields of a Cluster that targeting reads. */
export interface TargetCluster extends JsonObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Whether it is being deleted. */
  readonly deleting: boolean;
}

/** The fields of a ClusterGroup that targeting reads. */
export interface TargetGroup {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly selector: GroupSelector;
}

/** A Cluster that Bundles can be deployed to, and the ClusterGroups with which a Bundle's criteria are matched. */
export interface Candidate {
  readonly cluster: TargetCluster;
  /** The ClusterGroups that have the Cluster. If there are none, the list has one group without a name and labels. */
  readonly groups: readonly Pick<TargetGroup, 'name' | 'labels'>[];
}

/** The Clusters that Bundles can be deployed to. */
export interface ClusterInventory {
  /** The candidates in a namespace, sorted by name. */
  candidates(namespace: string): readonly Candidate[];
}

const NO_GROUP: Candidate['groups'] = [{ name: '', labels: {} }];

/** Reads a Cluster for targeting. A field of the wrong type counts as absent. */
export function targetCluster(object: JsonObject): TargetCluster {
  return {
    namespace: metadataText(object, 'namespace'),
    name: metadataText(object, 'name'),
    labels: labelsOf(object),
    deleting: isDeleting(object),
  };
}

/** Reads a ClusterGroup for targeting. A field of the wrong type counts as absent. The selector has its own `errors`. */
export function targetGroup(object: JsonObject): TargetGroup {
  return {
    namespace: metadataText(object, 'namespace'),
    name: metadataText(object, 'name'),
    labels: labelsOf(object),
    selector: groupSelector(object),
  };
}

function createCandidate(cluster: TargetCluster, groups: readonly TargetGroup[]): Candidate {
  const having = groups.filter(({ selector }) => selector.matches(cluster));
  return { cluster, groups: having.length === 0 ? NO_GROUP : having };
}

function byName(a: Candidate, b: Candidate): number {
  return a.cluster.name < b.cluster.name ? -1 : 1;
}

/**
 * Finds the ClusterGroups of each Cluster once, for all Bundles. A Cluster that is being deleted is not a candidate.
 *
 * @param clusters each once, in any order
 * @param groups each once, in any order
 */
export function createInventory(
  clusters: readonly TargetCluster[],
  groups: readonly TargetGroup[],
): ClusterInventory {
  const candidatesIn = Map.groupBy(
    clusters.filter(({ deleting }) => !deleting).map((cluster) => createCandidate(cluster, groups)),
    ({ cluster }) => cluster.namespace,
  );
  for (const candidates of candidatesIn.values()) candidates.sort(byName);
  return { candidates: (namespace) => candidatesIn.get(namespace) ?? [] };
}
