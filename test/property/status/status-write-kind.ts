import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

/** Objects of one kind, the statuses that may stand in them, and those that may be wanted of them. */
export interface StatusWrites {
  readonly apiVersion: string;
  readonly kind: string;
  readonly specs: fc.Arbitrary<JsonObject>;
  /** A status that the object may have. */
  standing(spec: JsonObject): fc.Arbitrary<JsonObject>;
  /** A status that a WEC's API server holds for its own object, which may have another spec. */
  desired(spec: JsonObject): fc.Arbitrary<JsonObject>;
}

/** Which members of an object are there. */
export function some(
  members: Readonly<Record<string, fc.Arbitrary<JsonValue>>>,
): fc.Arbitrary<JsonObject> {
  // A key that is not required is left out, not undefined.
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}
