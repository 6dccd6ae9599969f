import { describe, expect, it } from 'vitest';
import { checkObject } from '#shared/core/expression/check-object.ts';
import { compile } from '#shared/core/expression/compile.ts';
import { noField, noFieldSelection, notBool } from '#shared/core/expression/messages.ts';
import type { KindSchema } from '#shared/core/expression/object-field.ts';
import { type ObjectType, objectOf, STRING } from '#shared/core/expression/static-type.ts';
import { parseJson } from '#shared/core/json.ts';
import { crdSchema } from '#shared/core/schema/crd-schema.ts';

const RESOURCE = { group: 'example.com', version: 'v1', resource: 'shops' };
const DEFINITION = parseJson(`{
  "spec": {
    "group": "example.com",
    "names": {"kind": "Shop", "plural": "shops"},
    "versions": [{"name": "v1", "schema": {"openAPIV3Schema": {"type": "object", "properties": {
      "status": {"type": "object", "properties": {
        "phase": {"type": "string"}, "readyReplicas": {"type": "integer"}, "availableReplicas": {"type": "integer"}
      }},
      "spec": {"type": "object", "properties": {
        "replicas": {"type": "integer"},
        "ratio": {"type": "number"},
        "paused": {"type": "boolean"},
        "owner": {"type": "string"},
        "opened": {"type": "string", "format": "date-time"},
        "note": {"type": "string", "nullable": true},
        "port": {"x-kubernetes-int-or-string": true},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "limits": {"type": "object", "additionalProperties": {"x-kubernetes-int-or-string": true}},
        "template": {"type": "object", "nullable": true, "properties": {
          "image": {"type": "string"},
          "strategy": {"type": "object", "properties": {"type": {"type": "string"}}}
        }},
        "other": {"type": "object", "properties": {"image": {"type": "string"}}},
        "items": {"type": "array", "items": {"type": "object", "properties": {
          "name": {"type": "string"}, "ports": {"type": "array", "items": {"type": "integer"}}}}},
        "rooms": {"type": "object", "additionalProperties": {"type": "object", "properties": {
          "size": {"type": "number"}}}}
      }}
    }}}}]
  }
}`);

function schema(): KindSchema {
  const made = crdSchema(DEFINITION, RESOURCE);
  if (made === undefined) throw new Error('the definition defines shops');
  return made;
}

const SHOP = schema();

/** Column and message of each error. */
function errors(text: string): readonly string[] {
  const compilation = compile(text);
  if (!compilation.ok) throw new Error(`${text}: ${compilation.errors[0]?.message}`);
  return checkObject(compilation.program, SHOP).map(
    ({ column, message }) => `${column} ${message}`,
  );
}

