import { describe, expect, it } from 'vitest';
import { BUILT_IN_RESOURCES } from '#local/simulated-cluster/built-in-resources.ts';
import { schemaFaults } from '#local/simulated-cluster/schema-validation.ts';
import { Float, type JsonObject, type JsonValue } from '#shared/core/json.ts';

function schemaOf(resource: string): JsonObject {
  const definition = BUILT_IN_RESOURCES.find((one) => one.resource === resource);
  return definition?.schema ?? {};
}

function faults(resource: string, object: JsonObject, stored?: JsonObject): readonly string[] {
  const found = schemaFaults(schemaOf(resource), object, stored);
  return found.map(({ field, message }) => `${field}: ${message}`);
}

const COLUMN = { name: 'wec', def: 'inventory.name' };
const spec = (...groupBy: readonly JsonValue[]): JsonObject => ({ spec: { groupBy, limit: 3 } });

describe('an object of a CustomResourceDefinition', () => {
  it('is valid if its schema accepts it', () => {
    expect(faults('statuscollectors', spec(COLUMN))).toEqual([]);
    expect(
      faults('statuscollectors', { spec: { limit: new Float(3), groupBy: [COLUMN] } }),
    ).toEqual([]);
    expect(
      faults('statuscollectors', { ...spec(COLUMN), status: { observedGeneration: 2n } }),
    ).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    [
      'statuscollectors',
      spec({ ...COLUMN, name: false }),
      [
        'spec.groupBy[0].name: Invalid value: "boolean": spec.groupBy[0].name in body must be of type string: "boolean"',
      ],
    ],
    ['statuscollectors', spec(COLUMN, { def: 'a' }), ['spec.groupBy[1].name: Required value']],
    [
      'statuscollectors',
      { spec: { limit: 1.5 } },
      ['spec.limit: Invalid value: "number": spec.limit in body must be of type integer: "number"'],
    ],
    [
      'statuscollectors',
      spec(null, []),
      [
        'spec.groupBy[0]: Invalid value: "null": spec.groupBy[0] in body must be of type object: "null"',
        'spec.groupBy[1]: Invalid value: "array": spec.groupBy[1] in body must be of type object: "array"',
      ],
    ],
  ])('is rejected with each fault: %s %#', (resource, object, expected) => {
    expect(faults(resource, object)).toEqual(expected);
  });

  it('may keep a fault that is stored, but not get another one', () => {
    const bad = { ...COLUMN, name: false };
    expect(faults('statuscollectors', { ...spec(bad), kind: 'x' }, spec(bad))).toEqual([]);
    expect(faults('statuscollectors', spec(bad, bad), spec(bad))).toEqual([
      expect.stringContaining('spec.groupBy[1].name'),
    ]);
  });
});

describe('a schema', () => {
  const of = (properties: JsonObject, object: JsonObject): readonly string[] =>
    schemaFaults({ type: 'object', properties }, object).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  it('has the extensions of Kubernetes', () => {
    const either = { 'x-kubernetes-int-or-string': true };
    expect(of({ a: either, b: either, c: either }, { a: 1, b: '1%', c: 1.5 })).toEqual([
      'c: Invalid value: 1.5: c in body must be of type integer or string',
    ]);
    const items = { type: 'object', properties: { name: { type: 'string' } } };
    const map = {
      type: 'array',
      items,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    const set = { type: 'array', 'x-kubernetes-list-type': 'set' };
    const atomic = { type: 'array', 'x-kubernetes-list-type': 'atomic' };
    const list = [{ name: 'a' }, { name: 'a', value: 1 }];
    expect(of({ map, set, atomic }, { map: list, set: list, atomic: [1, 1] })).toEqual([
      `map: Duplicate value: ${JSON.stringify(list)}`,
    ]);
    expect(of({ set }, { set: [1, 1] })).toEqual(['set: Duplicate value: [1,1]']);
    expect(of({ 'a/b': { type: 'string', nullable: true } }, { 'a/b': null })).toEqual([]);
    expect(of({ a: { type: 'string', enum: ['b', 'c'] } }, { a: 'd' })).toEqual([
      'a: Unsupported value: "d": supported values: "b", "c"',
    ]);
    expect(of({ 'a/b': { type: 'string' } }, { 'a/b': 1 })).toHaveLength(1);
  });

  it.each(['bindings', 'bindingpolicies', 'statuscollectors', 'combinedstatuses'])(
    'of KubeStellar is compiled: %s',
    (resource) => {
      expect(faults(resource, { status: 1, spec: 1, results: 1 })).not.toEqual([]);
    },
  );

  it('that the validator cannot compile accepts every object', () => {
    expect(of({ a: { type: 'string', pattern: '(?<' } }, { a: 'b' })).toEqual([]);
  });
});
