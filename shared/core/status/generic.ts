import type { Fold } from '#shared/core/fold/fold.ts';
import { countAt } from '#shared/core/health/count-at.ts';
import { isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import type { GenerationTranslator } from './source-generation.ts';
import { finishValue, liftValue, mergeValues, type ValuePart } from './value-part.ts';

/** How many WECs have a field of `.status`, and what they say in it. */
type FieldPart = readonly [count: number, value: ValuePart];

/** The part of some WECs under the rule for every kind; null of none. Plain JSON. */
export type GenericPart = {
  readonly rows: number;
  /** How many of them have returned a status. */
  readonly reporters: number;
  readonly fields: JsonRecord<FieldPart>;
} | null;

/** The generation that the WDS's own API server counts; a WEC's is translated to it. */
const GENERATION = 'observedGeneration';

function liftFields(
  status: JsonObject,
  row: WecRow,
  generations: GenerationTranslator,
): JsonRecord<FieldPart> {
  const translate = (observed: number): number => generations.translate(row, observed).translated;
  const fields: [string, FieldPart][] = [];
  for (const [key, value] of Object.entries(status)) {
    if (value === null) continue;
    const part: ValuePart =
      key === GENERATION
        ? ['number', translate(countAt(status, GENERATION))]
        : liftValue(key, value, translate);
    fields.push([key, [1, part]]);
  }
  return Object.fromEntries(fields);
}

function mergeFields(a: FieldPart, b: FieldPart): FieldPart {
  return [a[0] + b[0], mergeValues(a[1], b[1])];
}

/** What a number is in a WEC that does not have it, has returned nothing, or is gone. */
function absentNumber(key: string, workload: WorkloadObject): number {
  if (key !== GENERATION) return 0;
  return Math.max(countAt(workload, 'metadata', 'generation') - 1, 0);
}

/** A field that some WECs do not have, as if they had it at its zero value; null where there is no such value. */
function completed(key: string, value: ValuePart, workload: WorkloadObject): ValuePart {
  switch (value?.[0]) {
    case 'number':
      return mergeValues(value, ['number', absentNumber(key, workload)]);
    case 'boolean':
      return ['boolean', false];
    case 'conditions':
      return value;
    default:
      return null;
  }
}

function finishFields(
  { rows, fields }: NonNullable<GenericPart>,
  workload: WorkloadObject,
): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [key, [count, value]] of Object.entries(fields)) {
    const result = finishValue(count === rows ? value : completed(key, value, workload), rows);
    if (result !== undefined) members.push([key, result]);
  }
  return Object.fromEntries(members);
}

/**
 * The rule for every kind that has none of its own (Multi-WEC Aggregated Status, "General Aggregation Rules"), over all
 * qualified WECs; one that has returned nothing counts as one with an empty status (docs/architecture.md, section 9.3).
 *
 * - A number is the lowest, absent being 0; a boolean is true where all say true, absent being false.
 * - A string stands where all WECs have the same.
 * - A list `conditions` goes by `finishConditions`, wherever it stands; the types of `ABNORMAL_WHEN_TRUE` are failure
 *   types, and one that is True gives the reason before newer ones that are not (X1).
 * - Any other list stands where all WECs have one of the same length, a map where all have one with the same keys; what
 *   is in it goes by these rules. A map loses a member that has no common value, a list with such an element is left
 *   out. Values of different types, and lists and maps of different shapes, are left out, whatever else is merged.
 * - `observedGeneration`, the status's and each condition's, is translated to the WDS's numbers; absent is "not the
 *   current one".
 * - null is as good as absent.
 *
 * @returns undefined where no WEC has returned a status, also not an empty one
 */
export function genericStatusFold(
  workload: WorkloadObject,
  generations: GenerationTranslator,
): Fold<PerWecRow, GenericPart, JsonObject | undefined> {
  return {
    empty: null,
    lift({ row }) {
      const status = row?.status;
      if (row === undefined || !isObject(status)) return { rows: 1, reporters: 0, fields: {} };
      return { rows: 1, reporters: 1, fields: liftFields(status, row, generations) };
    },
    merge(a, b) {
      if (a === null || b === null) return a ?? b;
      return {
        rows: a.rows + b.rows,
        reporters: a.reporters + b.reporters,
        fields: mergeRecords(a.fields, b.fields, mergeFields),
      };
    },
    finish(part) {
      return part === null || part.reporters === 0 ? undefined : finishFields(part, workload);
    },
  };
}
