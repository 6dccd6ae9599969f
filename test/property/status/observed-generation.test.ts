import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRowPropagation } from '#shared/core/desired/row-propagation.ts';
import { type Fold, foldRows } from '#shared/core/fold/fold.ts';
import { isArray, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import {
  generationOf,
  lowerGeneration,
  observedGeneration,
  typedLike,
} from '#shared/core/observed-generation.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { copyStatusFold } from '#shared/core/status/copy.ts';
import { statusFoldFor } from '#shared/core/status/kinds/rules.ts';
import { createGenerationTranslator } from '#shared/core/status/source-generation.ts';
import { histories } from '#test/histories.ts';

const NUM_RUNS = histories({ first: 60, all: 1000 });
const generations = fc.nat({ max: 9 });

/** A kind without a rule of its own, whose `observedGeneration` is a number or a text. */
const WIDGET: WorkloadObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', generation: 5 },
};

const status = fc
  .record({
    observed: fc.option(generations, { nil: undefined, freq: 6 }),
    condition: fc.option(generations, { nil: undefined, freq: 4 }),
    size: generations,
  })
  .map(
    ({ observed, condition, size }): JsonObject => ({
      size,
      ...(observed === undefined ? {} : { observedGeneration: observed }),
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          ...(condition === undefined ? {} : { observedGeneration: condition }),
        },
      ],
    }),
  );

const rows = fc.array(
  fc.record({
    generation: fc.nat({ max: 9 }),
    source: fc.option(fc.integer({ min: 3, max: 5 }), { nil: undefined }),
    status: fc.option(status, { nil: undefined, freq: 8 }),
  }),
  { minLength: 1, maxLength: 5 },
);
type Rows = typeof rows extends fc.Arbitrary<infer T> ? T : never;

function rowsOf(made: Rows, change: (status: JsonObject) => JsonValue): PerWecRow[] {
  return made.map(({ generation, source, status: own }, index) => {
    const wec = `wec${index}`;
    const told = own === undefined ? {} : { status: change(own) };
    const from = source === undefined ? {} : { sourceGeneration: source };
    return { wec, row: { wec, uid: '', generation, ...from, ...told } };
  });
}

/** The same value, in which each `observedGeneration` has another type. */
function retyped(value: JsonValue, type: (one: JsonValue) => JsonValue): JsonValue {
  if (isArray(value)) return value.map((one) => retyped(one, type));
  if (!isObject(value)) return value;
  const members = Object.entries(value).map(([key, one]): [string, JsonValue] => [
    key,
    key === 'observedGeneration' ? type(one) : retyped(one, type),
  ]);
  return Object.fromEntries(members);
}

const asText = (value: JsonValue): JsonValue => retyped(value, String);

describe('an observed generation that is a text', () => {
  it('is the number in it', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (generation) => {
        expect(generationOf(String(generation))).toBe(generation);
        expect(observedGeneration({ observedGeneration: String(generation) })).toBe(generation);
        expect(generationOf(typedLike('7', generation))).toBe(generation);
        expect(typedLike(7, generation)).toBe(generation);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('states none if it is anything but the digits of a number', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.jsonValue()), (value) => {
        const found = generationOf(value as JsonValue);
        const isDigits = typeof value === 'string' && /^[0-9]+$/.test(value);
        const isCount = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
        if (!isDigits && !isCount) expect(found).toBeUndefined();
        if (isCount) expect(found).toBe(value);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it.each(['9007199254740993', '99999999999999999999', '', ' 7', '7.0', '1e3', '0x7', '-1', '٧'])(
    'states none: %j',
    (text) => {
      expect(generationOf(text)).toBeUndefined();
    },
  );

  function makesWhatTheNumberMakes<Part extends JsonValue>(
    fold: Fold<PerWecRow, Part, JsonObject | undefined>,
  ): void {
    fc.assert(
      fc.property(rows, (made) => {
        const numbers = fold.finish(
          foldRows(
            fold,
            rowsOf(made, (one) => one),
          ),
        );
        const texts = fold.finish(foldRows(fold, rowsOf(made, asText)));
        expect(texts).toEqual(numbers === undefined ? undefined : asText(numbers));
      }),
      { numRuns: NUM_RUNS },
    );
  }

  it('makes the aggregate that the number makes, with a text', () => {
    makesWhatTheNumberMakes(statusFoldFor('aggregate', WIDGET, new Map()));
  });

  it('makes the translated copy that the number makes, with a text', () => {
    makesWhatTheNumberMakes(copyStatusFold(createGenerationTranslator(WIDGET, new Map())));
  });

  it('tells as much about propagation as the number', () => {
    fc.assert(
      fc.property(rows, (made) => {
        const propagation = createRowPropagation({ object: WIDGET, specs: new Map() });
        const numbers = rowsOf(made, (one) => one).map(propagation);
        expect(rowsOf(made, asText).map(propagation)).toEqual(numbers);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('that is a hash makes the aggregate and the propagation of a status without a generation', () => {
    const hash = (value: JsonValue): JsonValue => retyped(value, () => '58b949649c');
    const without = (value: JsonObject): JsonObject => {
      const { observedGeneration: _none, ...others } = value;
      return others;
    };
    fc.assert(
      fc.property(rows, (made) => {
        const propagation = createRowPropagation({ object: WIDGET, specs: new Map() });
        const bare = rowsOf(made, without).map(propagation);
        expect(rowsOf(made, hash).map(propagation)).toEqual(bare);
        const fold = statusFoldFor('aggregate', WIDGET, new Map());
        const texts = fold.finish(foldRows(fold, rowsOf(made, hash))) ?? {};
        const all = made.every(({ status: own }) => own?.['observedGeneration'] !== undefined);
        expect(texts['observedGeneration']).toBe(all ? '58b949649c' : undefined);
      }),
      { numRuns: NUM_RUNS },
    );
  });

  it('is compared with others by its number; of one generation in both types, the text counts, in the status and in conditions', () => {
    const typed = fc
      .tuple(generations, fc.boolean())
      .map(([one, isText]): JsonValue => (isText ? String(one) : one));
    expect([lowerGeneration(3, '3'), lowerGeneration('3', 3)]).toEqual(['3', '3']);
    fc.assert(
      fc.property(typed, typed, typed, (a, b, c) => {
        const lower = lowerGeneration(a, b);
        expect(Number(lower)).toBe(Math.min(Number(a), Number(b)));
        expect(lowerGeneration(b, a)).toBe(lower);
        expect(lowerGeneration(lower, c)).toBe(lowerGeneration(a, lowerGeneration(b, c)));
        expect(lowerGeneration(a, a)).toBe(a);
        const rows = [a, b, c].map((observed, index): PerWecRow => {
          const entry = { type: 'Ready', status: 'True', observedGeneration: observed };
          const own = { observedGeneration: observed, conditions: [entry] };
          return { wec: `wec${index}`, row: { wec: '', uid: '', generation: 0, status: own } };
        });
        const { generation: _none, ...metadata } = WIDGET.metadata;
        const fold = statusFoldFor('aggregate', { ...WIDGET, metadata }, new Map());
        const observed = lowerGeneration(lower, c);
        expect(fold.finish(foldRows(fold, rows))).toMatchObject({
          observedGeneration: observed,
          conditions: [{ observedGeneration: observed }],
        });
      }),
      { numRuns: NUM_RUNS },
    );
  });
});
