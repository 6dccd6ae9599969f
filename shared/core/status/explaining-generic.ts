import { firstNames } from '#shared/core/fold/named-wecs.ts';
import { type JsonObject, type JsonValue, textAt } from '#shared/core/json.ts';
import type { WorkloadObject } from '#shared/core/row.ts';
import { ABNORMAL_TYPES } from './condition-polarity.ts';
import { type ConditionsPart, conditionDeciders } from './conditions.ts';
import type { DecidedField, DecidedStatus, ExplainingFold } from './decided-status.ts';
import { contributing, type Deciders, decidersOf, selecting } from './deciders.ts';
import { type GenericPart, genericStatusFold } from './generic.ts';
import {
  type GenericLeaf,
  genericAspects,
  genericShapes,
  leavesOf,
  shapeAspect,
  valueAspect,
} from './generic-leaves.ts';
import { type JsonRecord, mergeRecords } from './merge-records.ts';
import type { GenerationTranslator } from './source-generation.ts';
import { statusPaths } from './status-paths.ts';

type Some = NonNullable<GenericPart>;

/** The part of some WECs, with the WECs that decide. Plain JSON. */
type ExplainingPart = {
  readonly part: Some;
  readonly by: Deciders;
  readonly shapes: Deciders;
  /** The first WECs without a field of `.status`, by field. */
  readonly lacking: JsonRecord<readonly string[]>;
};

const VALUES = selecting(genericAspects);
const SHAPES = contributing<Some, { readonly wec: string; readonly part: Some }>(({ part }) =>
  genericShapes(part),
);
const REPORTER = 'reporter';

/** The WDS's own API server counts this generation. */
const GENERATION = 'observedGeneration';

/** At most this many WECs are looked at if a field is left out because of another one. */
const MAX_DEPARTING = 40;

function liftPart(wec: string, part: Some): ExplainingPart {
  const shapes = SHAPES.lift({ wec, part }, part);
  return {
    part,
    by: VALUES.lift({ wec }, part),
    shapes: part.reporters === 0 ? shapes : { ...shapes, [REPORTER]: [[wec, '']] },
    lacking: Object.fromEntries(Object.keys(part.fields).map((key) => [key, []])),
  };
}

/** The WECs without the fields of either side. */
function withLacking({ part, lacking }: ExplainingPart, other: ExplainingPart) {
  const added = Object.keys(other.lacking).filter((key) => !Object.hasOwn(lacking, key));
  return { ...lacking, ...Object.fromEntries(added.map((key) => [key, part.wecs])) };
}

function mergeParts(a: ExplainingPart, b: ExplainingPart, part: Some): ExplainingPart {
  return {
    part,
    by: VALUES.merge(a, b, part),
    shapes: SHAPES.merge({ part: a.part, by: a.shapes }, { part: b.part, by: b.shapes }, part),
    lacking: mergeRecords(withLacking(a, b), withLacking(b, a), firstNames),
  };
}

/** What decides at a leaf. */
type Decision = Pick<DecidedField, 'path' | 'rule' | 'byAll' | 'deciders'>;

/** The fields of the aggregate by path. */
type Values = ReadonlyMap<string, JsonValue>;

function conditionDecisions(
  { by, shapes }: ExplainingPart,
  { path, list }: { readonly path: string; readonly list: ConditionsPart },
  values: Values,
): readonly Decision[] {
  const types = Object.keys(list.types);
  if (types.length === 0) {
    const deciders = decidersOf(shapes, [shapeAspect(path)]);
    return [{ path, rule: 'condition', byAll: false, deciders }];
  }
  return types.map((type): Decision => {
    const at = `${path}[${type}]`;
    const status = textAt(values.get(at), 'status');
    const byAll = status === 'True' && !ABNORMAL_TYPES.has(type);
    const deciders = conditionDeciders(list, by, { list: path, type, status });
    return { path: at, rule: 'condition', byAll, deciders };
  });
}

function lackingIn(lacking: ExplainingPart['lacking'], key: string): readonly string[] {
  // Each field of the part has an entry.
  return lacking[key] as readonly string[];
}

function decisionsAt(
  explained: ExplainingPart,
  { path, part, key }: GenericLeaf & { readonly key: string },
  values: Values,
): readonly Decision[] {
  const { by, shapes, lacking } = explained;
  const named = [...decidersOf(by, [valueAspect(path)]), ...lackingIn(lacking, key)];
  switch (part?.[0]) {
    case 'number': {
      const rule = path === GENERATION ? 'lowest-generation' : 'lowest';
      return [{ path, rule, byAll: false, deciders: named }];
    }
    case 'boolean':
      return [{ path, rule: 'true-in-all', byAll: values.get(path) === true, deciders: named }];
    case 'conditions':
      return conditionDecisions(explained, { path, list: part[1] }, values);
    default: {
      const deciders = decidersOf(shapes, [shapeAspect(path)]);
      return [{ path, rule: 'same-in-all', byAll: values.has(path), deciders }];
    }
  }
}

/** The types of values that a WEC without the field does not remove. */
const KEPT: ReadonlySet<string | undefined> = new Set(['number', 'boolean', 'conditions']);

function fieldDecisions(explained: ExplainingPart, key: string, values: Values) {
  const { part, lacking } = explained;
  // The caller takes the key from the part.
  const [count, value] = part.fields[key] as Some['fields'][string];
  if (count < part.rows && !KEPT.has(value?.[0])) {
    const deciders = lackingIn(lacking, key);
    return [{ path: key, rule: 'same-in-all', byAll: false, deciders } as const];
  }
  return leavesOf(key, value).flatMap((leaf) => decisionsAt(explained, { ...leaf, key }, values));
}

function finish(explained: ExplainingPart, status: JsonObject): DecidedStatus {
  const values = statusPaths(status, true);
  const decisions = Object.keys(explained.part.fields).flatMap((key) =>
    fieldDecisions(explained, key, values),
  );
  const fields = decisions
    .map((decision): DecidedField => {
      const value = values.get(decision.path);
      return value === undefined ? decision : { ...decision, value };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const omitted = fields.filter(({ value }) => value === undefined);
  return {
    status,
    fields,
    documentation: 'rules.md#every-other-kind',
    isDeep: true,
    supporting: decidersOf(explained.shapes, [REPORTER]),
    departing: [...new Set(omitted.flatMap(({ deciders }) => deciders))].slice(0, MAX_DEPARTING),
    verdicts: [],
  };
}

/** The general rule (`genericStatusFold`), with the WECs that decide each field. */
export function explainingGenericFold(
  workload: WorkloadObject,
  generations: GenerationTranslator,
): ExplainingFold {
  const fold = genericStatusFold(workload, generations);
  return {
    empty: null,
    // The part of a row is not null.
    lift: (row) => liftPart(row.wec, fold.lift(row) as Some),
    merge(all, other) {
      // The parts come from this fold.
      const [a, b] = [all as ExplainingPart | null, other as ExplainingPart | null];
      if (a === null || b === null) return a ?? b;
      return mergeParts(a, b, fold.merge(a.part, b.part) as Some);
    },
    finish(all) {
      const explained = all as ExplainingPart | null;
      if (explained === null) return undefined;
      const status = fold.finish(explained.part);
      return status && finish(explained, status);
    },
  };
}
