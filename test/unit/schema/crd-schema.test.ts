import { describe, expect, it } from 'vitest';
import { checkObject } from '#shared/core/expression/check-object.ts';
import { compile } from '#shared/core/expression/compile.ts';
import { noField } from '#shared/core/expression/messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { crdSchema, unknownSchema } from '#shared/core/schema/crd-schema.ts';
import { definitionName, isDefinition } from '#shared/core/schema/definition-name.ts';

const RESOURCE = { group: 'example.com', version: 'v1', resource: 'shops' };

function definition(openAPIV3Schema: JsonValue, more: JsonObject = {}): JsonObject {
  return {
    metadata: { name: 'shops.example.com' },
    spec: {
      group: 'example.com',
      names: { kind: 'Shop', plural: 'shops' },
      versions: [
        { name: 'v1alpha1', schema: { openAPIV3Schema: { type: 'object' } } },
        { name: 'v1', schema: { openAPIV3Schema } },
      ],
      ...more,
    },
  };
}

/** A definition whose spec has one field, `part`. */
function withPart(part: JsonValue): JsonObject {
  const spec = { type: 'object', properties: { part } };
  return definition({ type: 'object', properties: { spec } });
}

function isAllowed(made: JsonObject, text: string): boolean {
  const schema = crdSchema(made, RESOURCE);
  const compilation = compile(text);
  if (schema === undefined || !compilation.ok) throw new Error(text);
  return checkObject(compilation.program, schema).length === 0;
}

describe('a field of a custom resource', () => {
  it.each([
    ['a string', { type: 'string' }, ['obj.spec.part + "x" == ""'], ['obj.spec.part == 1']],
    ['an integer', { type: 'integer' }, ['obj.spec.part == 1.5'], ['obj.spec.part == "1"']],
    ['a number', { type: 'number' }, ['obj.spec.part == 1'], ['obj.spec.part == true']],
    ['a boolean', { type: 'boolean' }, ['!obj.spec.part'], ['obj.spec.part == 1']],
    ['a nullable string', { type: 'string', nullable: true }, ['obj.spec.part + 1 > 0'], []],
    [
      'an integer or string',
      { 'x-kubernetes-int-or-string': true, type: 'string' },
      ['obj.spec.part == 1', 'obj.spec.part == ""'],
      [],
    ],
    [
      'an embedded resource',
      {
        type: 'object',
        properties: { spec: { type: 'object' } },
        'x-kubernetes-embedded-resource': true,
      },
      ['obj.spec.part.metadata.name == ""'],
      [],
    ],
    [
      'an object that preserves what it does not name',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        'x-kubernetes-preserve-unknown-fields': true,
      },
      ['obj.spec.part.b.c == 1'],
      ['obj.spec.part.a == 1'],
    ],
    ['an object that names nothing', { type: 'object' }, ['obj.spec.part.a == 1'], []],
    ['an object without fields', { type: 'object', properties: {} }, ['obj.spec.part.a == 1'], []],
    [
      'an object with fields and others',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: true },
      ['obj.spec.part.b == 1'],
      ['obj.spec.part.a == 1'],
    ],
    [
      'an object with fields and others of a type',
      {
        type: 'object',
        properties: { a: { type: 'string' } },
        additionalProperties: { type: 'string' },
      },
      ['obj.spec.part.b == 1'],
      ['obj.spec.part.a == 1'],
    ],
    [
      'an object with fields alone',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      ['obj.spec.part.a == ""'],
      ['obj.spec.part.b == 1'],
    ],
    ['a free map', { type: 'object', additionalProperties: true }, ['obj.spec.part.a == 1'], []],
    [
      'a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      ['obj.spec.part.a == ""', '"x" in obj.spec.part'],
      ['obj.spec.part.a == 1', '1 in obj.spec.part'],
    ],
    [
      'a list',
      { type: 'array', items: { type: 'string' } },
      ['obj.spec.part[0] == ""', '"x" in obj.spec.part'],
      ['obj.spec.part[0] == 1', '1 in obj.spec.part', 'obj.spec.part.a == 1'],
    ],
    ['a list of anything', { type: 'array' }, ['obj.spec.part[0].x == 1'], ['obj.spec.part == 1']],
    ['a part without a type', { description: 'x' }, ['obj.spec.part.a[0] == 1'], []],
    ['a part that is no schema', true, ['obj.spec.part.a[0] == 1'], []],
    [
      'a field with the name of a method',
      { type: 'object', properties: { constructor: { type: 'string' } } },
      ['obj.spec.part.constructor == ""'],
      ['obj.spec.part.toString == ""'],
    ],
  ])('%s', (...[, part, allowed, refused]) => {
    const made = withPart(part);
    expect(allowed.filter((text) => !isAllowed(made, text))).toEqual([]);
    expect(refused.filter((text) => isAllowed(made, text))).toEqual([]);
    expect(isAllowed(made, 'obj.spec.prt == 1')).toBe(false);
  });
});

