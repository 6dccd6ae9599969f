import { parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import { readText } from '#shared/core/binding/policy-field.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { type Labels, labelValue } from '#shared/core/labels.ts';

/** The fields of a Cluster or ClusterGroup that the criteria read. */
interface Labelled {
  readonly name: string;
  readonly labels: Labels;
}

/**
 * The criteria of an entry of `spec.targets` or `spec.targetRestrictions` of a Bundle. An entry matches a Cluster in a
 * ClusterGroup if both functions return true.
 */
export interface ClusterCriteria {
  matchesCluster(cluster: Labelled): boolean;
  /** Returns true if the entry has no criteria for the ClusterGroup. */
  matchesGroup(group: Labelled): boolean;
}

type Test = (object: Labelled) => boolean;

/** The label in which Rancher stores a cluster's display name. */
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
 * Reads the criteria of an entry: `clusterName`, `clusterSelector`, `clusterGroup` and `clusterGroupSelector`. All criteria
 * that are set must match. null and `''` count as not set, but the selector `{}` is a criterion that matches everything (Fleet,
 * Mapping to Downstream Clusters, "Target Matching"). An entry without criteria matches nothing. `clusterName` is the name of
 * the Cluster or its display name in Rancher (Fleet's code, `ClusterMatcher`).
 *
 * @param path the path of the entry, for error messages
 * @param errors receives the errors: field, fault, remedy. If it receives any, do not use the criteria.
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
