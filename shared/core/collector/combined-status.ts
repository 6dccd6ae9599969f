import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { type WorkloadRef, workloadTitle } from '#shared/core/workload.ts';
import type { CollectorResult } from './collector-result.ts';
import { compareText } from './first-entries.ts';
import { labelValue } from './label-value.ts';

/** What one StatusCollector made of a workload object's PerWEC table. */
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
    /** The name of the Binding, which is that of its BindingPolicy. */
    readonly name: string;
    readonly uid: string;
    /** UID of the BindingPolicy; absent for a Binding that was made without one. */
    readonly policyUid?: string;
  };
  /** One for each valid StatusCollector that the Binding refers to, in any order. */
  readonly results: readonly NamedResult[];
}

const API_VERSION = 'control.kubestellar.io/v1alpha1';
/** Holds the CombinedStatuses of cluster-scoped objects. */
const REPORT_NAMESPACE = 'kubestellar-report';
const LABEL_PREFIX = 'status.kubestellar.io/';

/**
 * The complete CombinedStatus object of a (workload object, Binding) pair, as KubeStellar names, labels and owns it.
 * A Binding without a BindingPolicy stands for one with its own UID. A list that would be empty is left out, apart
 * from `results` and `columnNames`, which the API requires or readers expect.
 */
export function combinedStatus(input: CombinedStatusInput): JsonObject {
  const { workload, owner, binding } = input;
  const results = input.results.toSorted((a, b) => compareText(a.name, b.name));
  return {
    apiVersion: API_VERSION,
    kind: 'CombinedStatus',
    metadata: {
      name: combinedStatusName(owner.uid, binding),
      namespace: combinedStatusNamespace(workload),
      labels: labels(workload, binding.name),
      ownerReferences: [
        { apiVersion: owner.apiVersion, kind: owner.kind, name: workload.name, uid: owner.uid },
      ],
    },
    results: results.map(namedCombination),
  };
}

/** The name of the CombinedStatus of a workload object (by UID) and a Binding. */
export function combinedStatusName(
  workloadUid: string,
  binding: CombinedStatusInput['binding'],
): string {
  return `${workloadUid}.${binding.policyUid ?? binding.uid}`;
}

/** The namespace of the CombinedStatuses of a workload object: its own, or one for all cluster-scoped objects. */
export function combinedStatusNamespace(workload: WorkloadRef): string {
  return workload.namespace === '' ? REPORT_NAMESPACE : workload.namespace;
}

/**
 * The conversion errors of the results, for `status.errors` of the Binding and its BindingPolicy (design, section
 * 9.6), by the name of the collector.
 */
export function conversionErrorTexts(input: CombinedStatusInput): readonly string[] {
  const title = workloadTitle(input.workload);
  const results = input.results.toSorted((a, b) => compareText(a.name, b.name));
  return results.flatMap((collector) =>
    collector.result.conversionErrors.map(
      ({ columnName, error }) =>
        `StatusCollector ${collector.name}, column ${columnName}, ${title}: ${error}`,
    ),
  );
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
    Object.entries(values).map(([key, value]) => [`${LABEL_PREFIX}${key}`, labelValue(value)]),
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
    ...unlessEmpty(
      'aggregationErrors',
      result.aggregationErrors.map(({ columnName, error }) => ({ columnName, error })),
    ),
  };
}

function unlessEmpty(key: string, values: readonly JsonValue[]): JsonObject {
  return values.length === 0 ? {} : { [key]: values };
}
