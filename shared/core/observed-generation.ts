import { type JsonObject, type JsonValue, member } from '#shared/core/json.ts';

/** A generation as decimal digits, as Argo Rollouts writes it (`strconv.Itoa` of `metadata.generation`). */
const DIGITS = /^\d{1,16}$/;

/**
 * The generation that a value states. Kubernetes' kinds and most others have a number. The Rollout of Argo Rollouts has a
 * text (`RolloutStatus.ObservedGeneration`). Any other value states none, such as the hash that Argo Rollouts wrote before
 * release 0.10, or a text without digits.
 */
export function generationOf(value: JsonValue | undefined): number | undefined {
  const number = typeof value === 'string' && DIGITS.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : undefined;
}

/** The generation that `observedGeneration` of a status or of a condition states. */
export function observedGeneration(entry: JsonValue | undefined): number | undefined {
  return generationOf(member(entry, 'observedGeneration'));
}

/** The generation that an entry states, 0 if it states none: API servers leave out a number that is 0. */
export function observedOrZero(entry: JsonValue | undefined): number {
  return observedGeneration(entry) ?? 0;
}

/** A generation in the type that another value of the same field has: an API server rejects any other type. */
export function typedLike(value: JsonValue | undefined, generation: number): JsonValue {
  return typeof value === 'string' ? String(generation) : generation;
}

/** A status or a condition with another `observedGeneration`, of the same type. Unchanged if it states no generation. */
export function withTranslatedGeneration(
  entry: JsonObject,
  translate: (observed: number) => number,
): JsonObject {
  const observed = observedGeneration(entry);
  if (observed === undefined) return entry;
  const translated = typedLike(entry['observedGeneration'], translate(observed));
  return { ...entry, observedGeneration: translated };
}

/** The lower of two generations, each a number or a text. Of the same generation in both types, always the text. */
export function lowerGeneration(a: JsonValue, b: JsonValue): JsonValue {
  const order = Number(a) - Number(b);
  if (order !== 0) return order < 0 ? a : b;
  return typeof a === 'string' ? a : b;
}
