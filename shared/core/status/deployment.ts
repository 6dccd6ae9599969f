import type { Fold } from '#shared/core/fold/fold.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { assessDeployment, DEADLINE_EXCEEDED } from '#shared/core/health/deployment.ts';
import { type ArgoCdStatus, worst } from '#shared/core/health/verdict.ts';
import { at, isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import {
  type ConditionReport,
  type ConditionsPart,
  finishConditions,
  liftConditions,
  mergeConditions,
} from './conditions.ts';
import type { RuleContext } from './rule-context.ts';
import type { TranslatedGeneration } from './source-generation.ts';
import { holdBack } from './verdict-guard.ts';

/** The part of some WECs of a Deployment; null of none. Plain JSON. */
export type DeploymentPart = {
  readonly rows: number;
  readonly reporters: number;
  /** Argo CD's worst verdict on the WECs' own objects. */
  readonly worst: ArgoCdStatus;
  /** Whether any says a generation at all. */
  readonly observes: boolean;
  /** The lowest. */
  readonly observed: number;
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
  /** The highest: replicas that are not updated. */
  readonly old: number;
  readonly unavailable: number;
  /** Whether a current WEC is known to want another number of replicas than the WDS. */
  readonly differs: boolean;
  /** The highest: what is missing of the replicas that the WEC wants. */
  readonly notUpdated: number;
  readonly notReady: number;
  /** The highest: updated replicas that are not available. */
  readonly updatedNotAvailable: number;
  readonly conditions: ConditionsPart;
} | null;

/** Types of condition whose True is the bad news. */
const FAILURE_TYPES: ReadonlySet<string> = new Set(['ReplicaFailure']);
const DEFAULT_REPLICAS = 1;

function replicasIn(spec: JsonValue | undefined): number {
  const replicas = member(spec, 'replicas');
  return typeof replicas === 'number' ? replicas : DEFAULT_REPLICAS;
}

/** Argo CD's verdict on a WEC's own object; a WEC that does not act on the WDS's current generation is Progressing. */
function verdictOn(row: WecRow, context: RuleContext, current: boolean): ArgoCdStatus {
  if (!current) return 'Progressing';
  const { generation, status = null } = row;
  const { workload } = context;
  const spec = specOf(row, context) ?? workload['spec'] ?? null;
  const name = member(workload.metadata, 'name') ?? '';
  return assessDeployment({ metadata: { name, generation }, spec, status }).status;
}

function specOf(row: WecRow, { specsByHash }: RuleContext): JsonValue | undefined {
  return row.specHash === undefined ? undefined : specsByHash.get(row.specHash);
}

/**
 * A passed deadline decides, where it is the WEC's verdict; in any other WEC (it has not seen the current generation,
 * or is paused) its reason is renamed, as Argo CD reads the reason alone. A ReplicaFailure of a WEC that is not current
 * says nothing about the current generation.
 */
function reportOf(type: string, entry: JsonObject, row: RowFacts): ConditionReport {
  if (type === 'Progressing' && entry['reason'] === DEADLINE_EXCEEDED)
    return row.verdict === 'Degraded'
      ? { entry, decisive: true }
      : { entry: { ...entry, reason: `Stale${DEADLINE_EXCEEDED}` }, decisive: false };
  if (!FAILURE_TYPES.has(type) || entry['status'] !== 'True') return { entry, decisive: false };
  return row.current
    ? { entry, decisive: true }
    : { entry: { ...entry, status: 'Unknown' }, decisive: false };
}

interface RowFacts extends TranslatedGeneration {
  readonly verdict: ArgoCdStatus;
}

function liftRow(row: WecRow | undefined, context: RuleContext): DeploymentPart {
  const { workload, generations } = context;
  const generation = row === undefined ? generations.unseen : generations.translate(row);
  const verdict = row === undefined ? 'Progressing' : verdictOn(row, context, generation.current);
  const wantedHere = replicasIn(workload['spec']);
  const own = row === undefined || !generation.current ? undefined : specOf(row, context);
  const wanted = own === undefined ? wantedHere : replicasIn(own);
  const status = row?.status;
  const updated = countAt(status, 'updatedReplicas');
  const ready = countAt(status, 'readyReplicas');
  const available = countAt(status, 'availableReplicas');
  return {
    rows: 1,
    reporters: Number(isObject(status)),
    worst: verdict,
    observes: countAt(status, 'observedGeneration') > 0,
    observed: generation.translated,
    updated,
    ready,
    available,
    old: Math.max(countAt(status, 'replicas') - updated, 0),
    unavailable: countAt(status, 'unavailableReplicas'),
    differs: wanted !== wantedHere,
    notUpdated: Math.max(wanted - updated, 0),
    notReady: Math.max(wanted - ready, 0),
    updatedNotAvailable: Math.max(updated - available, 0),
    conditions: liftConditions(at(status, 'conditions'), (type, entry) =>
      reportOf(type, entry, { ...generation, verdict }),
    ),
  };
}

function mergeParts(a: DeploymentPart, b: DeploymentPart): DeploymentPart {
  if (a === null || b === null) return a ?? b;
  return {
    rows: a.rows + b.rows,
    reporters: a.reporters + b.reporters,
    worst: worst([a.worst, b.worst]),
    observes: a.observes || b.observes,
    observed: Math.min(a.observed, b.observed),
    updated: Math.min(a.updated, b.updated),
    ready: Math.min(a.ready, b.ready),
    available: Math.min(a.available, b.available),
    old: Math.max(a.old, b.old),
    unavailable: Math.max(a.unavailable, b.unavailable),
    differs: a.differs || b.differs,
    notUpdated: Math.max(a.notUpdated, b.notUpdated),
    notReady: Math.max(a.notReady, b.notReady),
    updatedNotAvailable: Math.max(a.updatedNotAvailable, b.updatedNotAvailable),
    conditions: mergeConditions(a.conditions, b.conditions),
  };
}

interface Supply {
  readonly updated: number;
  readonly ready: number;
  readonly available: number;
}

/** The lowest counts; where specs are known to differ, what the WDS wants less the largest shortfall (D8). */
function supplyOf(part: NonNullable<DeploymentPart>, wanted: number): Supply {
  if (!part.differs) return part;
  const updated = Math.max(wanted - part.notUpdated, 0);
  return {
    updated,
    ready: Math.max(wanted - part.notReady, 0),
    available: Math.max(updated - part.updatedNotAvailable, 0),
  };
}

function finishCounts(part: NonNullable<DeploymentPart>, workload: WorkloadObject): JsonObject {
  const { updated, ...supply } = supplyOf(part, replicasIn(workload['spec']));
  const replicas = updated + part.old;
  const ready = Math.min(supply.ready, replicas);
  const observed = part.observes ? part.observed : 0;
  const decided = part.worst === 'Degraded';
  const counts = {
    observedGeneration: decided ? countAt(workload, 'metadata', 'generation') : observed,
    replicas,
    updatedReplicas: updated,
    readyReplicas: ready,
    availableReplicas: Math.min(supply.available, ready),
    unavailableReplicas: part.unavailable,
  };
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));
}

