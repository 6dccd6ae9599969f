import {
  AGGREGATED_KINDS,
  FLEET_API_VERSION,
  type FleetKind,
} from '#shared/core/fleet/fleet-object.ts';
import { InputError } from './cli-error.ts';
import type { GivenObject } from './given-objects.ts';

/** The API group of Fleet. */
export const FLEET_GROUP = 'fleet.cattle.io';

const EVALUATED_KINDS: ReadonlySet<string> = new Set<FleetKind>([
  ...AGGREGATED_KINDS,
  'BundleDeployment',
]);

/**
 * Whether an object of Fleet's group is one that is evaluated: others have no status that follows from BundleDeployments.
 *
 * @throws InputError for a version of the API that is not read, or an object without a namespace.
 */
export function isEvaluated(given: GivenObject): boolean {
  const { place, title, kind, namespace, object } = given;
  if (!EVALUATED_KINDS.has(kind)) return false;
  if (object['apiVersion'] !== FLEET_API_VERSION)
    throw new InputError(
      `${place}, ${title}: apiVersion is ${object['apiVersion']}: give it as ${FLEET_API_VERSION}`,
    );
  if (namespace === '')
    throw new InputError(
      `${place}, ${title}: metadata.namespace is missing: Fleet's objects belong to one; give the object as kubectl get -o yaml prints it`,
    );
  return true;
}
