import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { ResourceDefinition } from './resources.ts';
import type { StoredObject } from './stored-object.ts';
import { columnsOf } from './table-columns.ts';

/** How much of each object a table contains in addition to its cells (`includeObject` of the request). */
export type IncludedObject = 'None' | 'Metadata' | 'Object';

function included(stored: StoredObject, how: IncludedObject): JsonValue {
  if (how === 'None') return null;
  if (how === 'Object') return stored.object;
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: stored.object['metadata'] ?? {},
  };
}

/**
 * A `Table` (meta.k8s.io/v1) of objects of one resource, as `kubectl get` shows it.
 *
 * @param listMetadata `metadata` of the list; for the table of one object, its resourceVersion
 */
export function tableOf(
  definition: ResourceDefinition,
  rows: readonly StoredObject[],
  options: {
    readonly listMetadata: JsonObject;
    readonly include: IncludedObject;
    readonly now: Date;
  },
): JsonObject {
  const columns = columnsOf(definition);
  return {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'Table',
    metadata: options.listMetadata,
    columnDefinitions: columns.map(({ name, type, priority }) => ({
      name,
      type,
      priority,
      format: name === 'Name' ? 'name' : '',
      description: '',
    })),
    rows: rows.map((stored) => ({
      cells: columns.map(({ cell }) => cell(stored.object, options.now)),
      object: included(stored, options.include),
    })),
  };
}
