import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NamingBinding, oldestBindings } from '#shared/core/binding/oldest-bindings.ts';

const naming: fc.Arbitrary<NamingBinding> = fc.record(
  {
    binding: fc.string({ minLength: 1, maxLength: 2 }),
    bindingUid: fc.constantFrom('u1', 'u2', 'u3'),
    created: fc.constantFrom('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
    modulation: fc.record({
      statusCollectors: fc.subarray(['c']),
      wantSingletonReportedState: fc.boolean(),
      wantMultiWECReportedState: fc.constant(false),
    }),
  },
  { requiredKeys: ['binding', 'bindingUid', 'modulation'] },
);
const all = fc.uniqueArray(naming, { selector: ({ binding }) => binding, maxLength: 12 });
const limit = fc.integer({ min: 1, max: 6 });

function names({ counted, refused }: ReturnType<typeof oldestBindings>) {
  return { counted: counted.map(({ binding }) => binding).sort(), refused: [...refused].sort() };
}

describe('the Bindings that count for an object', () => {
  it('are the same in whatever order they come', () => {
    fc.assert(
      fc.property(all, limit, fc.func(fc.nat()), (given, most, keyOf) => {
        const shuffled = [...given].sort((a, b) => keyOf(a.binding) - keyOf(b.binding));
        expect(names(oldestBindings(shuffled, most))).toEqual(names(oldestBindings(given, most)));
      }),
    );
  });

  it('are the same without any one that does not count', () => {
    fc.assert(
      fc.property(all, limit, (given, most) => {
        const { counted } = oldestBindings(given, most);
        expect(counted.length).toBe(Math.min(given.length, most));
        for (const out of given.filter((one) => !counted.includes(one)))
          expect(
            oldestBindings(
              given.filter((one) => one !== out),
              most,
            ).counted,
          ).toEqual(counted);
      }),
    );
  });

  it('stay when one goes, and at most one more counts', () => {
    fc.assert(
      fc.property(all, limit, (given, most) => {
        const { counted } = oldestBindings(given, most);
        for (const gone of counted) {
          const rest = given.filter((one) => one !== gone);
          const now = oldestBindings(rest, most).counted;
          expect(now).toEqual(expect.arrayContaining(counted.filter((one) => one !== gone)));
        }
      }),
    );
  });
});
