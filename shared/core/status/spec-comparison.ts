import {
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { type Field, type FieldTolerance, toleranceFor } from './field-tolerance.ts';
import { isSameQuantity } from './quantity.ts';

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
 * Fields of `spec` that differ from the WDS's in every WEC, by apiVersion and kind: KubeStellar's transport removes
 * them on the way to the WEC, and each API server sets them itself.
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

/** A value without the field at a path. An {@link ANY_ELEMENT} in the path means each element of a list. */
function without(value: JsonValue, path: Path): JsonValue {
  const [key, ...rest] = path;
  if (isArray(value)) return value.map((element) => without(element, rest));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    rest.length === 0
      ? members.filter(([name]) => name !== key)
      : members.map(([name, inner]) => [name, name === key ? without(inner, rest) : inner]),
  );
}

/** Whether another value has every field of a value with the same content. It may have more (defaulted) fields. */
function createContains({ isOmitted, isQuantity }: FieldTolerance) {
  const containsField = (found: JsonValue | undefined, field: Field): boolean =>
    (found === undefined && isOmitted(field)) ||
    (isQuantity(field) && isSameQuantity(found, field.value)) ||
    contains(found, field.value, field.name);

  function contains(found: JsonValue | undefined, wanted: JsonValue, parent = ''): boolean {
    if (isArray(wanted))
      return (
        isArray(found) &&
        found.length === wanted.length &&
        wanted.every((element, index) => contains(found[index], element))
      );
    if (!isObject(wanted)) return equalJson(found, wanted);
    return (
      isObject(found) &&
      Object.entries(wanted).every(([name, value]) =>
        containsField(member(found, name), { name, parent, value }),
      )
    );
  }

  return contains;
}

/** Which part of a spec is compared, and how. */
interface Compared {
  readonly spec: JsonValue;
  readonly tolerance: FieldTolerance;
}

/**
 * Compares a spec with the specs of the WECs' objects, once for each distinct one: whether the WEC's spec has every
 * field of it with the same value. undefined if the WEC's spec is not known.
 */
function createComparison(
  { spec, tolerance }: Compared,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => boolean | undefined {
  const contains = createContains(tolerance);
  const withoutReplicas = without(spec, ['replicas']);
  const answers = new Map<string, boolean>();
  return ({ specHash, replicasFromScale = false }) => {
    const wecSpec = specHash === undefined ? undefined : specsByHash.get(specHash);
    if (wecSpec === undefined) return undefined;
    const key = `${replicasFromScale} ${specHash}`;
    const answer =
      answers.get(key) ?? contains(wecSpec, replicasFromScale ? withoutReplicas : spec);
    answers.set(key, answer);
    return answer;
  };
}

/** The spec in the WDS without the fields that differ in every cluster. undefined if there is none. */
function comparableSpec({ apiVersion, kind, spec }: WorkloadObject): JsonValue | undefined {
  const removed = OWN_TO_EACH_CLUSTER.get(`${apiVersion}/${kind}`) ?? [];
  return spec === undefined ? undefined : removed.reduce(without, spec);
}

/**
 * Compares the WDS's spec with the spec of a WEC's object, once for each distinct spec, regardless of how many WECs
 * have it. Returns true if the WEC's spec has every field of the WDS's with the same value. These are not compared: the
 * fields that differ in every cluster, `spec.replicas` if the row shows that an autoscaler in the WEC owns it, and
 * fields that the WDS does not set (API servers add defaults). Values that API servers write in another form count as
 * equal (see `toleranceFor`). Lists must have the same length, so an element that an admission webhook adds makes the
 * specs differ. A WEC whose spec is not known is not equal, unless the WDS object has no spec either.
 */
export function createSpecComparison(
  workload: WorkloadObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => boolean {
  const spec = comparableSpec(workload);
  if (spec === undefined) return () => true;
  const compare = createComparison({ spec, tolerance: toleranceFor(workload) }, specsByHash);
  return (row) => compare(row) ?? false;
}

/**
 * Whether the spec of a WEC's object contradicts the WDS's: both have a field of the compared part, with different
 * values. The comparison is that of {@link createSpecComparison}, except that a field that the WEC lacks is no
 * contradiction (transports remove some fields), and neither is a spec that is not known.
 *
 * @param part takes the compared part from the WDS's spec
 */
export function createContradiction(
  workload: WorkloadObject,
  part: (spec: JsonObject) => JsonObject,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => boolean {
  const spec = comparableSpec(workload);
  if (!isObject(spec)) return () => false;
  const tolerance = { ...toleranceFor(workload), isOmitted: () => true };
  const compare = createComparison({ spec: part(spec), tolerance }, specsByHash);
  return (row) => compare(row) === false;
}
