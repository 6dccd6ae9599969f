import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  EXECUTING_COUNT_LABEL,
  MULTI_WEC_STATUS_LABEL,
  SINGLETON_STATUS_LABEL,
} from '#shared/core/kubestellar.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

/** What one Binding requests for the status of one workload object. */
export interface StatusMembership {
  /** Sorted names of the WECs to which the Binding sends the object, each once. */
  readonly destinations: readonly string[];
  readonly wantSingletonReportedState: boolean;
  readonly wantMultiWECReportedState: boolean;
}

/**
 * What happens to the `.status` of a workload object:
 * - `copy`: the status of the one qualified WEC;
 * - `aggregate`: the status folded from all qualified WECs;
 * - `clear`: `.status` must not contain anything from Starfold. What others wrote is kept: the writer clears only an
 *   object that has a label `managed-by.kubestellar.io/*`;
 * - `leave`: neither `.status` nor a label is written.
 */
export type StatusAction = 'copy' | 'aggregate' | 'clear' | 'leave';

/** The decision about one workload object. */
export interface StatusDecision {
  readonly singletonRequested: boolean;
  readonly multiRequested: boolean;
  /** Sorted names of the WECs of all Bindings with either want-flag, each once (docs/architecture.md, section 9.8). */
  readonly qualified: readonly string[];
  readonly action: StatusAction;
}

/** Kinds whose `.status` belongs to the WDS itself, as group/kind. KubeStellar never writes them. */
const NEVER_WRITTEN: ReadonlySet<string> = new Set([
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

function isLeftAlone(workload: WorkloadObject): boolean {
  const { apiVersion, kind } = workload;
  const group = apiGroup(apiVersion);
  return NEVER_WRITTEN.has(`${group}/${kind}`) || isDeleting(workload);
}

/**
 * All names, each once. A single list is returned without a copy, because copying 10,000 WECs costs more than
 * everything else here.
 */
function union(lists: readonly (readonly string[])[]): readonly string[] {
  const [only = [], ...others] = lists;
  return others.length === 0 ? only : [...new Set(lists.flat())].sort();
}

function actionFor(multiRequested: boolean, qualifiedCount: number): StatusAction {
  if (qualifiedCount === 1) return 'copy';
  return multiRequested && qualifiedCount > 1 ? 'aggregate' : 'clear';
}

/**
 * Decides what happens to the `.status` of a workload object (Multi-WEC Aggregated Status, "Behavior Summary";
 * docs/architecture.md, sections 9.8, 9.14 and 9.16). Without a want-flag, no WEC qualifies, and the action is `clear`.
 *
 * @param workload the object in the WDS; an object that is being deleted is not changed
 * @param memberships one for each Binding that names the object
 */
export function decideStatus(
  workload: WorkloadObject,
  memberships: readonly StatusMembership[],
): StatusDecision {
  const flagged = memberships.filter(
    (one) => one.wantSingletonReportedState || one.wantMultiWECReportedState,
  );
  const singletonRequested = flagged.some((one) => one.wantSingletonReportedState);
  const multiRequested = flagged.some((one) => one.wantMultiWECReportedState);
  const qualified = union(flagged.map(({ destinations }) => destinations));
  const action = isLeftAlone(workload) ? 'leave' : actionFor(multiRequested, qualified.length);
  return { singletonRequested, multiRequested, qualified, action };
}

/** Labels to set. null removes a label. */
export type StatusLabels = Readonly<Record<string, string | null>>;

/** The desired status and labels of a workload object in the WDS. */
export type StatusOutcome =
  /** `.status` is exactly this, and the labels are set. */
  | { readonly type: 'status'; readonly status: JsonObject; readonly labels: StatusLabels }
  /**
   * `.status` contains nothing from Starfold (it is cleared if a managed-by label marks it as Starfold's), and the
   * labels are set.
   */
  | { readonly type: 'none'; readonly labels: StatusLabels }
  /** Neither `.status` nor a label is written, regardless of their content. */
  | { readonly type: 'untouched' };

function labelsFor(decision: StatusDecision, written: StatusAction): StatusLabels {
  const { singletonRequested, qualified } = decision;
  return {
    [EXECUTING_COUNT_LABEL]: singletonRequested ? String(qualified.length) : null,
    [SINGLETON_STATUS_LABEL]: written === 'copy' ? 'true' : null,
    [MULTI_WEC_STATUS_LABEL]: written === 'aggregate' ? 'true' : null,
  };
}

/**
 * The desired status and labels, from the decision and the status that it requests.
 *
 * @param returned for `copy` the status of the one qualified WEC, for `aggregate` the aggregated one (the results of
 *   `statusFoldFor`); undefined if nothing was returned, which clears. It is not read for the other actions.
 */
export function statusOutcome(
  decision: StatusDecision,
  returned: JsonObject | undefined,
): StatusOutcome {
  const { action } = decision;
  if (action === 'leave') return { type: 'untouched' };
  if (action === 'clear' || returned === undefined)
    return { type: 'none', labels: labelsFor(decision, 'clear') };
  return { type: 'status', status: returned, labels: labelsFor(decision, action) };
}
