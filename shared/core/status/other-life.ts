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
 * Annotation on a workload object in the WDS: with `"true"`, an object that a WEC had before the WDS did counts, whatever
 * its age, its spec and its source are.
 */
export const ADOPT_EXISTING = 'starfold.dev/adopt-existing';

/**
 * How it is known that the object of a WEC was made from another object than the one that stands in the WDS: the transport
 * says so, its spec is another one, or it is older.
 */
export type OtherLife = 'source' | 'spec' | 'age';

/** What marks the end of a life, as a type of condition and as a phase. */
const ENDS: ReadonlySet<JsonValue | undefined> = new Set([
  'Complete',
  'Completed',
  'Failed',
  'Succeeded',
]);

/** An object of a WEC may be older by so many seconds: API servers keep whole seconds, and clocks differ a little. */
const TOLERANCE_SECONDS = 1n;

/** Fields of a Job beside its template and completions that no API server lets anybody edit. */
const JOB_FIELDS = [
  'backoffLimitPerIndex',
  'completionMode',
  'managedBy',
  'podFailurePolicy',
  'successPolicy',
];
/** Fields of a Workflow that say what it runs. */
const WORKFLOW_FIELDS = ['arguments', 'entrypoint', 'templates', 'workflowTemplateRef'];

/** Fields of a Job's pods that may be edited while it is suspended, as queueing controllers in a WEC do. */
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

/** The part of a Job's spec that no API server lets anybody edit (Kubernetes, ValidateJobSpecUpdate). */
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
  /** Whether a status speaks of the end of the object, or of the way there. */
  speaksOfEnd(status: JsonObject): boolean;
  /** The part of a spec that is compared: what an object keeps from its creation to its end. */
  lasting(spec: JsonObject): JsonObject;
}

/** `Succeeded` that is False says that the object has failed (Tekton). */
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
/** Each cluster adds to the spec of a Pod, and its images may be edited. */
const POD: EndingKind = {
  speaksOfEnd: ({ phase }) => ENDS.has(phase),
  lasting: () => ({}),
};
/** Where a status says which generation it speaks of, the generations tell. Which fields last is not known: all do. */
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
 * Finds the WECs whose object was made from another object than the one that stands in the WDS, such as a Job of this name
 * that has been deleted there since. What such an object says of an end, or of the way there, must not end the object in
 * the WDS (docs/rules.md, "Objects made anew"). Asked in this order, the first that is known decides:
 *
 * 1. the UID of the WDS's object that the WEC's was made from (`WecRow.sourceUid`);
 * 2. the spec: another value in a field that both have and that lasts for life;
 * 3. the time of creation: more than a second before that of the WDS's object.
 *
 * UID and time of the WDS's object count only together, as API servers give them: an object in a file has none, or one
 * that stands for it.
 *
 * @param specsByHash the specs of the WECs' objects under the hashes that the rows name
 * @returns why what a row says counts as not said; undefined where it counts, also where nothing is known
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
