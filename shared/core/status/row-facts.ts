import { countAt } from '#shared/core/health/count-at.ts';
import { withObservedWorkload } from '#shared/core/health/rollout.ts';
import type { ArgoCdStatus, ArgoCdVerdict, ArgoCdVersion } from '#shared/core/health/verdict.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { observedGeneration } from '#shared/core/observed-generation.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import type { RuleContext } from './rule-context.ts';
import type { TranslatedGeneration } from './source-generation.ts';

/** What the rule of a kind knows about one qualified WEC. */
export interface RowFacts extends TranslatedGeneration {
  /** Name of the WEC. */
  readonly wec: string;
  /** The object in the WDS. */
  readonly workload: WorkloadObject;
  /** Whether the WEC has returned a status, even an empty one. */
  readonly reported: boolean;
  /** The part of `.status` that counts. For a missing WEC, the status that the rule of the kind assumes. */
  readonly status: JsonObject;
  /**
   * Whether the WEC counts as missing: it has returned nothing, or its object is being deleted and only the status of
   * the aggregate could show this.
   */
  readonly missing: boolean;
  /** The spec of the WEC's own object, if it is known and was made from the WDS's current generation. */
  readonly ownSpec: JsonValue | undefined;
  /** Argo CD's verdict on the WEC's own object. */
  readonly verdict: ArgoCdStatus;
  /** Translates a generation that the WEC observed to the WDS's numbers. */
  translateGeneration(observed: number): number;
}

/** How Argo CD judges the objects of a kind. */
export interface Assessment {
  assess(object: JsonObject, version: ArgoCdVersion): ArgoCdVerdict;
  /** Whether the assessment compares `status.observedGeneration` with `metadata.generation`. */
  readonly readsGeneration: boolean;
  /**
   * Whether `status.observedGeneration` is a text in the kind's API. If a status states no generation, Argo CD then assumes
   * that the controller has observed the current one. If absent, it is a number, and absent counts as 0.
   */
  readonly generationIsText?: true;
  /** The status that counts for a WEC without one. If absent, `{}`. */
  readonly missingStatus?: JsonObject;
}

/** Both engine versions agree on the statuses that the rules make, so the newer one is used. */
const ENGINE: ArgoCdVersion = '3';

/** Argo CD's verdict on an object, by the engine version that the rules of status use. */
export function verdictOf({ assess }: Assessment, object: JsonObject): ArgoCdStatus {
  return assess(object, ENGINE).status;
}

function specOf(row: WecRow, { specsByHash }: RuleContext): JsonValue | undefined {
  return row.specHash === undefined ? undefined : specsByHash.get(row.specHash);
}

/** A WEC's object, as far as assessments read it. What is not known about it is assumed to be as in the WDS. */
function objectIn(
  { workload }: RuleContext,
  own: { readonly generation: number; readonly spec: JsonValue | undefined },
  status: JsonValue,
): JsonObject {
  const name = member(workload.metadata, 'name') ?? '';
  const annotations = member(workload.metadata, 'annotations') ?? {};
  const { generation, spec = workload['spec'] ?? null } = own;
  const metadata = { name, annotations: withObservedWorkload(annotations, status), generation };
  return { metadata, spec, status };
}

/** The generation that a WEC is assumed to have observed, because its status states none. undefined if nothing is assumed. */
function assumedGeneration(
  row: WecRow | undefined,
  { workload }: RuleContext,
  { generationIsText }: Assessment,
): number | undefined {
  if (generationIsText === undefined || row === undefined || !isObject(row.status))
    return undefined;
  if (observedGeneration(row.status) !== undefined) return undefined;
  // If only its status is known, its own generation is not.
  return Math.max(row.generation, countAt(workload, 'metadata', 'generation'));
}

/** The facts for a missing WEC: the WDS's object is on its way there, or is being removed. */
function missingFacts(context: RuleContext, assessment: Assessment) {
  const { workload } = context;
  const status = assessment.missingStatus ?? {};
  const spec = undefined;
  const generation = countAt(workload, 'metadata', 'generation');
  const verdict = assessment.readsGeneration
    ? ('Progressing' as const)
    : verdictOf(assessment, objectIn(context, { generation, spec }, status));
  return { missing: true, status, ownSpec: undefined, verdict };
}

/**
 * The facts about a row for the rule of a kind. A WEC that does not act on the WDS's current generation counts as
 * Progressing if Argo CD would see that.
 */
export function rowFacts(
  { wec, row }: PerWecRow,
  context: RuleContext,
  assessment: Assessment,
): RowFacts {
  const { workload, generations } = context;
  const { readsGeneration } = assessment;
  const generation = generations.translate(row, assumedGeneration(row, context, assessment));
  const status = row?.status;
  const base = {
    wec,
    workload,
    ...generation,
    reported: isObject(status),
    translateGeneration: (observed: number): number =>
      generations.translate(row, observed).translated,
  };
  const isGone = row?.deleting === true && !readsGeneration;
  if (row === undefined || !isObject(status) || isGone)
    return { ...base, ...missingFacts(context, assessment) };
  const spec = specOf(row, context);
  const waits = readsGeneration && !generation.current;
  const own = { generation: row.generation, spec };
  return {
    ...base,
    status,
    missing: false,
    ownSpec: generation.current ? spec : undefined,
    verdict: waits ? 'Progressing' : verdictOf(assessment, objectIn(context, own, status)),
  };
}
