import { at, type JsonValue } from '#shared/core/json.ts';

/**
 * The counter or generation at the end of a path. Kubernetes omits a counter that is 0, so an absent value is 0. A
 * value that is not a non-negative integer cannot come from an API server and counts as absent.
 */
export function countAt(value: JsonValue | undefined, ...path: readonly string[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isSafeInteger(found) && found > 0 ? found : 0;
}
