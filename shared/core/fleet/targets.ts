import { readFlag, readList, readText } from '#shared/core/binding/policy-field.ts';
import { boundedErrors } from '#shared/core/error-list.ts';
import { namespacedName } from '#shared/core/fleet-object.ts';
import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { metadataText } from '#shared/core/metadata.ts';
import { type ClusterCriteria, readClusterCriteria } from './cluster-criteria.ts';
import type { Candidate, ClusterInventory } from './cluster-inventory.ts';
import { NO_CRITERIA } from './messages.ts';

/** The Clusters that a Bundle is to be deployed to. */
export interface BundleTargets {
  /** `<namespace>/<name>` of the Clusters, sorted. Empty if there are errors. */
  readonly clusters: readonly string[];
  /** The errors in the targets: field, fault, remedy. Beyond 100, only their number. */
  readonly errors: readonly string[];
}

/** An entry of `spec.targets`. */
interface Target {
  readonly criteria: ClusterCriteria;
  readonly doNotDeploy: boolean;
  /** Whether it comes from the `targetCustomizations` of a `fleet.yaml`. A customization does not select Clusters. */
  readonly isCustomization: boolean;
}

/** The targets of a Bundle, in a form that can be matched with Clusters. */
interface Targeting {
  readonly restrictions: readonly ClusterCriteria[];
  readonly targets: readonly Target[];
  /** The first customization that matches decides whether the Cluster is left out. */
  readonly customizations: readonly Target[];
}

function readEntry(value: JsonValue, path: string, errors: string[]): JsonObject {
  if (isObject(value)) return value;
  errors.push(`${path}: ${NO_CRITERIA}`);
  return {};
}

/**
 * Reads the entries of `spec.targets`. Older versions of Fleet did not write `source`. If a GitRepo or HelmOp created the
 * Bundle, its own targets come last and are repeated as restrictions. The entries before them are customizations (Fleet's code,
 * `determineIsCustomization`).
 *
 * @param restrictions the number of entries in `spec.targetRestrictions`
 */
function readTargets(
  list: readonly JsonValue[],
  restrictions: number,
  errors: string[],
): readonly Target[] {
  return list.map((value, index) => {
    const path = `spec.targets[${index}]`;
    const entry = readEntry(value, path, errors);
    const source = readText(entry['source'], `${path}.source`, errors);
    const isBefore = restrictions > 0 && index < list.length - restrictions;
    return {
      criteria: readClusterCriteria(entry, path, errors),
      doNotDeploy: readFlag(entry['doNotDeploy'], `${path}.doNotDeploy`, errors),
      isCustomization: source === '' ? isBefore : source === 'customization',
    };
  });
}

/**
 * The customizations that can leave out a Cluster. By default, only the first customization that matches a Cluster is applied.
 * With AllMatches, every one is (Fleet, `targetCustomizationMode` of a Bundle), and one with `doNotDeploy` is enough.
 */
function decisive(customizations: readonly Target[], mode: string): readonly Target[] {
  if (mode === 'AllMatches') return customizations.filter(({ doNotDeploy }) => doNotDeploy);
  const last = customizations.findLastIndex(({ doNotDeploy }) => doNotDeploy);
  return customizations.slice(0, last + 1);
}

function readTargeting(bundle: JsonObject, errors: string[]): Targeting {
  const field = (name: string) => at(bundle, 'spec', name);
  const mode = readText(field('targetCustomizationMode'), 'spec.targetCustomizationMode', errors);
  const written = readList(field('targetRestrictions'), 'spec.targetRestrictions', errors);
  const restrictions = written.map((value, index) => {
    const path = `spec.targetRestrictions[${index}]`;
    return readClusterCriteria(readEntry(value, path, errors), path, errors);
  });
  const list = readList(field('targets'), 'spec.targets', errors);
  const entries = readTargets(list, restrictions.length, errors);
  return {
    restrictions,
    targets: entries.filter(({ isCustomization }) => !isCustomization),
    customizations: decisive(
      entries.filter(({ isCustomization }) => isCustomization),
      mode,
    ),
  };
}

/** The groups with which a target may match. A restriction must match with the same group. */
function allowedGroups(
  restrictions: readonly ClusterCriteria[],
  { cluster, groups }: Candidate,
): Candidate['groups'] {
  if (restrictions.length === 0) return groups;
  const matching = restrictions.filter((restriction) => restriction.matchesCluster(cluster));
  return groups.filter((group) => matching.some((restriction) => restriction.matchesGroup(group)));
}

function firstMatch(
  entries: readonly Target[],
  { cluster, groups }: Candidate,
): Target | undefined {
  return entries.find(
    ({ criteria }) =>
      criteria.matchesCluster(cluster) && groups.some((group) => criteria.matchesGroup(group)),
  );
}

function isTarget(targeting: Targeting, candidate: Candidate): boolean {
  const groups = allowedGroups(targeting.restrictions, candidate);
  const target = firstMatch(targeting.targets, { cluster: candidate.cluster, groups });
  if (target === undefined || target.doNotDeploy) return false;
  return firstMatch(targeting.customizations, candidate)?.doNotDeploy !== true;
}

/**
 * The Clusters that a Bundle is to be deployed to: the Clusters of its namespace that match a target. Only the first target
 * that matches counts. If that target has `doNotDeploy`, or a customization has it, the Cluster is left out. If there are
 * restrictions, one of them must match as well (Fleet, Mapping to Downstream Clusters, "Target Matching"; Fleet's code,
 * `BundleMatch` and `Targets`). BundleNamespaceMappings are not known here. Fields that cannot be read add to `errors`, and
 * nothing is thrown.
 */
export function bundleTargets(bundle: JsonObject, inventory: ClusterInventory): BundleTargets {
  const errors: string[] = [];
  const targeting = readTargeting(bundle, errors);
  if (errors.length > 0) return { clusters: [], errors: boundedErrors(errors) };
  const clusters = inventory
    .candidates(metadataText(bundle, 'namespace'))
    .filter((candidate) => isTarget(targeting, candidate))
    .map(({ cluster }) => namespacedName(cluster.namespace, cluster.name));
  return { clusters, errors };
}
