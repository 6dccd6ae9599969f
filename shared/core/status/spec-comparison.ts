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

/** Whether every field of a value stands with the same value in another, which may have more (defaulted) fields. */
function createStandsIn({ isOmitted, isQuantity }: FieldTolerance) {
  const fieldStandsIn = (found: JsonValue | undefined, field: Field): boolean =>
    (found === undefined && isOmitted(field)) ||
    (isQuantity(field) && isSameQuantity(found, field.value)) ||
    standsIn(found, field.value, field.name);

  function standsIn(found: JsonValue | undefined, wanted: JsonValue, parent = ''): boolean {
    if (isArray(wanted))
      return (
        isArray(found) &&
        found.length === wanted.length &&
        wanted.every((element, index) => standsIn(found[index], element))
      );
    if (!isObject(wanted)) return equalJson(found, wanted);
    return (
      isObject(found) &&
      Object.entries(wanted).every(([name, value]) =>
        fieldStandsIn(member(found, name), { name, parent, value }),
      )
    );
  }

  return standsIn;
}

/** What of a spec is compared, and how. */
interface Compared {
  readonly spec: JsonValue;
  readonly tolerance: FieldTolerance;
}

/**
 * Compares a spec with the specs of the WECs' objects, once for each distinct one: whether every field of it stands in the
 * WEC's with the same value; undefined where the WEC's is not known.
 */
function createComparison(
  { spec, tolerance }: Compared,
  specsByHash: ReadonlyMap<string, JsonValue>,
): (row: WecRow) => boolean | undefined {
  const standsIn = createStandsIn(tolerance);
  const withoutReplicas = without(spec, ['replicas']);
  const known = new Map<string, boolean>();
  return ({ specHash, replicasFromScale = false }) => {
    const wecSpec = specHash === undefined ? undefined : specsByHash.get(specHash);
    if (wecSpec === undefined) return undefined;
    const key = `${replicasFromScale} ${specHash}`;
    const answer = known.get(key) ?? standsIn(wecSpec, replicasFromScale ? withoutReplicas : spec);
    known.set(key, answer);
    return answer;
  };
}

/** The spec in the WDS without what differs in every cluster; undefined where there is none. */
function comparableSpec({ apiVersion, kind, spec }: WorkloadObject): JsonValue | undefined {
  const removed = OWN_TO_EACH_CLUSTER.get(`${apiVersion}/${kind}`) ?? [];
  return spec === undefined ? undefined : removed.reduce(without, spec);
}

/**
 * Compares the WDS's spec with the spec of a WEC's object, once for each distinct spec, however many WECs have it: true
 * where every field of the WDS's stands with the same value in the WEC's. Not compared are the fields that differ in
 * every cluster, `spec.replicas` where the row says that an autoscaler in the WEC owns it, and fields that the WDS does
 * not set (API servers add defaults). What API servers write otherwise than it was given counts as the same (see
 * `toleranceFor`). Lists must be equally long: what an admission webhook adds to a list makes the specs differ. A WEC
 * whose spec is not known does not compare equal, unless the WDS object has no spec either.
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
 * Whether the spec of a WEC's object contradicts the WDS's: a field of the part that is compared stands in both, with
 * another value. Compared as by {@link createSpecComparison}, but that a field that the WEC lacks contradicts nothing
 * (transports remove some), nor does a spec that is not known.
 *
 * @param part takes from the WDS's spec what is compared
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