describe('a field that cannot exist', () => {
  it.each([
    ['obj.spec.replica', `10 Shop ${noField('spec.replica', 'spec.replicas')}`],
    ['obj.spek.replicas', `5 Shop ${noField('spek', 'spec')}`],
    ['obj.spec.Replicas > 1', `10 Shop ${noField('spec.Replicas', 'spec.replicas')}`],
    ['has(obj.spec.pausd)', `14 Shop ${noField('spec.pausd', 'spec.paused')}`],
    ['1 == 1 && has(obj.spec.pausd)', `24 Shop ${noField('spec.pausd', 'spec.paused')}`],
    ['obj.spec.zebra', `10 Shop ${noField('spec.zebra')}`],
    ["obj['spec']['ratoi']", `1 Shop ${noField('spec.ratoi', 'spec.ratio')}`],
    ["'ratoi' in obj.spec", `1 Shop ${noField('spec.ratoi', 'spec.ratio')}`],
    ["obj.spec['a b']", '1 Shop has no field spec["a b"]'],
    ["obj['a b']", '1 Shop has no field ["a b"]'],
    ['obj.metadata.nmae', `14 Shop ${noField('metadata.nmae', 'metadata.name')}`],
    ['obj.spec.items[0].nam', `19 Shop ${noField('spec.items[].nam', 'spec.items[].name')}`],
    [
      'obj.spec.items.exists(i, i.nam == "x")',
      `28 Shop ${noField('spec.items[].nam', 'spec.items[].name')}`,
    ],
    [
      'obj.spec.items.filter(i, i.name == "x")[0].nam',
      `44 Shop ${noField('spec.items[].nam', 'spec.items[].name')}`,
    ],
    [
      'obj.spec.items.map(i, i).exists_one(j, has(j.nam))',
      `46 Shop ${noField('spec.items[].nam', 'spec.items[].name')}`,
    ],
    [
      '(obj.spec.items + obj.spec.items)[0].nam',
      `38 Shop ${noField('spec.items[].nam', 'spec.items[].name')}`,
    ],
    [
      '(obj.spec.paused ? obj.spec.other : obj.spec.other).imge',
      `53 Shop ${noField('spec.other.imge', 'spec.other.image')}`,
    ],
    ['obj.spec.rooms.kitchen.sise', `24 Shop ${noField('spec.rooms[].sise', 'spec.rooms[].size')}`],
    ["obj.spec.rooms['a b'].sise", `23 Shop ${noField('spec.rooms[].sise', 'spec.rooms[].size')}`],
    [
      'obj.metadata.ownerReferences[0].nam',
      `33 Shop ${noField('metadata.ownerReferences[].nam', 'metadata.ownerReferences[].name')}`,
    ],
  ])('%s', (text, error) => {
    expect(errors(text)).toEqual([error]);
  });

  it('is reported once, at its first place', () => {
    expect(errors('has(obj.spec.replica) && obj.spec.replica > 1')).toEqual([
      `14 Shop ${noField('spec.replica', 'spec.replicas')}`,
    ]);
  });

  it('is reported for each different field', () => {
    expect(errors('obj.spec.x.y + obj.spec.z')).toHaveLength(2);
  });

  it('is reported with its line', () => {
    const compilation = compile('1 == 1\n&& obj.spec.pausd');
    if (!compilation.ok) throw new Error('it compiles');
    expect(checkObject(compilation.program, SHOP)).toEqual([
      {
        code: 'type',
        line: 2,
        column: 13,
        message: `Shop ${noField('spec.pausd', 'spec.paused')}`,
      },
    ]);
  });

  it('is reported 20 times in one expression', () => {
    const names = Array.from({ length: 30 }, (_name, index) => `obj.spec.wrong${index}`);
    expect(errors(names.join(' + '))).toHaveLength(20);
  });

  it('is not taken for one that obj never has', () => {
    expect(errors('obj.statu')).toEqual([`5 Shop ${noField('statu')}`]);
    expect(errors('obj.metadata.resourceVersions')).toEqual([
      `14 Shop ${noField('metadata.resourceVersions')}`,
    ]);
  });

  it('is cut if it is very long', () => {
    expect(errors(`obj.spec.${'x'.repeat(200)}`)).toEqual([
      `10 Shop has no field spec.${'x'.repeat(100)}…`,
    ]);
  });
});

describe('a field that obj never has', () => {
  it.each([
    ['obj.status.phase', 'Shop has no status in expressions: use returned.status'],
    ['has(obj.status)', 'Shop has no status in expressions: use returned.status'],
    ["obj['status']", 'Shop has no status in expressions: use returned.status'],
    [
      'obj.metadata.resourceVersion',
      'Shop has no metadata.resourceVersion in expressions: it changes with every write of a status; use metadata.generation',
    ],
    [
      'obj.metadata.managedFields.size()',
      'Shop has no metadata.managedFields in expressions: they change with every write of a status',
    ],
  ])('%s', (text, message) => {
    expect(errors(text)).toEqual([expect.stringContaining(message)]);
  });
});

describe('types that do not go together', () => {
  it.each([
    ['obj.spec.owner + obj.spec.paused', "'_+_' applied to '(string, bool)'"],
    ['obj.spec.owner + 1', "'_+_' applied to '(string, int)'"],
    ['obj.spec.paused == "true"', "'_==_' applied to '(bool, string)'"],
    ['obj.spec.replicas == "3"', "'_==_' applied to '(number, string)'"],
    ['"3" == obj.spec.replicas', "'_==_' applied to '(string, number)'"],
    ['obj.spec.opened < timestamp("2026-01-01T00:00:00Z")', "'(string, timestamp)'"],
    ['size(obj.spec.replicas)', "'size' applied to '(number)'"],
    ['obj.spec == 3', "'(map(string, dyn), int)'"],
    ['3 == obj.spec', "'(int, map(string, dyn))'"],
    ['obj.spec.items["0"]', "'_[_]' applied to '(list(map(string, dyn)), string)'"],
    ['obj.spec.items[true]', "'_[_]' applied to '(list(map(string, dyn)), bool)'"],
    ['obj.spec[0]', "'_[_]' applied to '(map(string, dyn), int)'"],
    ['1 in obj.spec', "'@in' applied to '(int, map(string, dyn))'"],
    ['obj.spec.items == {}', "'(list(map(string, dyn)), map("],
    ['{} == obj.spec.items', "list(map(string, dyn)))'"],
    ['obj.spec.replicas.size', noFieldSelection('number')],
    ['obj.spec.replicas && true', notBool('number')],
    ['obj.spec.owner.all(c, true)', "expression of type 'string' cannot be range"],
    ['obj.metadata.labels.app == 1', "'_==_' applied to '(string, int)'"],
  ])('%s', (text, fault) => {
    expect(errors(text)).toEqual([expect.stringContaining('with obj of kind Shop: ')]);
    expect(errors(text)).toEqual([expect.stringContaining(fault)]);
    expect(errors(text)).toEqual([
      expect.stringMatching(/; convert one side, or compare values of the same type$/),
    ]);
  });
});

