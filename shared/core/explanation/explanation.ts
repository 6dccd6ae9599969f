import { silentAfterOf } from '#shared/core/binding/silent-after.ts';
import {
  contentOf,
  type ReportedObject,
  rowsOf,
  type WdsState,
} from '#shared/core/desired/desired-state.ts';
import { membershipsFor, type WdsMemberships } from '#shared/core/desired/membership.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_STATUS_BYTES } from '#shared/core/limits.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { allSlices, type Slices } from '#shared/core/slices.ts';
import {
  type AggregateExplanation,
  type ExplainedObject,
  explainAggregate,
  type FieldExplanation,
} from '#shared/core/status/kinds/explain-status.ts';
import { ruleOf, statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import { API_VERSION } from '#shared/core/status-api/api-version.ts';
import { largeStatus, noneReturned } from '#shared/core/status-api/messages.ts';
import { type WorkloadName, workloadText } from '#shared/core/status-api/status-name.ts';
import { objectKey } from '#shared/core/workload.ts';
import { type DecidingWec, decidingWecs } from './deciding-wecs.ts';
import { type DecisionExplanation, explainDecision } from './decision-explanation.ts';
import { withKeptFields } from './kept-fields.ts';
import { explainVerdict, type VerdictExplanation } from './verdict-explanation.ts';
import { explainWecs, type WecsExplanation } from './wecs-explanation.ts';
import { withoutWecs } from './without-wecs.ts';

/** What determines the `.status` of a workload object. */
export interface ExplainedWorkload extends Partial<Pick<WdsState, 'silentFor'>> {
  /** By name, the WECs that have been silent for longer than their limit. If absent, none have. */
  readonly silent?: { keys(): Iterable<string> };
  readonly workload: ReportedObject;
  readonly membership: Pick<WdsMemberships, 'memberships'>;
  /** Names of WECs to leave out, to see what the status would be if they were gone. */
  readonly without?: readonly string[];
  /** Whether the WDS has the status. If absent, this is not known. */
  readonly applied?: AppliedExplanation;
  /** What the API server of the WDS has rejected, and why. If absent, this is not known. */
  readonly refused?: readonly string[];
}

/** Whether the WDS has the status. */
export interface AppliedExplanation {
  readonly upToDate: boolean;
  /** Since when it has, RFC 3339. Absent if it has not, or if this is not known. */
  readonly since?: string;
  /** What prevents it. Absent if nothing does, as far as is known. */
  readonly problem?: string;
}

/** Why the `.status` of a workload object is what it is: the resource `explanations` of `status.starfold.dev`. */
export interface Explanation {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Explanation' | 'ClusterExplanation';
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly workload: {
    readonly group: string;
    readonly resource: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
  };
  /** The WECs that were left out. Absent if none were. */
  readonly without?: readonly string[];
  readonly decision: DecisionExplanation;
  readonly wecs: WecsExplanation;
  /** Absent if Starfold writes no status, or if Argo CD does not judge the kind. */
  readonly verdict?: VerdictExplanation;
  /** Every field of `.status`, and every field that a WEC reports and the aggregate leaves out, sorted by path. */
  readonly fields: readonly FieldExplanation[];
  /** The WECs that decide the verdict or a field, by name. */
  readonly deciders: readonly DecidingWec[];
  readonly applied?: AppliedExplanation;
  readonly refused?: readonly string[];
}

/** The status of the first WEC that has returned one, which decides every field. */
function explainCopy(
  object: ExplainedObject,
  rows: readonly PerWecRow[],
): AggregateExplanation | undefined {
  const { workload, specsByHash } = object;
  const fold = statusFoldFor('copy', workload, specsByHash);
  const status = fold.finish(foldRows(fold, rows));
  if (status === undefined) return undefined;
  const isDeep = ruleOf(workload) === undefined;
  const [reporter] = rows.filter(({ row }) => isObject(row?.status));
  const { wec, row } = reporter as Required<PerWecRow>; // The status comes from it.
  const returned = row.status as JsonObject;
  const own = statusPaths(returned, isDeep);
  const verdict = assessArgoCd({ ...workload, status: returned })?.status;
  const first = [wec];
  const fields = [...statusPaths(status, isDeep)].map(([path, value]): FieldExplanation => {
    // A copy has the fields of the WEC.
    const decider = { wec, value: own.get(path) as JsonValue };
    return { path, value, rule: 'copy', documentation: 'rules.md#copy', decidedBy: [decider] };
  });
  return {
    status,
    fields: fields.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    verdicts: verdict === undefined ? [] : [{ verdict, shown: verdict, count: 1, first }],
  };
}

function* explained(
  action: DecisionExplanation['action'],
  object: ExplainedObject,
  rows: readonly PerWecRow[],
): Slices<AggregateExplanation | undefined> {
  switch (action) {
    case 'Aggregate':
      return yield* explainAggregate(object, rows);
    case 'Copy':
      return explainCopy(object, rows);
    default:
      return undefined;
  }
}

/** What names an explanation, and its object. */
export function explanationNames(
  { group, resource, namespace, name }: WorkloadName,
  kind: string,
): Pick<Explanation, 'apiVersion' | 'kind' | 'metadata' | 'workload'> {
  const namespaceMember = namespace === '' ? {} : { namespace };
  return {
    apiVersion: API_VERSION,
    kind: namespace === '' ? 'ClusterExplanation' : 'Explanation',
    metadata: { name: workloadText({ group, resource, namespace, name }), ...namespaceMember },
    workload: { group, resource, kind, ...namespaceMember, name },
  };
}

/** The object as it is in the WDS, which always has an API version and a kind. */
function presentObject({ object }: ReportedObject): WorkloadObject {
  return object as WorkloadObject;
}

/** The decision, if it has no status as its result, says why. */
function withoutStatus(
  decision: DecisionExplanation,
  result: AggregateExplanation | undefined,
): DecisionExplanation {
  if (decision.action === 'Clear' || decision.action === 'Leave') return decision;
  const { reason } = decision;
  if (result === undefined) return { ...decision, action: 'Clear', reason: noneReturned(reason) };
  if (jsonBytes(result.status, MAX_STATUS_BYTES) <= MAX_STATUS_BYTES) return decision;
  return { ...decision, action: 'Clear', reason: largeStatus(reason, MAX_STATUS_BYTES) };
}

/**
 * Explains the `.status` of a workload object: the decision, the WECs, Argo CD's verdict, and each field with its rule
 * and the WECs that decide it. If only the WECs in `decidedBy` of a field were the destinations of the Bindings, the
 * field would have the same value.
 */
export function explainWorkload(inputs: ExplainedWorkload): Explanation {
  return allSlices(explainWorkloadInSlices(inputs));
}

/** Like {@link explainWorkload}, in slices: 10,000 rows take half a second. */
export function* explainWorkloadInSlices(inputs: ExplainedWorkload): Slices<Explanation> {
  const { workload, without = [], silentFor, applied, refused } = inputs;
  const memberships = withoutWecs(membershipsFor(inputs.membership, workload.ref), without);
  const membership = { memberships: new Map([[objectKey(workload.ref), memberships]]) };
  const object = { workload: contentOf(workload), specsByHash: workload.specs };
  const { decision, explanation } = explainDecision(object.workload, memberships);
  const silentAfterMs = silentAfterOf(workload.object, memberships);
  const unheard = silentAfterMs === undefined ? [] : (silentFor?.(silentAfterMs) ?? []);
  const silent = new Set([...(inputs.silent?.keys() ?? []), ...unheard]);
  const qualified = new Set(decision.qualified);
  const rows = rowsOf(membership, workload, silentFor).filter(({ wec }) => qualified.has(wec));
  yield;
  const result = yield* explained(explanation.action, object, rows);
  yield;
  const decided = withoutStatus(explanation, result);
  const written = decided.action === 'Clear' ? undefined : result;
  const verdict = written && explainVerdict(object.workload, written.status, written.verdicts);
  const fields = written === undefined ? [] : withKeptFields(presentObject(workload), written);
  return {
    ...explanationNames(workload.ref, String(member(workload.object, 'kind'))),
    ...(without.length === 0 ? {} : { without }),
    decision: decided,
    wecs: explainWecs(object, rows, silent),
    ...(verdict === undefined ? {} : { verdict }),
    fields,
    deciders: decidingWecs(workload, rows, { silent, fields, verdict }),
    ...(applied === undefined ? {} : { applied }),
    ...(refused === undefined ? {} : { refused }),
  };
}
