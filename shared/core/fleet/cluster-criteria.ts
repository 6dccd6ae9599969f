import { parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import { type Labels, labelValue } from '#shared/core/binding/labels.ts';
import { readText } from '#shared/core/binding/policy-field.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** What the criteria look at in a Cluster and in a ClusterGroup. */
interface Labelled {
  readonly name: string;
  readonly labels: Labels;
}

/**
 * What an entry of `spec.targets` or `spec.targetRestrictions` of a Bundle asks for. It matches a Cluster with a
 * ClusterGroup if both functions say so.
 */
export interface ClusterCriteria {
  matchesCluster(cluster: Labelled): boolean;
  /** Says yes where nothing is asked of the ClusterGroup. */
  matchesGroup(group: Labelled): boolean;
}

type Test = (object: Labelled) => boolean;

/** Where Rancher writes the name that its users know a cluster by. */
const DISPLAY_NAME_LABEL = 'management.cattle.io/cluster-display-name';
const never: Test = () => false;
const NOTHING: ClusterCriteria = { matchesCluster: never, matchesGroup: never };

function clusterNameTests(wanted: string): readonly Test[] {
  if (wanted === '') return [];
  return [
    ({ name, labels }) => name === wanted || labelValue(labels, DISPLAY_NAME_LABEL) === wanted,
  ];
}

function groupNameTests(wanted: string): readonly Test[] {
  return wanted === '' ? [] : [({ name }) => name === wanted];
}

function selectorTests(
  value: JsonValue | undefined,
  path: string,
  errors: string[],
): readonly Test[] {
  if (value === undefined || value === null) return [];
  const reading = parseLabelSelector(value, path);
  if (reading.ok) return [({ labels }) => reading.selector.matches(labels)];
  errors.push(...reading.errors);
  return [];
}

function all(tests: readonly Test[]): Test {
  return (object) => tests.every((test) => test(object));
}

/**
 * Reads the criteria of an entry: `clusterName`, `clusterSelector`, `clusterGroup` and `clusterGroupSelector`. All that
 * are given must hold; null and `''` ask for nothing, but the selector `{}` is a criterion that everything meets (Fleet,
 * Mapping to Downstream Clusters, "Target Matching"). An entry that asks for nothing matches nothing. `clusterName` is
 * the name of the Cluster or its display name in Rancher (Fleet's code, `ClusterMatcher`).
 *
 * @param path where the entry stands, for the texts of the errors
 * @param errors is told what is wrong: field, fault, remedy. Then the criteria are of no use.
 */
export function readClusterCriteria(
  entry: JsonObject,
  path: string,
  errors: string[],
): ClusterCriteria {
  const clusterTests = [
    ...clusterNameTests(readText(entry['clusterName'], `${path}.clusterName`, errors)),
    ...selectorTests(entry['clusterSelector'], `${path}.clusterSelector`, errors),
  ];
  const groupTests = [
    ...groupNameTests(readText(entry['clusterGroup'], `${path}.clusterGroup`, errors)),
    ...selectorTests(entry['clusterGroupSelector'], `${path}.clusterGroupSelector`, errors),
  ];
  if (clusterTests.length + groupTests.length === 0) return NOTHING;
  return { matchesCluster: all(clusterTests), matchesGroup: all(groupTests) };
}