describe('the object itself', () => {
  it('has apiVersion, kind and metadata, whatever the schema says of them', () => {
    const made = definition({
      type: 'object',
      properties: {
        apiVersion: { type: 'integer' },
        metadata: { type: 'object', properties: { name: { type: 'integer' } } },
      },
    });
    expect(isAllowed(made, 'obj.apiVersion + obj.kind + obj.metadata.namespace == ""')).toBe(true);
    expect(isAllowed(made, 'obj.metadata.nmespace == ""')).toBe(false);
    expect(isAllowed(made, 'obj.spec == ""')).toBe(false);
  });

  it.each([
    ['its version has no schema', definition(null)],
    ['its schema has no type', definition({ properties: { spec: { type: 'string' } } })],
    [
      'what its schema does not name is preserved',
      definition(
        { type: 'object', properties: { x: { type: 'string' } } },
        { preserveUnknownFields: true },
      ),
    ],
    ['its version is not there', definition({}, { versions: [{ name: 'v2' }] })],
    ['it has no versions', definition({}, { versions: null })],
  ])('is not known beyond its metadata when %s', (_why, made) => {
    expect(crdSchema(made, RESOURCE)?.kind).toBe('Shop');
    expect(isAllowed(made, 'obj.spec.anything == 1')).toBe(true);
    expect(isAllowed(made, 'obj.metadata.nmae == ""')).toBe(false);
    expect(isAllowed(made, 'obj.status == 1')).toBe(false);
  });

  it.each([
    ['apiextensions.k8s.io/v1', undefined, true],
    ['apiextensions.k8s.io/v1', null, true],
    ['apiextensions.k8s.io/v1', true, false],
    ['apiextensions.k8s.io/v1beta1', undefined, false],
    ['apiextensions.k8s.io/v1beta1', null, false],
    ['apiextensions.k8s.io/v1beta1', true, false],
    ['apiextensions.k8s.io/v1beta1', false, true],
  ])(
    'defined by %s with preserveUnknownFields %s is known beyond its metadata: %s',
    (...[apiVersion, preserves, isKnown]) => {
      const schema = { type: 'object', properties: { x: { type: 'string' } } };
      const more = preserves === undefined ? {} : { preserveUnknownFields: preserves };
      const made = { apiVersion, ...definition(schema, more) };
      expect(isAllowed(made, 'obj.anything == 1')).toBe(!isKnown);
    },
  );

  it('is looked into 100 levels deep, and no deeper', () => {
    const nested = (levels: number): JsonObject =>
      levels === 0
        ? { type: 'object', properties: { leaf: { type: 'string' } } }
        : { type: 'object', properties: { a: nested(levels - 1) } };
    const path = (levels: number): string => `obj${'.a'.repeat(levels)}`;
    expect(isAllowed(definition(nested(99)), `${path(99)}.laef == ""`)).toBe(false);
    expect(isAllowed(definition(nested(200)), `${path(200)}.laef == ""`)).toBe(true);
    expect(isAllowed(definition(nested(200)), `${path(99)}.b == ""`)).toBe(false);
    expect(crdSchema(definition(nested(4_000)), RESOURCE)).toBeDefined();
  });
});

it.each([
  ['nothing', undefined],
  ['another kind of object', { spec: {} }],
  ['another group', definition({}, { group: 'example.org' })],
  ['another resource', definition({}, { names: { kind: 'Shop', plural: 'shop' } })],
  ['no kind', definition({}, { names: { plural: 'shops' } })],
])('is not defined by %s', (_what, made) => {
  expect(crdSchema(made, RESOURCE)).toBeUndefined();
});

it('calls a kind that nothing defines by its resource', () => {
  expect(unknownSchema(RESOURCE).kind).toBe('shops.example.com');
  expect(unknownSchema({ group: '', version: 'v2', resource: 'pods' }).kind).toBe('pods');
});

it.each([
  ['returned.status.notAfer', ` ${noField('returned.status.notAfer', 'returned.status.notAfter')}`],
  [
    'returned.status.conditions.exists(c, c.typ == "Ready")',
    ` ${noField('returned.status.conditions[].typ', 'returned.status.conditions[].type')}`,
  ],
  ['returned.meta.uid', ` ${noField('returned.meta', 'returned.metadata')}`],
  ['returned.st', ` ${noField('returned.st')}`],
  ['has(returned.status.renewalTime) && obj.spec.anything == returned.spec.anything', undefined],
])('knows the status of a Certificate, for which there is a rule: %s', (text, fault) => {
  const version = 'v1';
  const schema = unknownSchema({ group: 'cert-manager.io', version, resource: 'certificates' });
  const compilation = compile(text);
  if (!compilation.ok) throw new Error(text);
  const messages = checkObject(compilation.program, schema).map(({ message }) => message);
  expect(messages).toEqual(fault === undefined ? [] : [`certificates.cert-manager.io${fault}`]);
});

it('knows what a definition is called, and what is one', () => {
  const name = definitionName(RESOURCE);
  expect(name).toEqual({
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    namespace: '',
    name: 'shops.example.com',
  });
  expect(isDefinition(name)).toBe(true);
  expect(isDefinition({ ...name, group: 'example.com' })).toBe(false);
  expect(isDefinition({ ...name, resource: 'shops' })).toBe(false);
});
