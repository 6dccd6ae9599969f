import { isArray, isObject, type JsonValue } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

/** A field of a spec in the WDS. */
export interface Field {
  readonly name: string;
  /** The name of the field that it is in; `''` in an element of a list. */
  readonly parent: string;
  readonly value: JsonValue;
}

/** What API servers write otherwise than it was given to them, so that it says the same. */
export interface FieldTolerance {
  /** Whether they leave the field out. */
  isOmitted(field: Field): boolean;
  /** Whether it is a quantity, which can be written in several ways. */
  isQuantity(field: Field): boolean;
}

/**
 * Fields of the specs of workloads that are left out at their empty value: no pointers in Kubernetes' types, with
 * `omitempty` and without a default. Fields that are not here stay exact. Pointers keep an empty value (`runAsUser: 0`,
 * `emptyDir: {}`), and a WEC that lacks it has not got it yet; what has a default (`replicas: 0`) is never absent in a
 * WEC. Only a WDS object read from a file has such a field at all.
 */
const OMITTED_WHEN_EMPTY: ReadonlySet<string> = new Set([
  // false
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'paused',
  'readOnly',
  'stdin',
  'stdinOnce',
  'tty',
  // 0
  'hostPort',
  'initialDelaySeconds',
  'minReadySeconds',
  // ''
  'host',
  'hostname',
  'medium',
  'nodeName',
  'priorityClassName',
  'serviceAccountName',
  'subPath',
  'subPathExpr',
  'subdomain',
  'value',
  'workingDir',
  // {}
  'annotations',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'overhead',
  'requests',
  'resources',
]);

/** Maps whose keys are the users' own: each member stays, also an empty one. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'overhead',
  'requests',
]);

/** Maps of quantities, and fields that are one. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'overhead', 'requests']);
const QUANTITIES: ReadonlySet<string> = new Set(['averageValue', 'divisor', 'sizeLimit']);

/** The API groups whose types these fields are of. */
const WORKLOAD_GROUPS: ReadonlySet<string> = new Set([
  '',
  'apps',
  'autoscaling',
  'batch',
  'policy',
]);

function isEmpty(value: JsonValue): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) ? Object.keys(value).length === 0 : !value;
}

/** A custom resource keeps what it is given. */
const CUSTOM: FieldTolerance = {
  isOmitted: ({ value }) => value === null,
  isQuantity: () => false,
};

const KUBERNETES: FieldTolerance = {
  isOmitted: ({ name, parent, value }) =>
    value === null ||
    (isEmpty(value) && !MAPS.has(parent) && (isArray(value) || OMITTED_WHEN_EMPTY.has(name))),
  isQuantity: ({ name, parent }) => QUANTITY_MAPS.has(parent) || QUANTITIES.has(name),
};

/** How the API servers of WECs write the spec of a workload object. */
export function toleranceFor({ apiVersion }: WorkloadObject): FieldTolerance {
  const group = apiGroup(apiVersion);
  return WORKLOAD_GROUPS.has(group) ? KUBERNETES : CUSTOM;
}
