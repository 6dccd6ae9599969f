import { parseTimestamp, unixSeconds } from '#shared/core/expression/time.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  textAt,
} from '#shared/core/json.ts';
import { apiGroup, uidOf } from '#shared/core/metadata.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { createContradiction } from './spec-comparison.ts';

/**
 * Annotation on a workload object in the WDS. If it is `"true"`, an object that a WEC had before the WDS did counts,
 * regardless of its age, its spec and its source.
 */
export const ADOPT_EXISTING = 'starfold.dev/adopt-existing';

/**
 * How it is known that the object of a WEC was made from another object than the one in the WDS: the transport reports
 * another source, its spec differs, or it is older.
 */
export type OtherLife = 'source' | 'spec' | 'age';

/** Types of condition and phases that mean the end of an object. */
const ENDS: ReadonlySet<JsonValue | undefined> = new Set([
  'Complete',
  'Completed',
  'Failed',
  'Succeeded',
]);

/**
 * An object of a WEC may be older by this many seconds, because API servers store whole seconds and clocks differ a
 * little.
 */
const TOLERANCE_SECONDS = 1n;

/** Fields of a Job, besides its template and completions, that cannot be edited in any API server. */
const JOB_FIELDS = [
  'backoffLimitPerIndex',
  'completionMode',
  'managedBy',
  'podFailurePolicy',
  'successPolicy',
];
/** Fields of a Workflow that define what it runs. */
const WORKFLOW_FIELDS = ['arguments', 'entrypoint', 'templates', 'workflowTemplateRef'];

/** Fields of a Job's pods that may be edited while it is suspended. Queueing controllers in a WEC do this. */
const SCHEDULING_FIELDS: ReadonlySet<string> = new Set([
  'affinity',
  'nodeSelector',
  'schedulingGates',
  'tolerations',
]);

function objectOr(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function pick(spec: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => names.includes(name)));
}

/** Containers without their resources, which may be edited while a Job is suspended. */
function withoutResources(value: JsonValue): JsonValue {
  if (!isArray(value)) return value;
  return value.map((container) => {
    const { resources: _resources, ...rest } = objectOr(container);
    return rest;
  });
}

/** The part of a Job's spec that cannot be edited in any API server (Kubernetes, ValidateJobSpecUpdate). */
function jobSpec(spec: JsonObject): JsonObject {
  // The completions of an Indexed Job may change together with its parallelism.
  const counted = spec['completionMode'] === 'Indexed' ? [] : ['completions'];
  const podSpec = Object.entries(objectOr(at(spec, 'template', 'spec')))
    .filter(([name]) => !SCHEDULING_FIELDS.has(name))
    .map(([name, value]) => [
      name,
      name === 'containers' || name === 'initContainers' ? withoutResources(value) : value,
    ]);
  const template = { spec: Object.fromEntries(podSpec) };
  return { ...pick(spec, [...JOB_FIELDS, ...counted]), template };
}

/** How the objects of a kind end. */
interface EndingKind {
  /** Whether a status reports the end of the object, or progress towards it. */
  speaksOfEnd(status: JsonObject): boolean;
  /** The part of a spec that is compared: what an object keeps from its creation to its end. */
  lasting(spec: JsonObject): JsonObject;
}

/** `Succeeded` that is False means that the object has failed (Tekton). */
function isEnd(condition: JsonValue): boolean {
  const { type, status, observedGeneration } = objectOr(condition);
  if (observedGeneration !== undefined || !ENDS.has(type)) return false;
  return status === 'True' || (type === 'Succeeded' && status === 'False');
}

function hasEnded(status: JsonObject): boolean {
  const { conditions, phase, state } = status;
  return ENDS.has(phase) || ENDS.has(state) || (isArray(conditions) && conditions.some(isEnd));
}

const JOB: EndingKind = { speaksOfEnd: () => true, lasting: jobSpec };
const WORKFLOW: EndingKind = {
  speaksOfEnd: () => true,
  lasting: (spec) => pick(spec, WORKFLOW_FIELDS),
};
/** Each cluster adds to the spec of a Pod, and the images may be edited. */
const POD: EndingKind = {
  speaksOfEnd: ({ phase }) => ENDS.has(phase),
  lasting: () => ({}),
};
/**
 * If a status has an observed generation, the generations decide. It is not known which fields last, so all are
 * compared.
 */
const ANY: EndingKind = {
  speaksOfEnd: (status) => status['observedGeneration'] === undefined && hasEnded(status),
  lasting: (spec) => spec,
};

function kindOf({ apiVersion, kind }: WorkloadObject): EndingKind {
  const name = `${apiGroup(apiVersion)}/${kind}`;
  if (name === 'batch/Job') return JOB;
  if (name === 'argoproj.io/Workflow') return WORKFLOW;
  return name === '/Pod' ? POD : ANY;
}

function secondsOf(text: string | undefined): bigint | undefined {
  const time = parseTimestamp(text ?? '');
  return typeof time === 'string' ? undefined : unixSeconds(time);
}

function isAdopting({ metadata }: WorkloadObject): boolean {
  return at(metadata, 'annotations', ADOPT_EXISTING) === 'true';
}

/**
 * Finds the WECs whose object was made from another object than the one in the WDS, such as a Job of the same name that
 * has since been deleted there. If such an object reports an end, or progress towards it, this must not end the object
 * in the WDS (docs/rules.md, "Objects made anew"). These are checked in order, and the first that is known decides:
 *
 * 1. the UID of the WDS's object from which the WEC's object was made (`WecRow.sourceUid`);
 * 2. the spec: another value in a field that both have and that does not change during the life of an object;
 * 3. the creation time: more than a second before that of the WDS's object.
 *
 * UID and creation time of the WDS's object count only together, as API servers set them. An object in a file has no
 * UID, or a replacement for it.
 *
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name
 * @returns why a row counts as if its WEC had returned nothing; undefined if the row counts, also if nothing is known
 */
export function createLifeCheck(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => OtherLife | undefined {
  if (isAdopting(workload)) return () => undefined;
  const { speaksOfEnd, lasting } = kindOf(workload);
  const created = secondsOf(textAt(workload.metadata, 'creationTimestamp'));
  const uid = created === undefined ? '' : uidOf(workload);
  const contradicts = createContradiction(workload, lasting, specsByHash);
  const isOlder = (row: WecRow): boolean => {
    const own = secondsOf(row.created);
    return own !== undefined && created !== undefined && own + TOLERANCE_SECONDS < created;
  };
  const judge = (row: WecRow): OtherLife | undefined => {
    if (row.sourceUid !== undefined && uid !== '')
      return row.sourceUid === uid ? undefined : 'source';
    if (contradicts(row)) return 'spec';
    return isOlder(row) ? 'age' : undefined;
  };
  return (row) => (isObject(row.status) && speaksOfEnd(row.status) ? judge(row) : undefined);
}
