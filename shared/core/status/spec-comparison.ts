import { equalJson, isArray, isObject, type JsonValue, member } from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';

type Path = readonly string[];

const ANY_ELEMENT = '*';

function jobLabels(...path: Path): readonly Path[] {
  return [
    'batch.kubernetes.io/controller-uid',
    'batch.kubernetes.io/job-name',
    'controller-uid',
    'job-name',
  ].map((label) => [...path, label]);
}

/**
 * Fields of `spec` that differ from the WDS's in every WEC, by apiVersion and kind: what KubeStellar's transport
 * removes on the way down and each API server fills in for itself.
 */
const OWN_TO_EACH_CLUSTER: ReadonlyMap<string, readonly Path[]> = new Map([
  [
    'v1/Service',
    [
      ['clusterIP'],
      ['clusterIPs'],
      ['ipFamilies'],
      ['ipFamilyPolicy'],
      ['externalTrafficPolicy'],
      ['internalTrafficPolicy'],
      ['sessionAffinity'],
      ['ports', ANY_ELEMENT, 'nodePort'],
    ],
  ],
  [
    'batch/v1/Job',
    [...jobLabels('template', 'metadata', 'labels'), ...jobLabels('selector', 'matchLabels')],
  ],
]);

/**
 * Fields that no API server returns at their zero value (booleans and counters without a pointer in Kubernetes' types).
 * Only a WDS object read from a file has one that says false or 0, and it says the same as an absent one.
 */
const OMITTED_AT_ZERO: ReadonlySet<string> = new Set([
  'hostIPC',
  'hostNetwork',
  'hostPID',
  'minReadySeconds',
  'paused',
  'readOnly',
  'stdin',
  'tty',
]);

/** A value without the field at a path; an {@link ANY_ELEMENT} in the path stands for each element of a list. */
function without(value: JsonValue, path: Path): JsonValue {
  const [key = '', ...rest] = path;
  if (isArray(value)) return value.map((element) => without(element, rest));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? members.filter(([name]) => name !== key)
      : members.map(([name, inner]) => [name, name === key ? without(inner, rest) : inner]),
  );
}

function isOmitted(key: string, value: JsonValue): boolean {
  return value === null || (OMITTED_AT_ZERO.has(key) && (value === false || value === 0));
}

/** Whether every field of `wanted` stands with the same value in `found`, which may have more (defaulted) fields. */
function standsIn(found: JsonValue | undefined, wanted: JsonValue): boolean {
  if (isArray(wanted))
    return (
      isArray(found) &&
      found.length === wanted.length &&
      wanted.every((element, index) => standsIn(found[index], element))
    );
  if (!isObject(wanted)) return equalJson(found, wanted);
  return (
    isObject(found) &&
    Object.entries(wanted).every(([key, value]) => {
      const there = member(found, key);
      return (there === undefined && isOmitted(key, value)) || standsIn(there, value);
    })
  );
}

/**
 * Compares the WDS's spec with the spec of a WEC's object, once for each distinct spec, however many WECs have it: true
 * where every field of the WDS's stands with the same value in the WEC's. Not compared are the fields that differ in
 * every cluster, `spec.replicas` where the row says that an autoscaler in the WEC owns it, and fields that the WDS does
 * not set (API servers add defaults). Lists must be equally long: what an admission webhook adds to a list makes the
 * specs differ. A WEC whose spec is not known does not compare equal, unless the WDS object has no spec either.
 */
export function createSpecComparison(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => boolean {
  const removed = OWN_TO_EACH_CLUSTER.get(`${workload.apiVersion}/${workload.kind}`) ?? [];
  const given = member(workload, 'spec');
  if (given === undefined) return () => true;
  const spec = removed.reduce(without, given);
  const withoutReplicas = without(spec, ['replicas']);
  const known = new Map<string, boolean>();
  return ({ specHash, replicasFromScale = false }) => {
    const wecSpec = specHash === undefined ? undefined : specsByHash.get(specHash);
    if (wecSpec === undefined) return false;
    const key = `${replicasFromScale} ${specHash}`;
    const answer = known.get(key) ?? standsIn(wecSpec, replicasFromScale ? withoutReplicas : spec);
    known.set(key, answer);
    return answer;
  };
}
