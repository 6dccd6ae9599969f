import { deploymentContent, resourceEntry } from '#shared/core/fleet/deployment-entry.ts';
import type { DeploymentRow } from '#shared/core/fleet/deployment-row.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';

/** A BundleDeployment in the form of the list. Empty members are left out. */
export function deploymentEntry(row: DeploymentRow): JsonObject {
  const { namespace, name } = row;
  return { namespace, name, ...deploymentContent(row) };
}

/**
 * A shorter entry, for one that would exceed a whole answer: it has the first resources, and the number of those that are left
 * out.
 *
 * @param maxBytes its approximate maximum
 */
export function shortEntry(row: DeploymentRow, maxBytes: number): JsonObject {
  // Half of the maximum, because texts are longer within a JSON text.
  let room = maxBytes / 2;
  const resources: JsonObject[] = [];
  for (const [, resource] of row.resources) {
    const entry = resourceEntry(resource);
    room -= Buffer.byteLength(stringifyJson(entry));
    if (room < 0) break;
    resources.push(entry);
  }
  const resourcesLeftOut = row.resources.length - resources.length;
  return { ...deploymentEntry({ ...row, resources: [] }), resources, resourcesLeftOut };
}
