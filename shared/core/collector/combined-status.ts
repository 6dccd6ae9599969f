import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import {
  CONTROL_API_VERSION,
  REPORT_NAMESPACE,
  STATUS_LABEL_PREFIX,
} from '#shared/core/kubestellar.ts';
import { MAX_COMBINED_STATUS_BYTES } from '#shared/core/limits.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import { type CollectorResult, failedResult } from './collector-result.ts';
import { compareText } from './first-entries.ts';
import { labelValue } from './label-value.ts';
import { largeResult } from './messages.ts';

/** The result of one StatusCollector for the PerWEC table of a workload object. */
interface NamedResult {
  /** Name of the StatusCollector. */
  readonly name: string;
  readonly result: CollectorResult;
}

/** A workload object and a Binding that sends it, with the results of the Binding's collectors. */
export interface CombinedStatusInput {
  readonly workload: WorkloadRef;
  /** The workload object in the WDS, which will own the CombinedStatus. */
  readonly owner: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly uid: string;
  };
  readonly binding: {
    /** The name of the Binding, which is also the name of its BindingPolicy. */
    readonly name: string;
    readonly uid: string;
    /** UID of the BindingPolicy. Absent if the Binding was made without one. */
    readonly policyUid?: string;
  };
  /** One for each valid StatusCollector that the Binding refers to, in any order. */
  readonly results: readonly NamedResult[];
}

/** A CombinedStatus, and the errors of the results in it. */
interface MadeCombinedStatus {
  /** The complete object. */
  readonly object: JsonObject;
  /**
   * What `status.errors` of the Binding and its BindingPolicy report about it, ordered by the name of the collector:
   * conversion errors (docs/architecture.md, section 9.6), and collectors without a result.
   */
  readonly errors: readonly string[];
}

/**
 * The CombinedStatus of a pair of a workload object and a Binding, with the names, labels and owner that KubeStellar
 * gives it. For a Binding without a BindingPolicy, the UID of the Binding is used. Empty lists are left out, except
 * `results` and `columnNames`, which the API requires or readers expect. A collector without a result has an error
 * instead.
 *
 * The object takes at most {@link MAX_COMBINED_STATUS_BYTES}. In the order of the collectors' names, a result is kept
 * if it leaves enough room for the errors that could replace the other results. A result that does not fit is replaced
 * by an error.
 */
export function combinedStatus(input: CombinedStatusInput): MadeCombinedStatus {
  const results = input.results.toSorted((a, b) => compareText(a.name, b.name));
  const object = withoutResults(input);
  const stubs = results.map(({ name }) => namedCombination({ name, result: TOO_LARGE }));
  let left = MAX_COMBINED_STATUS_BYTES - jsonBytes({ ...object, results: stubs });
  const kept = results.map((one, index): NamedResult => {
    const combination = namedCombination(one);
    const more = jsonBytes(combination, MAX_COMBINED_STATUS_BYTES) - jsonBytes(stubs[index]);
    if (more > Math.max(left, 0)) return { ...one, result: TOO_LARGE };
    left -= more;
    return one;
  });
  return {
    object: { ...object, results: kept.map(namedCombination) },
    errors: kept.flatMap((one) => errorTexts(input.workload, one)),
  };
}

const TOO_LARGE = failedResult(largeResult(MAX_COMBINED_STATUS_BYTES));

function withoutResults({ workload, owner, binding }: CombinedStatusInput): JsonObject {
  return {
    apiVersion: CONTROL_API_VERSION,
    kind: 'CombinedStatus',
    metadata: {
      name: combinedStatusName(owner.uid, binding),
      namespace: combinedStatusNamespace(workload),
      labels: labels(workload, binding.name),
      ownerReferences: [
        { apiVersion: owner.apiVersion, kind: owner.kind, name: workload.name, uid: owner.uid },
      ],
    },
  };
}

/** The name of the CombinedStatus of a workload object (by UID) and a Binding. */
export function combinedStatusName(
  workloadUid: string,
  binding: CombinedStatusInput['binding'],
): string {
  return `${workloadUid}.${binding.policyUid ?? binding.uid}`;
}

/**
 * The namespace of the CombinedStatuses of a workload object: the namespace of the object, or one namespace for all
 * cluster-scoped objects.
 */
export function combinedStatusNamespace(workload: WorkloadRef): string {
  return workload.namespace === '' ? REPORT_NAMESPACE : workload.namespace;
}

function errorTexts(workload: WorkloadRef, { name, result }: NamedResult): readonly string[] {
  const title = workloadTitle(workload);
  const conversions = result.conversionErrors.map(
    ({ columnName, error }) => `StatusCollector ${name}, column ${columnName}, ${title}: ${error}`,
  );
  const { failure } = result;
  return failure === undefined
    ? conversions
    : [...conversions, `StatusCollector ${name}, ${title}: ${failure}`];
}

function labels(workload: WorkloadRef, bindingPolicy: string): JsonObject {
  const values = {
    'api-group': workload.group,
    resource: workload.resource,
    namespace: workload.namespace,
    name: workload.name,
    'binding-policy': bindingPolicy,
  };
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      `${STATUS_LABEL_PREFIX}${key}`,
      labelValue(value),
    ]),
  );
}

function namedCombination({ name, result }: NamedResult): JsonObject {
  const rowErrors = result.rowErrors.map(({ wec, columnName, error }) => ({
    wec: { clusterId: wec },
    columnName,
    error,
  }));
  return {
    name,
    columnNames: result.columnNames,
    ...unlessEmpty(
      'rows',
      result.rows.map((columns) => ({ columns })),
    ),
    ...unlessEmpty('rowErrors', rowErrors),
    ...unlessEmpty('aggregationErrors', [
      // The error of the whole result has no column.
      ...(result.failure === undefined ? [] : [{ columnName: '', error: result.failure }]),
      ...result.aggregationErrors.map(({ columnName, error }) => ({ columnName, error })),
    ]),
  };
}

function unlessEmpty(key: string, values: readonly JsonValue[]): JsonObject {
  return values.length === 0 ? {} : { [key]: values };
}
