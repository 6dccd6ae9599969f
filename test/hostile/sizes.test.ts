import { describe, expect, it } from 'vitest';
import { ownerPolicyUid, parseBinding } from '#shared/core/binding/binding.ts';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { readCollectorSpec } from '#shared/core/collector/collector-spec.ts';
import { longList } from '#shared/core/collector/messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { generationOf, metadataFaults, uidOf } from '#shared/core/metadata.ts';

const WEB = { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a', name: 'web' };
const LONG = 'a'.repeat(300_000);

function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_none, index) => make(index));
}

function bindingOf(destinations: readonly JsonValue[], namespaceScope: readonly JsonValue[]) {
  return parseBinding({ spec: { destinations, workload: { namespaceScope } } });
}

describe('a Binding', () => {
  it('with a million destinations counts the first 100,000 and says so first', () => {
    const destinations = many(1_000_000, (index) => ({ clusterId: `wec${index}` }));
    const parsed = bindingOf(destinations, []);
    expect(parsed.destinations).toHaveLength(100_000);
    expect(parsed.errors).toEqual([
      'spec.destinations: has 1000000 entries, and only the first 100000 count: use several Bindings',
    ]);
  });

  it('with 30,000 objects counts the first 20,000', () => {
    const parsed = bindingOf(
      [],
      many(30_000, (index) => ({ ...WEB, name: `web${index}` })),
    );
    expect(parsed.objects).toHaveLength(20_000);
    expect(parsed.errors).toEqual([
      'spec.workload.namespaceScope: has 30000 entries, and only the first 20000 count: use several Bindings',
    ]);
  });

  it('with 10,000 collectors for an object counts the first 100', () => {
    const statusCollectors = many(10_000, (index) => `c${String(index).padStart(5, '0')}`);
    const parsed = bindingOf([], [{ ...WEB, statusCollectors }]);
    expect(parsed.objects[0]?.modulation.statusCollectors).toEqual(statusCollectors.slice(0, 100));
    expect(parsed.errors).toEqual([
      'spec.workload.namespaceScope[0].statusCollectors: has 10000 entries, and only the first 100 count: name fewer StatusCollectors',
    ]);
  });

  it('with 10,000 collectors for many objects counts 1,000, the same ones for all', () => {
    const objects = many(100, (object) => ({
      ...WEB,
      name: `web${String(object).padStart(3, '0')}`,
      statusCollectors: many(100, (index) => `c${object}-${index}`),
    }));
    const again = { ...WEB, name: 'web999', statusCollectors: ['c0-0', 'c99-0'] };
    const parsed = bindingOf([], [...objects, again]);
    const named = parsed.objects.flatMap(({ modulation }) => modulation.statusCollectors);
    expect(new Set(named).size).toBe(1000);
    expect(parsed.objects.at(-1)?.modulation.statusCollectors).toEqual(['c0-0']);
    expect(parsed.errors).toEqual([
      'spec.workload: names 10000 StatusCollectors, and only 1000 count: use several Bindings',
    ]);
  });

  it.each<[string, JsonObject, RegExp]>([
    ['a name that fits no key', { name: LONG }, /name of the object must be 1 to 253/],
    ['a name that is two', { name: 'a/b' }, /name of the object must be/],
    ['a name that goes up', { name: '..' }, /name of the object must be/],
    ['a group', { group: LONG }, /group must be a DNS subdomain/],
    ['a resource', { resource: `deployments/${LONG}` }, /resource must be a plural name/],
    ['a namespace', { namespace: LONG }, /namespace must be a DNS label/],
    ['a version', { version: 'v1/../../../api' }, /\.version: must be a version such as v1/],
    ['a collector', { statusCollectors: [LONG] }, /statusCollectors\[0\]: must be the name/],
  ])('that has %s in an entry is told, and uses none of it', (_what, members, message) => {
    const parsed = bindingOf([{ clusterId: 'wec1' }], [{ ...WEB, ...members }]);
    expect(parsed.errors).toEqual([expect.stringMatching(message)]);
    expect(JSON.stringify(parsed).length).toBeLessThan(2000);
  });

  it.each([LONG, 'wec/1', 'wec#1', 'wec|1', 'wec 1'])('has no WEC %.10s', (clusterId) => {
    const { destinations, errors } = bindingOf([{ clusterId }], []);
    expect(destinations).toEqual([]);
    expect(errors).toEqual(['spec.destinations[0].clusterId: must be the name of a WEC']);
  });

  it('has no owner whose uid is none', () => {
    const owner = { kind: 'BindingPolicy', uid: LONG };
    expect(ownerPolicyUid({ metadata: { ownerReferences: [owner] } })).toBeUndefined();
  });
});

describe('what an API server says of an object', () => {
  it.each<[JsonValue, JsonValue, string, number]>([
    ['u', 3, 'u', 3],
    [LONG, -1, '', 0],
    [7, 1.5, '', 0],
    [{}, '3', '', 0],
    [null, 2 ** 60, '', 0],
    ['u', 10n ** 30n, 'u', 0],
  ])(
    '%.20j and %j are read as uid and generation',
    (...[uid, generation, readUid, readGeneration]) => {
      const object = { metadata: { name: 'p', uid, generation } };
      expect([uidOf(object), generationOf(object)]).toEqual([readUid, readGeneration]);
    },
  );

  it.each([parseBinding, parseBindingPolicy])('is told where it cannot be', (parse) => {
    const { errors } = parse({ metadata: { name: 'p', uid: LONG, generation: -1 }, spec: {} });
    expect(errors).toEqual([
      'metadata.uid: must be a string of at most 128 characters, none of them half of a surrogate pair',
      'metadata.generation: must be an integer, 0 or greater',
    ]);
    expect(metadataFaults({})).toEqual([]);
  });
});

describe('a StatusCollector', () => {
  const errorsOf = (spec: JsonObject): readonly string[] => {
    const reading = readCollectorSpec(spec);
    return reading.ok ? [] : reading.errors;
  };
  const column = (index: number): JsonObject => ({ name: `c${index}`, def: 'inventory.name' });

  it.each(['select', 'groupBy'])('with 10,000 columns in %s is refused with one error', (list) => {
    expect(errorsOf({ [list]: many(10_000, column) })).toEqual([
      `spec.${list}: ${longList(10000, 100)}`,
    ]);
  });

  it('may have a hundred columns', () => {
    expect(errorsOf({ select: many(100, column) })).toEqual([]);
  });

  it('with a column of a long name is refused', () => {
    expect(errorsOf({ select: [{ name: LONG, def: '1' }] })).toEqual([
      'spec.select[0].name: has 300000 characters; give at most 253',
    ]);
  });

  it.each([10n ** 400n, 2n ** 63n, -1, -(2n ** 63n)])('has no limit of %s', (limit) => {
    expect(errorsOf({ select: [column(1)], limit })).toEqual([
      expect.stringMatching(/^spec\.limit: must be a positive integer/),
    ]);
  });

  it('has a limit of 2^63 - 1 at most', () => {
    expect(errorsOf({ select: [column(1)], limit: 2n ** 63n - 1n })).toEqual([]);
  });
});
