import fc from 'fast-check';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

/** An object of a kind without a rule of its own. */
export const WIDGET: WorkloadObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', generation: 3 },
};

const entry = fc
  .record(
    {
      type: fc.constantFrom('A', 'B', 'Stalled', 'Failed'),
      status: fc.constantFrom('True', 'True', 'False', 'Unknown'),
      reason: fc.constantFrom('x', 'y'),
      lastTransitionTime: fc.constantFrom(
        '2025-11-01T10:00:00Z',
        '2025-11-01T12:00:00+02:00',
        '2025-11-01T10:00:00.250Z',
        '2025-11-01T10:05:00Z',
        'soon',
      ),
    },
    { requiredKeys: ['type', 'status'] },
  )
  .map((one): JsonObject => one);

/** A value that is neither a list nor a map. */
export const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.integer({ min: -1, max: 3 }),
  fc.constantFrom<JsonValue>(0.5, new Float(2), 2n ** 60n, null, true, true, false, 'x', 'x', 'y'),
);

const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    fc.array(tie('value'), { maxLength: 2 }),
    fc.record(
      { a: tie('value'), b: tie('value'), conditions: fc.array(entry, { maxLength: 2 }) },
      { requiredKeys: [] },
    ),
  ),
}));

/** A status of such a kind. */
export const status = fc.record(
  {
    a: value,
    b: value,
    c: value,
    conditions: fc.oneof({ weight: 3, arbitrary: fc.array(entry, { maxLength: 3 }) }, value),
  },
  { requiredKeys: [] },
);

/** Rows of few distinct statuses, so that WECs agree in many fields; some have returned nothing. */
export const tables = fc.array(status, { minLength: 1, maxLength: 2 }).chain((statuses) => {
  const returned = fc.option(fc.constantFrom<JsonValue>(...statuses, ...statuses, null), {
    nil: undefined,
    freq: 12,
  });
  return fc
    .array(returned, { maxLength: 6 })
    .map((list) =>
      list.map(
        (one, index): PerWecRow =>
          one === undefined ? { wec: `wec${index}` } : reported(`wec${index}`, one),
      ),
    );
});
