import { at, type JsonValue } from '#shared/core/json.ts';

/**
 * The counter or generation at the end of a path. Kubernetes leaves a counter out at 0, so an absent one is 0; what
 * is no non-negative integer cannot have come from an API server and is taken as absent.
 */
export function countAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0;
}
