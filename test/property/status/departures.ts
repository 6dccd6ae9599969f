import { refusals } from '#local/simulated-cluster/status-validation/status-validation.ts';
import { equalJson, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import type { KindSet, KindSets } from './kind-sets.ts';
import { aggregate, judgeStatus } from './kind-verdicts.ts';
import { naiveLiteral, withoutZeros } from './naive-literal.ts';

/** The name under which the order of the conditions is a field. */
const ORDER = 'order of conditions';

function entriesIn({ conditions }: JsonObject): readonly JsonValue[] {
  return isArray(conditions) ? conditions : [];
}

function typesIn(status: JsonObject): readonly string[] {
  return entriesIn(status).map((entry) => String(member(entry, 'type')));
}

/** The status field by field, each type of condition being one, and their order another. */
function flat(status: JsonObject): ReadonlyMap<string, JsonValue> {
  const { conditions: _list, ...plain } = status;
  const entries = entriesIn(status).map((entry): [string, JsonValue] => [
    `conditions[${String(member(entry, 'type'))}]`,
    entry,
  ]);
  return new Map([...Object.entries(plain), ...entries]);
}

/** A status of some fields; its conditions are in this order, all others behind. */
function unflat(fields: ReadonlyMap<string, JsonValue>, order: readonly string[]): JsonObject {
  const isCondition = (name: string): boolean => name.startsWith('conditions[');
  const place = (entry: JsonValue): number =>
    (order.indexOf(String(member(entry, 'type'))) + order.length + 1) % (order.length + 1);
  const conditions = [...fields]
    .filter(([name]) => isCondition(name))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry)
    .toSorted((a, b) => place(a) - place(b));
  const plain = [...fields].filter(([name]) => !isCondition(name));
  return { ...Object.fromEntries(plain), ...(conditions.length === 0 ? {} : { conditions }) };
}

interface Compared {
  readonly literal: JsonObject;
  readonly result: JsonObject;
  /** The fields in which they differ. */
  readonly fields: readonly string[];
}

function compare(kind: KindSets, set: KindSet): Compared | undefined {
  const aggregated = aggregate(set);
  if (aggregated === undefined) return undefined;
  const result = withoutZeros(aggregated);
  const literal = naiveLiteral(kind, set, result);
  const [one, other] = [flat(literal), flat(result)];
  const names = new Set([...one.keys(), ...other.keys()]);
  const fields = [...names].filter((name) => !equalJson(one.get(name), other.get(name)));
  const [before, after] = [typesIn(literal), typesIn(result)];
  const isReordered = !equalJson(
    before.filter((type) => after.includes(type)),
    after.filter((type) => before.includes(type)),
  );
  return { literal, result, fields: isReordered ? [...fields, ORDER] : fields };
}

/** The fields in which the aggregate of a set departs from the letter; undefined where there is no aggregate. */
export function departingFields(kind: KindSets, set: KindSet): readonly string[] | undefined {
  return compare(kind, set)?.fields;
}

/**
 * Whether an API server takes a status, and both versions of Argo CD judge it as the worst WEC, or, where no status can
 * make them do so, as they judge the result.
 */
function passes(kind: KindSets, set: KindSet, [status, result]: readonly JsonObject[]): boolean {
  if (status === undefined || refusals(set.workload, status).length > 0) return false;
  const wanted = judgeStatus(kind, set, result ?? {}).map(({ found }) => found);
  const judgements = judgeStatus(kind, set, status);
  return (
    judgements.every(({ comparison }) => comparison === 'same') ||
    judgements.every(({ found }, index) => found === wanted[index])
  );
}

/**
 * The statuses that would do and are nearer to the letter than the aggregate of a set: the letter, with some but not all
 * fields in which the aggregate departs from it. There should be none.
 */
export function nearerStatuses(kind: KindSets, set: KindSet): readonly JsonObject[] {
  const compared = compare(kind, set);
  if (compared === undefined) return [];
  const { literal, result, fields } = compared;
  const chosen = Array.from({ length: 2 ** fields.length - 1 }, (_none, bits) =>
    fields.filter((_field, index) => (bits >> index) % 2 === 1),
  );
  const departing = flat(result);
  return chosen
    .map((names) => {
      const mixed = new Map(flat(literal));
      for (const name of names) {
        const value = departing.get(name);
        if (value === undefined) mixed.delete(name);
        else mixed.set(name, value);
      }
      return unflat(mixed, names.includes(ORDER) ? typesIn(result) : []);
    })
    .filter((status) => passes(kind, set, [status, result]));
}
