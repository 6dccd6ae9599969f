import { countAt } from '#shared/core/health/count-at.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import type { KindSet, KindSets, KnownWec } from './kind-sets.ts';
import { naiveConditions } from './naive-generic.ts';

/** What a WEC says; `{}` where it has nothing to say (K1). */
function statusOf({ perWec: { row } }: KnownWec, kind: KindSets): JsonObject {
  const isGone = row?.deleting === true && !kind.readsGeneration;
  return isObject(row?.status) && !isGone ? row.status : {};
}

/** The conditions of a WEC, each with its generation in the WDS's numbers. */
function conditionsOf(wec: KnownWec, kind: KindSets, set: KindSet): readonly JsonObject[] {
  const generations = createGenerationTranslator(set.workload, set.specsByHash);
  const list = statusOf(wec, kind)['conditions'];
  return (isArray(list) ? list : [])
    .filter((entry) => isObject(entry))
    .filter(({ type }) => typeof type === 'string' && type !== '')
    .map((entry) => {
      const { observedGeneration: observed } = entry;
      if (typeof observed !== 'number') return entry;
      const { translated } = generations.translate(wec.perWec.row, observed);
      return { ...entry, observedGeneration: translated };
    });
}

/** The lowest generation, in the WDS's numbers; none where no WEC says one. */
function lowestGeneration({ workload, wecs, specsByHash }: KindSet, kind: KindSets): JsonObject {
  const generations = createGenerationTranslator(workload, specsByHash);
  const each = wecs.map((wec) => {
    const told = Number(statusOf(wec, kind)['observedGeneration'] ?? 0);
    // A text that is no number: as if the WEC had observed whatever there is.
    const isUnknown = kind.generationIsText === true && (Number.isNaN(told) || told > 1000);
    const observed = isUnknown ? 1000 : undefined;
    const { translated } = generations.translate(wec.perWec.row, observed);
    return { translated, told: isUnknown ? 0 : told };
  });
  if (each.every(({ told }) => told === 0)) return {};
  const lowest = Math.min(...each.map(({ translated }) => translated));
  return { observedGeneration: kind.generationIsText ? String(lowest) : lowest };
}

/** Without counters at 0, which are as good as absent. */
export function withoutZeros(status: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(status).filter(([, value]) => value !== 0));
}

/**
 * The aggregate by the letter of the proposal, of all WECs at once: the lowest numbers, conditions by three-valued logic
 * with the newest reasons, lists that all WECs have. Without counters at 0.
 *
 * @param aggregated what the rule makes of the set: where the proposal is silent, that counts
 */
export function naiveLiteral(kind: KindSets, set: KindSet, aggregated: JsonObject): JsonObject {
  const { numbers, types, more } = kind.literal;
  const statuses = set.wecs.map((wec) => statusOf(wec, kind));
  const lists = set.wecs
    .map((wec) => ({ wec: wec.perWec.wec, list: conditionsOf(wec, kind, set) }))
    .map(({ wec, list }) => ({
      wec,
      list: list.filter(({ type }) => types?.includes(String(type)) ?? true),
    }));
  const conditions = naiveConditions(lists, new Set());
  const { conditions: _own, ...silent } = aggregated;
  const counters = numbers.map((field): [string, JsonValue] => [
    field,
    Math.min(...statuses.map((status) => countAt(status, field))),
  ]);
  const literal = {
    ...Object.fromEntries(counters),
    ...lowestGeneration(set, kind),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
  return withoutZeros({ ...silent, ...literal, ...more?.(statuses, literal) });
}
