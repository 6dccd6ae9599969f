import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { nearest } from '#shared/core/status/nearest.ts';

const FIELDS = ['a', 'b', 'c', 'd'];

/** A status of some numbers; what is absent differs from all of them. */
const statuses = fc.record(
  { a: fc.nat(1), b: fc.nat(1), c: fc.nat(1), d: fc.nat(1) },
  { requiredKeys: [] },
);

function taken(literal: JsonObject, departure: JsonObject, names: readonly string[]): JsonObject {
  const values = FIELDS.map((name) => [
    name,
    (names.includes(name) ? departure : literal)[name],
  ]).filter(([, value]) => value !== undefined);
  return Object.fromEntries(values);
}

const SUBSETS = Array.from({ length: 2 ** FIELDS.length }, (_none, bits) =>
  FIELDS.filter((_field, index) => (bits >> index) % 2 === 1),
);

function sorted(status: JsonObject): string {
  return stringifyJson(Object.fromEntries(Object.entries(status).sort()));
}

describe('the status nearest to the letter', () => {
  it('passes where any mixture does, and no mixture with fewer fields of the departure passes', () => {
    fc.assert(
      fc.property(statuses, statuses, fc.func(fc.boolean()), (literal, departure, judge) => {
        const passes = (status: JsonObject): boolean => judge(sorted(status));
        const differing = FIELDS.filter((name) => literal[name as 'a'] !== departure[name as 'a']);
        const passing = SUBSETS.filter((names) => names.every((name) => differing.includes(name)))
          .filter((names) => passes(taken(literal, departure, names)))
          .map(({ length }) => length);
        const found = nearest(literal, departure, passes);
        const departing = FIELDS.filter((name) => found[name] !== literal[name as 'a']);
        if (passing.length === 0) expect(found).toEqual(departure);
        else {
          expect(passes(found)).toBe(true);
          expect(departing.length).toBe(Math.min(...passing));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
