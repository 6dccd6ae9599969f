import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_NESTING, MAX_NESTING_AROUND } from '#shared/core/bounded-depth.ts';
import { type BatchText, readBatch } from '#shared/events/batch-text.ts';
import { histories } from '#test/histories.ts';

/** The object: what stands above its fields. */
const WEC_LIMIT = MAX_NESTING + 1;
const LIMIT = WEC_LIMIT + MAX_NESTING_AROUND;

/** What confuses whoever looks for brackets: texts full of them, of quotation marks and of backslashes. */
const text = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', 'a', '\n') });
const small = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.constantFrom(null, 0, 1.5, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(text, tie('value'), { maxKeys: 3 }),
  ),
})).value;

function wrapped(value: unknown, levels: number, asObject: boolean): unknown {
  let whole = value;
  for (let level = 0; level < levels; level += 1) whole = asObject ? { '"[': whole } : [whole];
  return whole;
}

const element = fc
  .tuple(
    small,
    fc.oneof(
      fc.constant(0),
      fc.integer({ min: LIMIT - 4, max: LIMIT + 3 }),
      fc.integer({ min: WEC_LIMIT - 4, max: WEC_LIMIT + 3 }),
    ),
  )
  .chain(([value, levels]) =>
    fc.boolean().map((asObject) => [wrapped(value, levels, asObject), value] as const),
  );

/** The definition, recursive: elements here are not nested so deeply that it matters. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('finds the elements that are nested too deeply, whatever texts stand in them, and keeps the others as they are', () => {
  const seen = { deep: 0, kept: 0, atLimit: 0 };
  fc.assert(
    fc.property(
      fc.array(element, { maxLength: 5 }),
      fc.constantFrom(undefined, 1, '\t'),
      fc.boolean(),
      (elements, space, compressed) => {
        const objects = elements.map(([whole]) => whole);
        const batch = objects.map((object) => ({ data: { object } }));
        const json = JSON.stringify(batch, undefined, space);
        const read = readBatch(compressed ? gzipSync(json).toString('base64') : json);
        expect(typeof read).toBe('object');
        const { faults, tooDeepForWec, batch: kept } = read as BatchText; // It is one: the line before says so.
        const isTooDeep = objects.map((value) => depthOf(value) > LIMIT);
        expect([...faults.keys()]).toEqual(
          isTooDeep.flatMap((deep, index) => (deep ? [index] : [])),
        );
        const between = objects.flatMap((value, index) =>
          depthOf(value) > WEC_LIMIT && !isTooDeep[index] ? [index] : [],
        );
        expect([...tooDeepForWec]).toEqual(between);
        expect(JSON.stringify(kept)).toBe(
          JSON.stringify(batch.map((value, index) => (isTooDeep[index] ? null : value))),
        );
        seen.deep += faults.size;
        seen.kept += batch.length - faults.size;
        seen.atLimit += objects.filter((value) => depthOf(value) === LIMIT).length;
      },
    ),
    // A hundred runs meet the limit ten times on average, and now and then not often enough.
    { numRuns: histories({ first: 150, all: 250 }) },
  );
  expect(Math.min(seen.deep, seen.kept, seen.atLimit)).toBeGreaterThan(5);
});
