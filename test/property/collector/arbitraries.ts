import fc from 'fast-check';
import { AGGREGATIONS } from '#shared/core/collector/aggregator.ts';
import type {
  AggregateCollector,
  CollectorRow,
  CombinedField,
  CompiledColumn,
  SelectCollector,
} from '#shared/core/collector/compiled-collector.ts';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { fieldProgram } from './field-program.ts';

const FIELDS = ['a', 'b', 'c'] as const;

/** Few different values, so that rows meet in a group, and every kind of value that a cell, key or subject can be. */
const fieldValue: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -2, max: 3 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<JsonValue>(
      new Float(1),
      new Float(-0),
      new Float(1_000_000),
      1_000_000,
      0.1,
      0.2,
      1e16,
      1e300,
      9007199254740993n,
      9007199254740992n,
      -9007199254740993n,
      new Float(2 ** 53),
      new Float(2 ** 70),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('', ' 5 ', '5', '1e3', 'NaN', '-Inf', '1_000', 'x', 'y', '1e400'),
  },
  { weight: 3, arbitrary: fc.constantFrom<JsonValue>(null, true, false, [], [1, null], { k: 1 }) },
);

const status: fc.Arbitrary<JsonObject> = fc.record(
  {
    a: fieldValue,
    b: fieldValue,
    c: fieldValue,
    f: fc.constantFrom(true, true, true, false, null, 7),
  },
  { requiredKeys: [] },
);

/** A row of the PerWEC table: any of its status fields may be missing or of any type. */
export const collectorRow: fc.Arbitrary<CollectorRow> = fc
  .tuple(fc.integer({ min: 0, max: 60 }), status)
  .map(([number, returnedStatus]) => {
    const wec = `wec-${number}`;
    return {
      wec,
      activation: {
        inventory: { name: wec },
        obj: {},
        returned: returnedStatus,
        propagation: {},
      },
    };
  });

const filter = fc.option(fc.constant(fieldProgram('f')), { freq: 2 });
const limit = fc.constantFrom(1, 2, 3, 20);

function columns(prefix: string): fc.Arbitrary<readonly CompiledColumn[]> {
  return fc
    .array(fc.constantFrom(...FIELDS), { minLength: 1, maxLength: 2 })
    .map((fields) =>
      fields.map((field, index) => ({ name: `${prefix}${index}`, program: fieldProgram(field) })),
    );
}

const combinedFields = fc
  .array(fc.tuple(fc.constantFrom(...AGGREGATIONS), fc.constantFrom(...FIELDS)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((fields) =>
    fields.map(([type, field], index): CombinedField => {
      const name = `field${index}`;
      return type === 'COUNT' ? { name, type } : { name, type, subject: fieldProgram(field) };
    }),
  );

/** A plain selection. */
export const selectCollector: fc.Arbitrary<SelectCollector> = fc
  .record({ filter, limit, columns: columns('column') })
  .map(({ filter: where, ...rest }) => ({
    kind: 'select',
    ...rest,
    ...(where !== null && { filter: where }),
  }));

function aggregate(
  groupBy: fc.Arbitrary<readonly CompiledColumn[]>,
): fc.Arbitrary<AggregateCollector> {
  return fc
    .record({ filter, limit, groupBy, combinedFields })
    .map(({ filter: where, ...rest }) => ({
      kind: 'aggregate',
      ...rest,
      ...(where !== null && { filter: where }),
    }));
}

/** An aggregation without GROUP BY. */
export const aggregateCollector = aggregate(fc.constant([]));

/** An aggregation with GROUP BY. */
export const groupCollector = aggregate(columns('key'));
