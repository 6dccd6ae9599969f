import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { looseObject } from '#shared/state/loose-object.ts';

type Make = typeof looseObject;

/** An object with a required member, an optional one and an object, by one of the two functions. */
function schemaOf(make: Make) {
  const inner = make({ wec: z.string(), generation: z.exactOptional(z.number()) });
  return make({ wec: z.string(), row: z.exactOptional(inner), status: z.exactOptional(z.any()) });
}

const compiled = schemaOf(looseObject);
const interpreted = schemaOf(z.looseObject as Make);

const member = fc.constantFrom(
  'wec',
  'row',
  'status',
  'generation',
  'other',
  '__proto__',
  'constructor',
);
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const object = fc.dictionary(member, fc.oneof(leaf, fc.dictionary(member, leaf), fc.array(leaf)));

function outcome(schema: typeof compiled, value: unknown): unknown {
  const result = schema.safeParse(value);
  return result.success ? result.data : result.error.issues;
}

describe('a compiled object', () => {
  it('accepts and refuses what zod does, with the same value and the same errors', () => {
    fc.assert(
      fc.property(fc.oneof(object, object, leaf), (value) => {
        // As it was stored.
        const stored: unknown = JSON.parse(JSON.stringify(value));
        expect(outcome(compiled, stored)).toEqual(outcome(interpreted, stored));
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps the members that it does not know', () => {
    const stored = { wec: 'edge-1', row: { wec: 'edge-1', later: [1] }, later: { a: 1 } };
    expect(compiled.parse(stored)).toEqual(stored);
    expect(compiled.safeParse({ wec: 1 }).success).toBe(false);
  });
});
