import { foldRows, foldRowsInSlices } from '#shared/core/fold/fold.ts';
import { equalJson, isObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import type { Slices } from '#shared/core/slices.ts';
import type { DecidedField, DecidedStatus } from '#shared/core/status/decided-status.ts';
import type { RuleName } from '#shared/core/status/field-rules.ts';
import { type Names, smallestChoice } from '#shared/core/status/smallest-choice.ts';
import { statusPaths } from '#shared/core/status/status-paths.ts';
import { explainingStatusFold, statusFold } from './rules.ts';

/** A WEC that decides a field, and what it reports at the field's path. Without a value if it reports nothing there. */
export interface FieldDecider {
  readonly wec: string;
  readonly value?: JsonValue;
}

/** The WECs that decide a field, or all qualified WECs together. */
export type DecidedBy = readonly FieldDecider[] | readonly [{ readonly all: true }];

/** Which rule gives a field its value, and which WECs decide it. */
export interface FieldExplanation {
  readonly path: string;
  /** Absent if the aggregate leaves the field out. */
  readonly value?: JsonValue;
  readonly omitted?: true;
  readonly rule: RuleName;
  readonly documentation: string;
  /** Absent for a field that is not aggregated. */
  readonly decidedBy?: DecidedBy;
  readonly departs?: string;
}

/** Why an aggregate is what it is. */
export interface AggregateExplanation extends Pick<DecidedStatus, 'status' | 'verdicts'> {
  readonly fields: readonly FieldExplanation[];
}

/** An object in the WDS, with the specs of the WECs' objects by the hashes that the rows name. */
export interface ExplainedObject {
  readonly workload: WorkloadObject;
  readonly specsByHash: ReadonlyMap<string, JsonValue>;
}

/** So many rows are folded in a slice: about ten milliseconds. */
const SLICE_ROWS = 200;

const ALL: DecidedBy = [{ all: true }];

/** Finds out whether some WECs alone give the same fields as all. */
class Alone {
  readonly #object: ExplainedObject;
  readonly #isDeep: boolean;
  readonly #rows: ReadonlyMap<string, PerWecRow>;
  readonly #cached = new Map<string, ReadonlyMap<string, JsonValue>>();

  constructor(object: ExplainedObject, rows: readonly PerWecRow[], isDeep: boolean) {
    this.#object = object;
    this.#isDeep = isDeep;
    this.#rows = new Map(rows.map((row) => [row.wec, row]));
  }

  /** The names of all WECs. */
  get names(): Names {
    return [...this.#rows.keys()];
  }

  /** Whether some of the WECs give a field the same value. */
  decide({ path, value }: DecidedField, names: Names): boolean {
    return equalJson(this.#paths(names.toSorted()).get(path), value);
  }

  /** What a WEC reports at a path. */
  reported(wec: string, path: string): FieldDecider {
    const status = this.#rows.get(wec)?.row?.status;
    const value = isObject(status) ? statusPaths(status, this.#isDeep).get(path) : undefined;
    return value === undefined ? { wec } : { wec, value };
  }

  #paths(names: Names): ReadonlyMap<string, JsonValue> {
    const key = names.join('\n');
    const values = this.#cached.get(key) ?? this.#fold(names);
    this.#cached.set(key, values);
    return values;
  }

  #fold(names: Names): ReadonlyMap<string, JsonValue> {
    const { workload, specsByHash } = this.#object;
    const fold = statusFold(workload, specsByHash);
    const chosen = new Set(names);
    const rows = [...this.#rows.values()].filter(({ wec }) => chosen.has(wec));
    return statusPaths(fold.finish(foldRows(fold, rows)) ?? {}, this.#isDeep);
  }
}

/**
 * The WECs that decide a field, or undefined if all do. The deciders of the field's own components are tried first, then
 * those with the WECs that decide the verdict, then those with the WECs that decide any departure.
 */
function decidersOfField(
  alone: Alone,
  field: DecidedField,
  { supporting, departing }: DecidedStatus,
): Names | undefined {
  const choices = [
    field.deciders,
    [...field.deciders, ...supporting],
    [...field.deciders, ...supporting, ...departing],
  ];
  return smallestChoice(alone.names, choices, (names) => alone.decide(field, names));
}

function explainField(alone: Alone, field: DecidedField, decided: DecidedStatus): FieldExplanation {
  const { path, value, rule, byAll, departs } = field;
  const own = {
    path,
    ...(value === undefined ? { omitted: true as const } : { value }),
    rule,
    documentation: decided.documentation,
  };
  if (rule === 'not-aggregated') return own;
  const names = byAll ? undefined : decidersOfField(alone, field, decided);
  const decidedBy = names?.map((wec) => alone.reported(wec, path)) ?? ALL;
  return { ...own, decidedBy, ...(departs === undefined ? {} : { departs }) };
}

/**
 * Explains an aggregate: which rule gives each field its value, and which WECs decide it. If only these WECs were the
 * destinations, the aggregate would have the same value there. Where no smaller choice of WECs was found, and where the
 * rule needs all of them ("all say True"), all WECs decide.
 *
 * @param rows one for each qualified WEC
 * @returns undefined if there is no aggregate, because no WEC has returned a status
 */
export function* explainAggregate(
  object: ExplainedObject,
  rows: readonly PerWecRow[],
): Slices<AggregateExplanation | undefined> {
  const fold = explainingStatusFold(object.workload, object.specsByHash);
  const decided = fold.finish(yield* foldRowsInSlices(fold, rows, SLICE_ROWS));
  if (decided === undefined) return undefined;
  const alone = new Alone(object, rows, decided.isDeep);
  yield;
  return {
    status: decided.status,
    verdicts: decided.verdicts,
    fields: decided.fields.map((field) => explainField(alone, field, decided)),
  };
}
