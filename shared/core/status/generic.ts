import type { Fold } from '#shared/core/fold/fold.ts';
import { firstNames } from '#shared/core/fold/named-wecs.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { generationOf, typedLike } from '#shared/core/observed-generation.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import type { GenerationTranslator } from './source-generation.ts';
import {
  finishValue,
  liftValue,
  mergeValues,
  type ValuePart,
  type ValueSource,
} from './value-part.ts';

/** How many WECs have a field of `.status`, and their common value. */
type FieldPart = readonly [count: number, value: ValuePart];

/** The part of some WECs under the generic rule. null if there are no WECs. Plain JSON. */
export type GenericPart = {
  readonly rows: number;
  /** The first of these WECs, by name. */
  readonly wecs: readonly string[];
  /** How many of these WECs have returned a status. */
  readonly reporters: number;
  readonly fields: JsonRecord<FieldPart>;
} | null;

type Some = NonNullable<GenericPart>;

/** The field of `.status` that may be a list of conditions. */
const CONDITIONS = 'conditions';

/** The WDS's own API server counts this generation. A WEC's generation is translated to it. */
const GENERATION = 'observedGeneration';

/** A text that states no generation, such as a hash, is a text like any other. */
function liftGeneration(value: JsonValue, source: ValueSource): ValuePart {
  const observed = generationOf(value);
  if (observed === undefined && typeof value === 'string')
    return liftValue(GENERATION, value, source);
  return ['number', typedLike(value, source.translate(observed ?? 0))];
}

function liftFields(status: JsonObject, source: ValueSource): JsonRecord<FieldPart> {
  const fields: [string, FieldPart][] = [];
  for (const [key, value] of Object.entries(status)) {
    if (value === null) continue;
    fields.push([
      key,
      [1, key === GENERATION ? liftGeneration(value, source) : liftValue(key, value, source)],
    ]);
  }
  return Object.fromEntries(fields);
}

function mergeField(a: FieldPart, b: FieldPart): FieldPart {
  return [a[0] + b[0], mergeValues(a[1], b[1])];
}

/** The fields of a part. The WECs of a part without `conditions` are missing from those of the other part. */
function besideConditions({ fields, wecs }: Some, { fields: other }: Some): Some['fields'] {
  const isMissing =
    other[CONDITIONS]?.[1]?.[0] === 'conditions' && fields[CONDITIONS] === undefined;
  return isMissing ? { ...fields, [CONDITIONS]: [0, ['conditions', { wecs, types: {} }]] } : fields;
}

function mergeFields(a: Some, b: Some): Some['fields'] {
  return mergeRecords(besideConditions(a, b), besideConditions(b, a), mergeField);
}

/**
 * The number that counts for a WEC that lacks the field, has returned nothing, or was removed.
 *
 * @param value what other WECs have
 */
function absentNumber(key: string, value: JsonValue, workload: WorkloadObject): JsonValue {
  if (key !== GENERATION) return 0;
  return typedLike(value, Math.max(countAt(workload, 'metadata', 'generation') - 1, 0));
}

/** The value of a field that some WECs lack, as if they had its zero value. null if the field has no zero value. */
function completed(key: string, value: ValuePart, workload: WorkloadObject): ValuePart {
  switch (value?.[0]) {
    case 'number':
      return mergeValues(value, ['number', absentNumber(key, value[1], workload)]);
    case 'boolean':
      return ['boolean', false];
    case 'conditions':
      return value;
    default:
      return null;
  }
}

function finishFields({ rows, fields }: Some, workload: WorkloadObject): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [key, [count, value]] of Object.entries(fields)) {
    const result = finishValue(count === rows ? value : completed(key, value, workload), rows);
    if (result !== undefined) members.push([key, result]);
  }
  return Object.fromEntries(members);
}

/**
 * The rule for every kind without a rule of its own (Multi-WEC Aggregated Status, "General Aggregation Rules"), over
 * all qualified WECs. A WEC that has returned nothing counts as one with an empty status (docs/architecture.md, section
 * 9.3).
 *
 * - A number is the lowest, 0 if absent. A boolean is true if all are true, false if absent.
 * - A string is kept if all WECs have the same.
 * - A list `conditions` is aggregated by `finishConditions`, at any place. The types of `ABNORMAL_WHEN_TRUE` are
 *   failure types. If one is True, its reason takes precedence over the reasons of newer entries that are not True
 *   (X1).
 * - Any other list is kept if all WECs have one of the same length, and a map if all have one with the same keys. These
 *   rules apply to their content. A map loses a member without a common value. A list with such an element is left out.
 *   Values of different types, and lists and maps of different shapes, are left out, regardless of what else is merged.
 * - `observedGeneration` of the status and of each condition is translated to the WDS's numbers, as a number or as a text
 *   with a number. If absent, it counts as "not the current one".
 * - null counts as absent.
 *
 * @returns undefined if no WEC has returned a status, not even an empty one
 */
export function genericStatusFold(
  workload: WorkloadObject,
  generations: GenerationTranslator,
): Fold<PerWecRow, GenericPart, JsonObject | undefined> {
  return {
    empty: null,
    lift({ wec, row }) {
      const status = row?.status;
      const wecs = [wec];
      if (row === undefined || !isObject(status))
        return { rows: 1, wecs, reporters: 0, fields: {} };
      const translate = (observed: number): number =>
        generations.translate(row, observed).translated;
      return { rows: 1, wecs, reporters: 1, fields: liftFields(status, { wec, translate }) };
    },
    merge(a, b) {
      if (a === null || b === null) return a ?? b;
      return {
        rows: a.rows + b.rows,
        wecs: firstNames(a.wecs, b.wecs),
        reporters: a.reporters + b.reporters,
        fields: mergeFields(a, b),
      };
    },
    finish(part) {
      return part === null || part.reporters === 0 ? undefined : finishFields(part, workload);
    },
  };
}
