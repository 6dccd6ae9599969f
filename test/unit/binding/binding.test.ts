import { describe, expect, it } from 'vitest';
import { ownerPolicyUid, parseBinding } from '#shared/core/binding/binding.ts';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import {
  CORE_GROUP,
  fieldsMissing,
  NO_COLLECTOR_NAME,
  NO_NAMESPACE,
  NO_REFERENCE,
  NO_WEC_NAME,
  outdatedCollection,
} from '#shared/core/binding/messages.ts';
import {
  misspeltField,
  NO_FLAG,
  NO_LIST,
  NO_QUOTES,
  noObjectWith,
  unknownField,
} from '#shared/core/field-messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import { objectKey } from '#shared/core/workload.ts';

const WEB = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
const ROLE = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource: 'clusterroles',
  name: 'reader',
};
const NOTHING_WANTED = {
  statusCollectors: [],
  wantSingletonReportedState: false,
  wantMultiWECReportedState: false,
};

function binding(spec: JsonValue): JsonObject {
  return { kind: 'Binding', metadata: { name: 'nginx' }, spec };
}

describe('parseBinding', () => {
  it('reads destinations and objects of both scopes, sorted, each once', () => {
    const parsed = parseBinding(
      binding({
        destinations: [{ clusterId: 'wec2' }, { clusterId: 'wec1' }, { clusterId: 'wec2' }],
        workload: {
          clusterScope: [ROLE],
          namespaceScope: [
            { ...WEB, statusCollectors: ['b', 'a', 'b'], wantMultiWECReportedState: true },
            { ...WEB, name: 'api' },
          ],
        },
      }),
    );
    expect(parsed).toEqual({
      destinations: ['wec1', 'wec2'],
      objects: [
        { ...WEB, name: 'api', modulation: NOTHING_WANTED },
        {
          ...WEB,
          modulation: {
            statusCollectors: ['a', 'b'],
            wantSingletonReportedState: false,
            wantMultiWECReportedState: true,
          },
        },
        { ...ROLE, namespace: '', modulation: NOTHING_WANTED },
      ],
      errors: [],
      outdated: [],
    });
    expect(parsed.objects.map(objectKey)).toEqual([
      'apps/deployments/shop/api',
      'apps/deployments/shop/web',
      'rbac.authorization.k8s.io/clusterroles//reader',
    ]);
  });

  it('gives an object that is named twice the union of what is asked for it', () => {
    const first = { ...WEB, statusCollectors: ['b'], wantSingletonReportedState: true };
    const second = { ...WEB, statusCollectors: ['a', 'b'], wantMultiWECReportedState: true };
    const both = {
      statusCollectors: ['a', 'b'],
      wantSingletonReportedState: true,
      wantMultiWECReportedState: true,
    };
    for (const namespaceScope of [
      [first, second],
      [second, first],
    ])
      expect(parseBinding(binding({ workload: { namespaceScope } })).objects).toEqual([
        { ...WEB, modulation: both },
      ]);
  });

  it.each<[string, JsonValue]>([
    ['no spec', null],
    ['an empty spec', {}],
    ['nulls', { destinations: null, workload: { clusterScope: null, namespaceScope: null } }],
    ['a null workload', { workload: null }],
  ])('takes %s for nothing, without an error', (_what, spec) => {
    expect(parseBinding(binding(spec))).toEqual({
      destinations: [],
      objects: [],
      errors: [],
      outdated: [],
    });
  });

  it('takes the core group from an entry without one', () => {
    const { group: _group, ...entry } = WEB;
    const { objects } = parseBinding(binding({ workload: { namespaceScope: [entry] } }));
    expect(objects[0]?.group).toBe('');
  });

  it.each<[JsonValue, readonly string[]]>([
    [{ destinations: 'wec1' }, [`spec.destinations: ${NO_LIST}`]],
    [
      { destinations: ['wec1', { clusterId: '' }, { clusterId: 3 }] },
      [0, 1, 2].map((index) => `spec.destinations[${index}].clusterId: ${NO_WEC_NAME}`),
    ],
    [{ workload: { clusterScope: {} } }, [`spec.workload.clusterScope: ${NO_LIST}`]],
    [{ workload: { clusterScope: ['web'] } }, [`spec.workload.clusterScope[0]: ${NO_REFERENCE}`]],
    [
      { workload: { namespaceScope: [{ version: 'v1', resource: 3, name: '' }] } },
      [`spec.workload.namespaceScope[0]: ${fieldsMissing('resource, namespace, name')}`],
    ],
  ])('reports %o', (spec, errors) => {
    expect(parseBinding(binding(spec)).errors).toEqual(errors);
  });

  it.each<[JsonObject, string]>([
    [{ spec: 'all' }, `spec: ${noObjectWith('destinations, workload')}`],
    [{ specs: {} }, `specs: ${misspeltField('spec')}`],
    [{ spec: { destination: [] } }, `spec.destination: ${misspeltField('destinations')}`],
    [
      { spec: { workload: 'all' } },
      `spec.workload: ${noObjectWith('clusterScope, namespaceScope')}`,
    ],
    [
      { spec: { workload: { objects: [] } } },
      `spec.workload.objects: ${unknownField('clusterScope, namespaceScope')}`,
    ],
    [
      { spec: { destinations: [{ clusterId: 'a', name: 'b' }] } },
      `spec.destinations[0].name: ${unknownField('clusterId')}`,
    ],
    [
      { spec: { workload: { namespaceScope: [{ ...WEB, statusCollector: ['c'] }] } } },
      `spec.workload.namespaceScope[0].statusCollector: ${misspeltField('statusCollectors')}`,
    ],
    [
      { spec: { workload: { clusterScope: [{ ...ROLE, namespace: 'shop' }] } } },
      `spec.workload.clusterScope[0].namespace: ${NO_NAMESPACE}`,
    ],
  ])('reports an unknown member: %j', (members, error) => {
    expect(parseBinding({ kind: 'Binding', ...members }).errors).toEqual([error]);
  });

  it('does not count an entry whose group is not a string as one of the core group', () => {
    const namespaceScope = [
      { ...WEB, group: 7 },
      { ...WEB, name: 'api' },
    ];
    const { objects, errors } = parseBinding(binding({ workload: { namespaceScope } }));
    expect(objects.map(({ name }) => name)).toEqual(['api']);
    expect(errors).toEqual([`spec.workload.namespaceScope[0].group: ${CORE_GROUP}`]);
  });

  it('has nothing to say of a Binding that KubeStellar has written', () => {
    const entry = { ...WEB, resourceVersion: '7', createOnly: true, statusCollectors: ['a'] };
    const spec = {
      destinations: [{ clusterId: 'wec1' }],
      workload: { namespaceScope: [{ ...entry, wantMultiWECReportedState: true }] },
    };
    expect(parseBinding({ ...binding(spec), apiVersion: 'v1', status: {} }).errors).toEqual([]);
  });

  it('lists a hundred errors, then the number of the others', () => {
    const namespaceScope = Array.from({ length: 3000 }, () => 'web');
    const { errors } = parseBinding(binding({ workload: { namespaceScope } }));
    expect([errors.length, errors.at(-1)]).toEqual([101, 'and 2900 more errors']);
  });

  it('uses an entry with a wrong modulation all the same', () => {
    const entry = {
      ...WEB,
      createOnly: 'no',
      resourceVersion: 3,
      statusCollectors: ['a', '', 3],
      wantSingletonReportedState: 'yes',
      wantMultiWECReportedState: null,
    };
    const parsed = parseBinding(binding({ workload: { namespaceScope: [entry] } }));
    const field = 'spec.workload.namespaceScope[0]';
    expect(parsed.errors).toEqual([
      `${field}.createOnly: ${NO_FLAG}`,
      `${field}.resourceVersion: ${NO_QUOTES}`,
      `${field}.statusCollectors[1]: ${NO_COLLECTOR_NAME}`,
      `${field}.statusCollectors[2]: ${NO_COLLECTOR_NAME}`,
      `${field}.wantSingletonReportedState: ${NO_FLAG}`,
    ]);
    expect(parsed.objects).toEqual([
      { ...WEB, modulation: { ...NOTHING_WANTED, statusCollectors: ['a'] } },
    ]);
  });
});

