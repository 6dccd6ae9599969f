import { at, isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PrinterColumn, ResourceDefinition } from './resources.ts';

function text(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function servedVersion(crd: JsonObject): JsonValue | undefined {
  const versions = at(crd, 'spec', 'versions');
  return isArray(versions)
    ? versions.find((version) => at(version, 'storage') === true && at(version, 'served') !== false)
    : undefined;
}

function printerColumn(column: JsonValue): readonly PrinterColumn[] {
  const name = text(at(column, 'name'));
  const type = text(at(column, 'type'));
  const jsonPath = text(at(column, 'jsonPath'));
  const priority = at(column, 'priority');
  if (name === undefined || type === undefined || jsonPath === undefined) return [];
  return [{ name, type, jsonPath, ...(typeof priority === 'number' ? { priority } : {}) }];
}

/**
 * The resource of a CustomResourceDefinition in its storage version. Other served versions are left out, because there
 * is no conversion here. `undefined` if it has no group, plural, kind or served storage version.
 */
export function customResource(crd: JsonObject): ResourceDefinition | undefined {
  const names = at(crd, 'spec', 'names');
  const group = text(at(crd, 'spec', 'group'));
  const resource = text(at(names, 'plural'));
  const kind = text(at(names, 'kind'));
  const stored = servedVersion(crd);
  const version = text(at(stored, 'name'));
  if (!group || !resource || !kind || !version) return undefined;
  const schema = at(stored, 'schema', 'openAPIV3Schema');
  const columns = at(stored, 'additionalPrinterColumns');
  return {
    group,
    version,
    resource,
    kind,
    namespaced: at(crd, 'spec', 'scope') !== 'Cluster',
    statusSubresource: isObject(at(stored, 'subresources', 'status')),
    shortNames: texts(at(names, 'shortNames')),
    categories: texts(at(names, 'categories')),
    ...(isObject(schema) ? { schema } : {}),
    ...(isArray(columns) ? { printerColumns: columns.flatMap(printerColumn) } : {}),
  };
}

/** `.status` of a CustomResourceDefinition that is served immediately, with its two conditions. */
export function establishedStatus(crd: JsonObject, now: string): JsonValue {
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    reason,
    message,
  });
  const version = at(servedVersion(crd), 'name');
  return {
    acceptedNames: at(crd, 'spec', 'names') ?? {},
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    storedVersions: version === undefined ? [] : [version],
  };
}
