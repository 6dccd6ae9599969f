import { isArray, isObject, type JsonValue } from '#shared/core/json.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

/** A field of a spec in the WDS. */
export interface Field {
  readonly name: string;
  /** The name of the field that contains it. `''` for an element of a list. */
  readonly parent: string;
  readonly value: JsonValue;
}

/** The values that API servers write in another form with the same meaning. */
export interface FieldTolerance {
  /** Whether API servers leave the field out. */
  isOmitted(field: Field): boolean;
  /** Whether the field is a quantity, which can be written in several ways. */
  isQuantity(field: Field): boolean;
}

/**
 * Fields of the specs of workloads that API servers leave out if they are empty: no pointers in Kubernetes' types, with
 * `omitempty` and without a default. Other fields are compared exactly. Pointers keep an empty value (`runAsUser: 0`,
 * `emptyDir: {}`), so a WEC that lacks the value has not received it yet. A field with a default (`replicas: 0`) is
 * never absent in a WEC. Only a WDS object that is read from a file can have such an empty field.
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

/** Maps whose keys are chosen by users. Each member is kept, even an empty one. */
const MAPS: ReadonlySet<string> = new Set([
  'annotations',
  'labels',
  'limits',
  'matchLabels',
  'nodeSelector',
  'overhead',
  'requests',
]);

/** Maps of quantities, and fields that are a quantity. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'overhead', 'requests']);
const QUANTITIES: ReadonlySet<string> = new Set(['averageValue', 'divisor', 'sizeLimit']);

/** The API groups whose types have these fields. */
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

/** A custom resource is stored as it was sent. */
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
