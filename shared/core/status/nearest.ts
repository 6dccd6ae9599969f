import {
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
} from '#shared/core/json.ts';

/** One field in which two statuses differ. undefined if one of them does not have it. */
interface Field {
  readonly name: string;
  /** Whether `name` is a type of condition, and not a field of `.status`. */
  readonly isCondition: boolean;
  readonly literal: JsonValue | undefined;
  readonly departure: JsonValue | undefined;
}

/** Two statuses: what they share, and where they differ. */
interface Comparison {
  readonly literal: JsonObject;
  readonly fields: readonly Field[];
  /** The types of condition in the departure's order. Absent if both have the same order. */
  readonly order?: readonly string[];
}

/** If there are more mixtures than this, the rest is not tried. Only a list of many types of condition has more. */
const MAX_TRIED = 512;
/** Conditions in all mixtures that are tried together: a WEC may report thousands, and each mixture is built and judged. */
const MAX_CONDITIONS = 100_000;
const LEAST_TRIED = 4;

/** @param conditions how many conditions both statuses have together */
function mostTried(conditions: number): number {
  const affordable = Math.floor(MAX_CONDITIONS / (conditions + 1));
  return Math.min(Math.max(affordable, LEAST_TRIED), MAX_TRIED);
}

function typeOf(entry: JsonValue): string {
  return String(member(entry, 'type'));
}

function entriesOf({ conditions }: JsonObject): readonly JsonObject[] {
  return isArray(conditions) ? conditions.filter((entry) => isObject(entry)) : [];
}

function conditionsByType(status: JsonObject): JsonObject {
  return Object.fromEntries(entriesOf(status).map((entry) => [typeOf(entry), entry]));
}

function differing(literal: JsonObject, departure: JsonObject, isCondition: boolean): Field[] {
  const names = new Set([...Object.keys(literal), ...Object.keys(departure)]);
  return [...names].flatMap((name): Field[] => {
    const one = Object.hasOwn(literal, name) ? literal[name] : undefined;
    const other = Object.hasOwn(departure, name) ? departure[name] : undefined;
    const isSame = one !== undefined && other !== undefined && equalJson(one, other);
    return isSame ? [] : [{ name, isCondition, literal: one, departure: other }];
  });
}

function compare(literal: JsonObject, departure: JsonObject): Comparison {
  const { conditions: _literal, ...plain } = literal;
  const { conditions: _departure, ...departing } = departure;
  const types = entriesOf(literal).map(typeOf);
  const order = entriesOf(departure).map(typeOf);
  const common = (one: readonly string[], other: readonly string[]): string => {
    const others = new Set(other);
    return JSON.stringify(one.filter((type) => others.has(type)));
  };
  return {
    literal,
    fields: [
      ...differing(plain, departing, false),
      ...differing(conditionsByType(literal), conditionsByType(departure), true),
    ],
    ...(common(types, order) === common(order, types) ? {} : { order }),
  };
}

function inOrder(entries: readonly JsonObject[], order: readonly string[]): readonly JsonObject[] {
  const ranks = new Map(order.map((type, index) => [type, index]));
  const rank = (entry: JsonObject): number => ranks.get(typeOf(entry)) ?? order.length;
  return entries.toSorted((a, b) => rank(a) - rank(b));
}

/** The literal status with these fields of the departure, and with its order of conditions if `isOrdered`. */
function mixture(
  { literal, order = [] }: Comparison,
  chosen: readonly Field[],
  isOrdered: boolean,
): JsonObject {
  const { conditions: _own, ...plain } = literal;
  const status = new Map(Object.entries<JsonValue>(plain));
  const byType = new Map(Object.entries<JsonValue>(conditionsByType(literal)));
  for (const { name, isCondition, departure } of chosen) {
    const target = isCondition ? byType : status;
    if (departure === undefined) target.delete(name);
    else target.set(name, departure);
  }
  // Each value is an entry.
  const entries = [...byType.values()] as JsonObject[];
  const sorted = entries.sort((a, b) => (typeOf(a) < typeOf(b) ? -1 : 1));
  const list = isOrdered ? inOrder(sorted, order) : sorted;
  return { ...Object.fromEntries(status), ...(list.length === 0 ? {} : { conditions: list }) };
}

/** The subsets of a size, in the order of their members. */
function* choices<T>(members: readonly T[], size: number): Generator<readonly T[]> {
  if (size === 0) yield [];
  else
    for (const [index, first] of members.entries())
      for (const rest of choices(members.slice(index + 1), size - 1)) yield [first, ...rest];
}

/**
 * All mixtures of two statuses but the literal one, those with the fewest fields of the departure first. The last one has
 * all of them.
 */
function* mixtures(comparison: Comparison): Generator<JsonObject> {
  const { fields, order } = comparison;
  const all: readonly (Field | 'order')[] = order === undefined ? fields : [...fields, 'order'];
  for (let size = 1; size <= all.length; size += 1)
    for (const chosen of choices(all, size))
      yield mixture(
        comparison,
        chosen.filter((one) => one !== 'order'),
        chosen.includes('order'),
      );
}

/**
 * The literal status with as few fields of a departure as needed to pass. If the literal status passes, it is returned.
 * Each type of condition is a field of its own, and so is the order of the conditions. Among mixtures with the same
 * number of fields, the first in the order of the fields counts, so that equal input gives equal bytes.
 *
 * @param literal its conditions, if it has any, are sorted by type
 * @param departure the result if no mixture passes, or none of the first ones that may be tried ({@link MAX_TRIED}, fewer if there are thousands of conditions)
 */
export function nearest(
  literal: JsonObject,
  departure: JsonObject,
  passes: (status: JsonObject) => boolean,
): JsonObject {
  if (passes(literal)) return literal;
  const limit = mostTried(entriesOf(literal).length + entriesOf(departure).length);
  let tried = 1;
  for (const status of mixtures(compare(literal, departure))) {
    if (tried === limit) break;
    if (passes(status)) return status;
    tried += 1;
  }
  return departure;
}