describe('what may be right', () => {
  it.each([
    'obj.spec.replicas == 3.0',
    'obj.spec.items[1.0].name == obj.spec.items[1u].name',
    'obj.spec.items[obj.spec.replicas].name == obj.spec.items[int(obj.spec.ratio)].name',
    'obj.spec.replicas > 1 && 2 < obj.spec.replicas',
    'obj.spec.replicas - int(returned.status.readyReplicas) > 0',
    'obj.spec.replicas * 2 > 3 || obj.spec.ratio * 2.0 > 3.5',
    'double(obj.spec.replicas) / 2.0 > obj.spec.ratio',
    'obj.spec.replicas in [1, 2] || obj.spec.ratio in [1.5]',
    '[obj.spec.replicas, 1, 2u].size() == 3',
    '-obj.spec.replicas < 0',
    'obj.spec.replicas != returned.status.availableReplicas',
    'obj.spec.port == 80 || obj.spec.port == "http"',
    'obj.spec.limits.cpu == "1" || obj.spec.limits.cpu == 1',
    'obj.spec.note == null || obj.spec.note == "x" || obj.spec.note + 1 > 2',
    'obj.spec.template == null || has(obj.spec.template.image)',
    'obj.spec.owner == null',
    '(obj.spec.paused ? obj.spec.owner : null) == null',
    'obj.spec.free.anything.at[0].all + obj.spec.free',
    'timestamp(obj.spec.opened) < timestamp("2026-01-01T00:00:00Z")',
    'obj.metadata.labels.exists(k, k.startsWith("app") && obj.metadata.labels[k] == "x")',
    '"app" in obj.metadata.labels && has(obj.metadata.labels.app)',
    'obj.spec.exists(field, field == "x" || obj.spec[field] == 3)',
    'obj.metadata.name in obj.spec',
    'obj.spec.template == obj.spec.other || obj.spec.template == {"image": "x"}',
    '{"a": 1} == obj.spec.template',
    'obj.spec.template == obj.spec.rooms',
    '(obj.spec.paused ? obj.spec.template : obj.spec.other).anything',
    '[obj.spec.template, obj.spec.other][0].anything',
    'obj.spec.items.all(i, i.ports.exists(p, p > 80))',
    'size(obj.spec) > 1 && size(obj.spec.items) > 1',
    'dyn(obj.spec).replica',
    'dyn(obj).status',
    'obj.kind + "/" + obj.apiVersion == "" && type(obj.spec) == map',
    'obj.metadata.generation == 1',
    'returned.status.phase == "Open" && inventory.name == "x"',
    'returned.spec.replicas == obj.spec.replicas && returned.metadata.generation > 1',
    'dyn(returned.status).whatever',
  ])('%s', (text) => {
    expect(errors(text)).toEqual([]);
  });
});

it('says why a text that is not an expression cannot be checked', () => {
  const program = { text: 'obj.', variables: new Set(['obj'] as const) };
  expect(checkObject(program, SHOP)).toMatchObject([{ code: 'syntax', line: 1 }]);
});

describe('what WECs return', () => {
  const status = objectOf(new Map([['phase', STRING]]));
  const returned: ObjectType = { ...objectOf(new Map([['status', status]])), path: 'returned' };
  const program = { text: 'returned.status.phas', variables: new Set(['returned'] as const) };
  const kind = { kind: 'Thing', obj: objectOf(new Map()) };

  it('is checked if it is known', () => {
    expect(checkObject(program, { ...kind, returned })).toMatchObject([
      { message: `Thing ${noField('returned.status.phas', 'returned.status.phase')}` },
    ]);
    expect(checkObject(program, kind)).toEqual([]);
    const other = { text: 'inventory.name', variables: new Set(['inventory'] as const) };
    expect(checkObject(other, { ...kind, returned })).toEqual([]);
  });
});
