import { type Labels, labelsOf } from '#shared/core/binding/labels.ts';
import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';
import { type GroupSelector, groupSelector } from './cluster-group-members.ts';

/** A Cluster as targeting sees it. */
export interface TargetCluster extends JsonObject {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** Whether it is being deleted. */
  readonly deleting: boolean;
}

/** A ClusterGroup as targeting sees it. */
export interface TargetGroup {
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly selector: GroupSelector;
}

/** A Cluster that can be deployed to, and the ClusterGroups with which the criteria of a Bundle are tried. */
export interface Candidate {
  readonly cluster: TargetCluster;
  /** Those that have the Cluster. Never empty: a Cluster in no group is tried with one without a name and labels. */
  readonly groups: readonly Pick<TargetGroup, 'name' | 'labels'>[];
}

/** The Clusters that Bundles can be deployed to. */
export interface ClusterInventory {
  /** The candidates in a namespace, sorted by name. */
  candidates(namespace: string): readonly Candidate[];
}

const NO_GROUP: Candidate['groups'] = [{ name: '', labels: {} }];

/** What targeting reads of a Cluster. What has a wrong type is absent. */
export function targetCluster(object: JsonObject): TargetCluster {
  return {
    namespace: metadataText(object, 'namespace'),
    name: metadataText(object, 'name'),
    labels: labelsOf(object),
    deleting: isDeleting(object),
  };
}

/** What targeting reads of a ClusterGroup. What has a wrong type is absent; of its selector the `errors` tell. */
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
 * Works out once which ClusterGroups each Cluster is in; it is then used for every Bundle. A Cluster that is being
 * deleted is no candidate.
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
