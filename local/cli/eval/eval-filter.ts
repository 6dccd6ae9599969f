import type { ResourceOf } from '#local/cli/input/kind-names.ts';
import { type NamedObject, namedObject } from '#local/cli/input/named-object.ts';
import { labelValue } from '#shared/core/collector/label-value.ts';
import { at, isArray, type JsonObject, type JsonValue, member, textAt } from '#shared/core/json.ts';
import { CONTROL_GROUP, STATUS_LABEL_PREFIX } from '#shared/core/kubestellar.ts';
import { apiGroup } from '#shared/core/metadata.ts';

/**
 * Which objects `--only` leaves:
 * - `status`: workload objects, and Fleet's, whose `.status` Starfold writes;
 * - `combined`: CombinedStatuses;
 * - `errors`: whatever has errors, in its `status.errors` or in the results of a CombinedStatus.
 */
export const ONLY = ['status', 'combined', 'errors'] as const;
/** One of {@link ONLY}. */
export type Only = (typeof ONLY)[number];

/** Which objects are printed. */
export interface EvalFilter {
  /** `<kind>/<name>` of objects. None: all. */
  readonly texts: readonly string[];
  /** The namespace of these objects. Absent: any. */
  readonly namespace?: string;
  readonly only?: Only;
}

/** A printed object, with what names it. */
interface Printed extends NamedObject {
  readonly object: JsonObject;
}

const COMBINED = 'CombinedStatus';
const ERRORS: ReadonlySet<string> = new Set(['rowErrors', 'aggregationErrors']);

function printed(object: JsonObject, resourceOf: ResourceOf): Printed {
  const group = apiGroup(textAt(object, 'apiVersion'));
  const kind = textAt(object, 'kind');
  const [namespace, name] = [
    textAt(object, 'metadata', 'namespace'),
    textAt(object, 'metadata', 'name'),
  ];
  return { group, kind, resource: resourceOf(group, kind), namespace, name, object };
}

function isCombined({ group, kind }: Printed): boolean {
  return group === CONTROL_GROUP && kind === COMBINED;
}

/** Whether a CombinedStatus is about an object. A value that is no label value is shortened. */
function isAbout(combined: Printed, { group, resource, namespace, name }: Printed): boolean {
  const labels = at(combined.object, 'metadata', 'labels');
  return Object.entries({ 'api-group': group, resource, namespace, name }).every(
    ([key, value]) => member(labels, `${STATUS_LABEL_PREFIX}${key}`) === labelValue(value),
  );
}

function isFilled(value: JsonValue | undefined): boolean {
  return isArray(value) && value.length > 0;
}

function hasErrors({ object }: Printed): boolean {
  const results = member(object, 'results');
  const ofResults = (isArray(results) ? results : []).some((result) =>
    [...ERRORS].some((key) => isFilled(member(result, key))),
  );
  return ofResults || isFilled(at(object, 'status', 'errors'));
}

const IS_LEFT: Readonly<Record<Only, (one: Printed) => boolean>> = {
  status: ({ group }) => group !== CONTROL_GROUP,
  combined: isCombined,
  errors: hasErrors,
};

/**
 * Selects objects: those that are named, with the CombinedStatuses about them, and of these what `only` leaves.
 *
 * @throws UsageError for a text of another form; InputError if it names none of the objects, or several
 */
export function filterObjects(
  objects: readonly JsonObject[],
  { texts, namespace, only }: EvalFilter,
  resourceOf: ResourceOf,
): readonly JsonObject[] {
  const all = objects.map((object) => printed(object, resourceOf));
  const within = namespace === undefined ? {} : { namespace };
  const named = new Set(texts.map((text) => namedObject(all, { text, ...within })));
  const isNamed = (one: Printed): boolean =>
    named.has(one) || (isCombined(one) && [...named].some((other) => isAbout(one, other)));
  return all
    .filter((one) => named.size === 0 || isNamed(one))
    .filter((one) => only === undefined || IS_LEFT[only](one))
    .map(({ object }) => object);
}