/**
 * The rule for apps/v1 Deployments, over all qualified WECs: the letter of Multi-WEC Aggregated Status, and Argo CD's
 * verdict on the aggregate is the worst of its verdicts on the WECs (design, section 9.4).
 *
 * - `readyReplicas`, `availableReplicas`, `updatedReplicas`: the lowest, absent being 0. Where a current WEC is known to
 *   want another number of replicas than the WDS: what the WDS wants less the largest shortfall of a WEC.
 * - `replicas`: those updated and the most old ones that a WEC still has. `unavailableReplicas`: the highest.
 * - `observedGeneration`: the lowest, in the WDS's numbers (absent where no WEC says any); the WDS's own where a WEC has
 *   failed, since Argo CD looks at it before it looks for failures.
 * - `conditions`: see `finishConditions`; ReplicaFailure is a failure type, ProgressDeadlineExceeded a decisive reason.
 * - Other fields (`terminatingReplicas`, `collisionCount`) are not aggregated: Argo CD does not read them.
 *
 * Counters at 0 and an empty list are left out, as API servers do. `updated`, `ready`, `available` never exceed
 * `replicas`, nor `available` `ready`: API servers refuse such a status.
 *
 * Two things no status can say: a WDS object that is paused is Suspended whatever its WECs are; a WEC that is paused on
 * its own (Suspended there) makes the aggregate of finished WECs Progressing, so that it is not better.
 *
 * @returns undefined where no WEC has returned a status, also not an empty one
 */
export function deploymentStatusFold(
  context: RuleContext,
): Fold<PerWecRow, DeploymentPart, JsonObject | undefined> {
  const { workload } = context;
  return {
    empty: null,
    lift: ({ row }) => liftRow(row, context),
    merge: mergeParts,
    finish(part) {
      if (part === null || part.reporters === 0) return undefined;
      const conditions = finishConditions(part.conditions, part.rows, FAILURE_TYPES);
      const status = {
        ...finishCounts(part, workload),
        ...(conditions.length === 0 ? {} : { conditions }),
      };
      return holdBack({ workload, status, worst: part.worst, assess: assessDeployment });
    },
  };
}