describe('the outdated statusCollection of a Binding', () => {
  const field = 'spec.workload.namespaceScope[0]';
  const parse = (more: JsonObject) =>
    parseBinding(binding({ workload: { namespaceScope: [{ ...WEB, ...more }] } }));

  it('is read as if its names stood directly in the entry, and told', () => {
    const { objects, errors, outdated } = parse({
      statusCollectors: ['b', 'c'],
      statusCollection: { statusCollectors: ['b', 'a'] },
    });
    expect(objects[0]?.modulation.statusCollectors).toEqual(['a', 'b', 'c']);
    expect(errors).toEqual([]);
    expect(outdated).toEqual([outdatedCollection(field)]);
  });

  it('is named if it is wrong', () => {
    const { objects, errors } = parse({ statusCollection: { statusCollectors: 'a' } });
    expect(objects[0]?.modulation).toEqual(NOTHING_WANTED);
    expect(errors).toEqual([`${field}.statusCollection.statusCollectors: ${NO_LIST}`]);
  });

  it.each<[JsonValue, string]>([
    [['a'], `: ${noObjectWith('statusCollectors')}`],
    [{ statusCollector: ['a'] }, `.statusCollector: ${misspeltField('statusCollectors')}`],
  ])('reports the error if it is %j', (statusCollection, error) => {
    const { objects, errors } = parse({ statusCollection });
    expect(objects[0]?.modulation).toEqual(NOTHING_WANTED);
    expect(errors).toEqual([`${field}.statusCollection${error}`]);
  });

  it.each([{}, { statusCollection: null }])('is not reported if it is absent: %o', (more) => {
    expect(parse(more)).toMatchObject({ errors: [], outdated: [] });
  });
});

describe('ownerPolicyUid', () => {
  it.each<[JsonValue, string | undefined]>([
    [
      [
        { kind: 'Other', uid: 'a' },
        { kind: 'BindingPolicy', uid: 'b' },
      ],
      'b',
    ],
    [[{ kind: 'Other', uid: 'a' }], undefined],
    [[{ kind: 'BindingPolicy' }], undefined],
    [{}, undefined],
  ])('of owners %o is %s', (ownerReferences, uid) => {
    expect(ownerPolicyUid({ metadata: { ownerReferences } })).toBe(uid);
  });
});

describe('createDestinations', () => {
  it('holds the names as a list and as a set', () => {
    const { hash, names, set } = createDestinations('h', ['wec1', 'wec2']);
    expect([hash, names, set]).toEqual(['h', ['wec1', 'wec2'], new Set(['wec1', 'wec2'])]);
  });
});
