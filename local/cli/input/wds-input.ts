import { InputError } from '#local/cli/terminal/cli-error.ts';
import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import {
  AGGREGATED_KINDS,
  FLEET_API_VERSION,
  FLEET_GROUP,
  type FleetKind,
} from '#shared/core/fleet-object.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  CONTROL_API_VERSION,
  CONTROL_GROUP,
  CONTROL_VERSION,
  FORMER_CONTROL_GROUP,
} from '#shared/core/kubestellar.ts';
import { NO_FLEET_NAMESPACE } from './fleet-messages.ts';
import { type GivenObject, givenObjects } from './given-objects.ts';
import { createResourceNames, type ResourceOf } from './kind-names.ts';
import { aboutObject, outdatedVersion, UNUSED_KIND, wrongVersion } from './messages.ts';
import type { ReadFile } from './read-files.ts';

const EVALUATED_KINDS: ReadonlySet<string> = new Set<FleetKind>([
  ...AGGREGATED_KINDS,
  'BundleDeployment',
]);

/**
 * Whether an object of Fleet's group is evaluated. The others have no status that depends on BundleDeployments.
 *
 * @throws InputError for an unsupported version of the API, or an object without a namespace
 */
function isEvaluated(given: GivenObject): boolean {
  const { kind, namespace, object } = given;
  if (!EVALUATED_KINDS.has(kind)) return false;
  if (object['apiVersion'] !== FLEET_API_VERSION)
    throw new InputError(aboutObject(given, wrongVersion(object['apiVersion'], FLEET_API_VERSION)));
  if (namespace === '') throw new InputError(aboutObject(given, NO_FLEET_NAMESPACE));
  return true;
}

/** The given WDS and its inventory. */
export interface WdsInput {
  readonly bindings: readonly GivenObject[];
  readonly policies: readonly GivenObject[];
  readonly collectors: readonly GivenObject[];
  readonly combinedStatuses: readonly GivenObject[];
  readonly workStatuses: readonly GivenObject[];
  /** ManagedClusters. */
  readonly clusters: readonly GivenObject[];
  readonly workloads: readonly GivenObject[];
  /** The CustomResourceDefinitions among the workload objects. */
  readonly definitions: readonly JsonObject[];
  /** Objects of Fleet that are evaluated. */
  readonly fleet: readonly GivenObject[];
  readonly resourceOf: ResourceOf;
}

/** An old name of {@link CONTROL_API_VERSION} in documents of KubeStellar (docs/architecture.md, section 9.1). */
const OUTDATED_VERSION = `${FORMER_CONTROL_GROUP}/${CONTROL_VERSION}`;
const RENAMED_KINDS: ReadonlySet<string> = new Set([
  'Binding',
  'BindingPolicy',
  'CombinedStatus',
  'StatusCollector',
]);

type ControlList = 'bindings' | 'policies' | 'collectors' | 'combinedStatuses' | 'workStatuses';

const CONTROL_KINDS: ReadonlyMap<string, ControlList> = new Map([
  ['Binding', 'bindings'],
  ['BindingPolicy', 'policies'],
  ['StatusCollector', 'collectors'],
  ['CombinedStatus', 'combinedStatuses'],
  ['WorkStatus', 'workStatuses'],
]);

type Part = ControlList | 'workloads' | 'fleet' | 'inventory' | 'unused';

function controlPart(given: GivenObject): Part {
  const { kind, object } = given;
  if (object['apiVersion'] !== CONTROL_API_VERSION)
    throw new InputError(
      aboutObject(given, wrongVersion(object['apiVersion'], CONTROL_API_VERSION)),
    );
  return CONTROL_KINDS.get(kind) ?? 'unused';
}

function partOf(given: GivenObject): Part {
  switch (given.group) {
    case CONTROL_GROUP:
      return controlPart(given);
    case FLEET_GROUP:
      return isEvaluated(given) ? 'fleet' : 'unused';
    case MANAGED_CLUSTERS.group:
      return given.kind === 'ManagedCluster' ? 'inventory' : 'workloads';
    default:
      return 'workloads';
  }
}

/** An object with the current name of its API. */
function renamed(given: GivenObject, notice: (text: string) => void): GivenObject {
  const { kind, object } = given;
  if (object['apiVersion'] !== OUTDATED_VERSION || !RENAMED_KINDS.has(kind)) return given;
  notice(aboutObject(given, outdatedVersion(OUTDATED_VERSION, CONTROL_API_VERSION)));
  return { ...given, group: CONTROL_GROUP, object: { ...object, apiVersion: CONTROL_API_VERSION } };
}

/**
 * Groups the objects of a WDS by group and kind.
 *
 * @throws InputError that names file, document, object and field
 */
export function readWdsInput(files: readonly ReadFile[], notice: (text: string) => void): WdsInput {
  const objects = givenObjects(files, (given) => renamed(given, notice));
  const parts = Map.groupBy(objects, partOf);
  const part = (name: Part): readonly GivenObject[] => parts.get(name) ?? [];
  for (const given of part('unused')) notice(aboutObject(given, UNUSED_KIND));
  const definitions = part('workloads')
    .filter(
      ({ group, kind }) => group === 'apiextensions.k8s.io' && kind === 'CustomResourceDefinition',
    )
    .map(({ object }) => object);
  return {
    bindings: part('bindings'),
    policies: part('policies'),
    collectors: part('collectors'),
    combinedStatuses: part('combinedStatuses'),
    workStatuses: part('workStatuses'),
    clusters: part('inventory'),
    workloads: part('workloads'),
    definitions,
    fleet: part('fleet'),
    resourceOf: createResourceNames(definitions),
  };
}
