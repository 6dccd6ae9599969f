import { describe, expect, it } from 'vitest';
import { parseBinding } from '#shared/core/binding/binding.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import {
  noDuration,
  readSilentAfter,
  SILENT_AFTER,
  silentAfterOf,
} from '#shared/core/binding/silent-after.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function annotated(value: JsonValue): JsonObject {
  return { metadata: { name: 'a', annotations: { [SILENT_AFTER]: value } } };
}

describe('starfold.dev/silent-after', () => {
  it.each([
    ['10m', 10 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['60s', MINUTE],
    ['1m30s', 1.5 * MINUTE],
    ['1.5h', 90 * MINUTE],
    ['60000ms', MINUTE],
    ['168h', 168 * HOUR],
  ])('%s is a time', (value, silentAfterMs) => {
    expect(readSilentAfter(annotated(value))).toEqual({ silentAfterMs, errors: [] });
  });

  it.each([
    ['too short', '59s'],
    ['too long', '168h30s'],
    ['no whole half minutes', '61s'],
    ['between two steps of its order', '15m30s'],
    ['too exact for hours', '6h15m'],
    ['too exact for days', '25h'],
    ['no whole milliseconds', '1m1ns'],
    ['without a unit', '600'],
    ['negative', '-10m'],
    ['in days', '1d'],
    ['empty', ''],
    ['a number', 600],
    ['a list', ['10m']],
  ] as const)('that is %s is an error with a remedy, and counts as missing', (_what, value) => {
    const { silentAfterMs, errors } = readSilentAfter(annotated(value as JsonValue));
    expect(silentAfterMs).toBeUndefined();
    expect(errors).toEqual([
      `metadata.annotations[starfold.dev/silent-after]: ${noDuration(JSON.stringify(value))}`,
    ]);
  });

  it('has 53 different values, so that their number is bounded', () => {
    const halfMinutes = Array.from(
      { length: 7 * 24 * 120 },
      (_none, index) => `${index * 30 + 30}s`,
    );
    const times = halfMinutes.flatMap(
      (value) => readSilentAfter(annotated(value)).silentAfterMs ?? [],
    );
    expect(times).toHaveLength(53);
  });

  it('that is very long is shown in part', () => {
    const [error = ''] = readSilentAfter(annotated('x'.repeat(10_000))).errors;
    expect(error.length).toBeLessThan(400);
  });

  it.each([
    ['no annotation', { metadata: { annotations: {} } }],
    ['a null', annotated(null)],
    ['no metadata', {}],
  ])('is not asked for by %s', (_what, object) => {
    expect(readSilentAfter(object)).toEqual({ errors: [] });
  });

  it('is read of Bindings and of BindingPolicies, and a wrong one is one of their errors', () => {
    for (const parse of [parseBinding, parseBindingPolicy]) {
      const spec = { clusterSelectors: [], downsync: [], destinations: [], workload: {} };
      const right = parse({ ...annotated('10m'), spec });
      expect(right.silentAfterMs).toBe(10 * MINUTE);
      const wrong = parse({ ...annotated('10'), spec });
      expect(wrong).not.toHaveProperty('silentAfterMs');
      expect(wrong.errors.filter((error) => error.includes(SILENT_AFTER))).toHaveLength(1);
    }
  });
});

describe('the time of a workload object', () => {
  const some = [{ silentAfterMs: 5 * MINUTE }, {}, { silentAfterMs: 2 * MINUTE }];

  it('is its own, whether it is longer or shorter than those of its Bindings', () => {
    expect(silentAfterOf(annotated('1h'), some)).toBe(HOUR);
    expect(silentAfterOf(annotated('1m'), some)).toBe(MINUTE);
  });

  it('is otherwise the shortest of its Bindings, also if its own is invalid', () => {
    expect(silentAfterOf({ metadata: {} }, some)).toBe(2 * MINUTE);
    expect(silentAfterOf(annotated('soon'), some)).toBe(2 * MINUTE);
  });

  it('is missing if no subject asks for one', () => {
    expect(silentAfterOf({ metadata: {} }, [{}, {}])).toBeUndefined();
    expect(silentAfterOf({ metadata: {} }, [])).toBeUndefined();
  });
});
