import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { OVER_BUDGET, spendBuilding } from './budget.ts';
import { toStringValue } from './conversion.ts';
import type { Budget, Evaluation, ExpressionValue } from './expression.ts';
import { durationText, timestampText } from './time.ts';
import { encodeBase64 } from './utf8.ts';
import {
  Bytes,
  CelError,
  Dictionary,
  Duration,
  isList,
  List,
  type ListValue,
  type MapValue,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
} from './value.ts';

/** The text that stands for a value without a JSON type, `undefined` for any other value. */
function textOf(value: Value): string | undefined {
  if (value instanceof Timestamp) return timestampText(value);
  if (value instanceof Duration) return durationText(value);
  if (value instanceof Bytes) return encodeBase64(value.value);
  return value instanceof TypeValue ? value.name : undefined;
}

function listToJson(list: ListValue, budget: Budget): readonly JsonValue[] {
  if (!(list instanceof List)) return list;
  if (!spendBuilding(budget, list.items.length)) return [];
  return list.items.map((item) => toJson(item, budget));
}

function mapToJson(map: MapValue, budget: Budget): JsonObject {
  if (!(map instanceof Dictionary)) return map;
  if (!spendBuilding(budget, map.entries.size)) return {};
  const members = Array.from(map.entries.values(), ([key, value]) => [
    String(toStringValue(key)),
    toJson(value, budget),
  ]);
  return Object.fromEntries(members);
}

function integerToJson(value: bigint): JsonValue {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}

function toJson(value: Value, budget: Budget): JsonValue {
  const result = toExpressionValue(value, budget);
  if (result.type === 'null') return null;
  if (result.type === 'int') return integerToJson(result.value);
  if (result.type !== 'double') return result.value;
  return Number.isSafeInteger(result.value) ? new Float(result.value) : result.value;
}

function toExpressionValue(value: Value, budget: Budget): ExpressionValue {
  if (value === null) return { type: 'null' };
  if (typeof value === 'boolean') return { type: 'bool', value };
  if (typeof value === 'bigint') return { type: 'int', value };
  if (typeof value === 'number') return { type: 'double', value };
  if (typeof value === 'string') return { type: 'string', value };
  if (value instanceof Uint) return { type: 'int', value: value.value };
  const text = textOf(value);
  if (text !== undefined) return { type: 'string', value: text };
  if (isList(value)) return { type: 'list', value: listToJson(value, budget) };
  // An error never gets into a list or a map, and was turned away before.
  return { type: 'map', value: mapToJson(value as MapValue, budget) };
}

/** What an evaluation gives for a value. Parts of a JSON document are handed out as they are, not copied. */
export function toEvaluation(value: Value, budget: Budget): Evaluation {
  if (budget.exceeded) return { ok: false, error: OVER_BUDGET.text };
  if (value instanceof CelError) return { ok: false, error: value.text };
  const result = toExpressionValue(value, budget);
  return budget.exceeded ? { ok: false, error: OVER_BUDGET.text } : { ok: true, value: result };
}
