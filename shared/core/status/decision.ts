import { isDeleting } from '#shared/core/deleting.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  EXECUTING_COUNT_LABEL,
  MULTI_WEC_STATUS_LABEL,
  SINGLETON_STATUS_LABEL,
} from '#shared/core/kubestellar.ts';
import { apiGroup } from '#shared/core/metadata.ts';
import type { WorkloadObject } from '#shared/core/row.ts';

/** What one Binding says about the return of status for one workload object. */
export interface StatusMembership {
  /** Names of the WECs that the Binding sends the object to, sorted, each once. */
  readonly destinations: readonly string[];
  readonly wantSingletonReportedState: boolean;
  readonly wantMultiWECReportedState: boolean;
}

/**
 * What becomes of a workload object's `.status`:
 * - `copy`: the status of the one qualified WEC;
 * - `aggregate`: the status folded from all qualified WECs;
 * - `clear`: nothing of ours may stand there. What somebody else wrote is left alone: the writer clears only an object
 *   that carries a label `managed-by.kubestellar.io/*`;
 * - `leave`: neither `.status` nor a label is touched.
 */
export type StatusAction = 'copy' | 'aggregate' | 'clear' | 'leave';

/** The decision about one workload object. */
export interface StatusDecision {
  readonly singletonRequested: boolean;
  readonly multiRequested: boolean;
  /** Names of the WECs of all Bindings with either want-flag, sorted, each once (docs/architecture.md, section 9.8). */
  readonly qualified: readonly string[];
  readonly action: StatusAction;
}

/** Kinds whose `.status` belongs to the WDS itself (KubeStellar never writes them), as group/kind. */
const NEVER_WRITTEN: ReadonlySet<string> = new Set([
  '/Namespace',
  'apiextensions.k8s.io/CustomResourceDefinition',
]);

function isLeftAlone(workload: WorkloadObject): boolean {
  const { apiVersion, kind } = workload;
  const group = apiGroup(apiVersion);
  return NEVER_WRITTEN.has(`${group}/${kind}`) || isDeleting(workload);
}

/** The one list as it is, or all names of several: of 10,000 WECs a copy costs more than everything else here. */
function union(lists: readonly (readonly string[])[]): readonly string[] {
  const [only = [], ...others] = lists;
  return others.length === 0 ? only : [...new Set(lists.flat())].sort();
}

function actionFor(multiRequested: boolean, qualifiedCount: number): StatusAction {
  if (qualifiedCount === 1) return 'copy';
  return multiRequested && qualifiedCount > 1 ? 'aggregate' : 'clear';
}

/**
 * Decides what becomes of the `.status` of a workload object (Multi-WEC Aggregated Status, "Behavior Summary"; design,
 * sections 9.8, 9.14 and 9.16). Without a want-flag nothing qualifies, and the action is `clear`.
 *
 * @param workload the object in the WDS; one that is being deleted is left alone
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

/** Labels to set; null removes one. */
export type StatusLabels = Readonly<Record<string, string | null>>;

/** What the WDS should say about a workload object. */
export type StatusOutcome =
  /** `.status` is exactly this, and the labels stand. */
  | { readonly type: 'status'; readonly status: JsonObject; readonly labels: StatusLabels }
  /** Nothing of ours stands in `.status` (cleared where a managed-by label says it is ours), and the labels stand. */
  | { readonly type: 'none'; readonly labels: StatusLabels }
  /** Neither `.status` nor a label is written, whatever stands there. */
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
 * What the WDS should say, from the decision and what it asks for.
 *
 * @param returned for `copy` the status of the one qualified WEC, for `aggregate` the aggregated one (the results of
 *   `statusFoldFor`); undefined where nothing was returned, which clears. Not read for the other actions.
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
