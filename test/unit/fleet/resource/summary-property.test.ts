import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isReadySummary, summarizeResource } from '#shared/core/fleet/resource/summary.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

// What fast-check calls a JSON value is one.
const odd = fc.jsonValue() as fc.Arbitrary<JsonValue>;

/** A value that fits, now and then one that does not. */
function mostly(fitting: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue> {
  return fc.oneof({ arbitrary: fitting, weight: 9 }, { arbitrary: odd, weight: 1 });
}

function record(
  members: Readonly<Record<string, fc.Arbitrary<JsonValue>>>,
): fc.Arbitrary<JsonObject> {
  return fc.record(members, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
}

const TYPES = ['Ready', 'Available', 'Updated', 'Installed', 'Failed', 'Stalled', 'Reconciling'];
const text = fc.constantFrom(' a ', 'B', '', 'İSTANBUL', 'ΟΔΟΣ', 'Running', 'Succeeded');
const condition = record({
  type: mostly(fc.constantFrom(...TYPES, 'NodeHealthy', 'Odd')),
  status: mostly(fc.constantFrom('True', 'False', 'Unknown')),
  reason: mostly(fc.oneof(fc.constant('Error'), text)),
  message: mostly(text),
});
const conditions = mostly(fc.array(mostly(condition), { maxLength: 4 }));
const display = record({
  state: mostly(text),
  error: mostly(fc.boolean()),
  transitioning: mostly(fc.boolean()),
  message: mostly(text),
});
const annotation = fc.oneof(
  conditions.map((list) => JSON.stringify({ conditions: list })),
  fc.string(),
);
const object = record({
  apiVersion: mostly(fc.constantFrom('v1', 'apps/v1', 'demo.example.com/v1')),
  kind: mostly(fc.constantFrom('Pod', 'Service', 'Deployment', 'Widget', 'Node')),
  metadata: mostly(record({ annotations: mostly(record({ 'cattle.io/status': annotation })) })),
  spec: mostly(record({ active: mostly(fc.boolean()), type: fc.constant('LoadBalancer') })),
  status: mostly(
    record({
      conditions,
      display: mostly(display),
      summary: mostly(display),
      phase: mostly(text),
    }),
  ),
});
const ignored = fc.array(
  record({ type: fc.constantFrom(...TYPES), status: fc.constant('False') }),
  {
    maxLength: 2,
  },
);

describe('the summary of any resource', () => {
  it('is one: nothing throws, the state is in lower case, the messages are trimmed and distinct', () => {
    fc.assert(
      fc.property(object, ignored, (any, ignoreConditions) => {
        const { state, message } = summarizeResource(any, { nowMs: NOW_MS, ignoreConditions });
        expect(state).not.toBe('');
        expect(state).toBe(state.toLowerCase());
        expect(message).toEqual([...new Set(message.map((one) => one.trim()))]);
        expect(message).not.toContain('');
      }),
      { numRuns: 2000 },
    );
  });

  it('is ready without its conditions, display and phase, for a kind that Fleet does not know', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 4 }), (list) => {
        const widget = { apiVersion: 'demo.example.com/v1', kind: 'Widget' };
        const summary = summarizeResource(
          { ...widget, status: { conditions: list } },
          { nowMs: NOW_MS, ignoreConditions: [{}] },
        );
        expect(isReadySummary(summary)).toBe(true);
      }),
    );
  });
});
