import { describe, expect, it } from 'vitest';
import { type BindingPolicy, parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import {
  CORE_GROUP,
  NO_COLLECTOR_NAME,
  noTest,
  outdatedCollection,
} from '#shared/core/binding/messages.ts';
import {
  misspeltField,
  NO_FLAG,
  NO_LIST,
  NO_OBJECT,
  NO_QUOTES,
  noObjectWith,
  unknownField,
} from '#shared/core/field-messages.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOTHING_ASKED = {
  createOnly: false,
  statusCollectors: [],
  wantSingletonReportedState: false,
  wantMultiWECReportedState: false,
};

function policy(spec: JsonValue): BindingPolicy {
  return parseBindingPolicy({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'nginx', uid: 'policy-uid', generation: 3 },
    spec,
  });
}

function clause(value: JsonValue): BindingPolicy {
  return policy({ downsync: [value] });
}

describe('parseBindingPolicy', () => {
  it('reads what it is, its selectors and its clauses', () => {
    const read = policy({
      clusterSelectors: [{ matchLabels: { 'location-group': 'edge' } }, {}],
      downsync: [
        {
          apiGroup: 'apps',
          resources: ['deployments'],
          namespaces: ['shop', 'shop'],
          objectNames: ['web'],
          objectSelectors: [{ matchLabels: { a: 'b' } }],
          namespaceSelectors: [{ matchLabels: { c: 'd' } }],
          createOnly: true,
          statusCollectors: ['b', 'a', 'b'],
          wantSingletonReportedState: true,
          wantMultiWECReportedState: true,
        },
      ],
    });
    expect(read).toMatchObject({
      name: 'nginx',
      uid: 'policy-uid',
      generation: 3,
      errors: [],
      outdated: [],
      clusterSelectors: [{ isEmpty: false }, { isEmpty: true }],
      clauses: [
        {
          test: {
            exact: {
              name: new Set(['web']),
              namespace: new Set(['shop']),
              resource: new Set(['deployments']),
              group: new Set(['apps']),
            },
            objectSelectors: [{ keys: new Set(['a']) }],
            namespaceSelectors: [{ keys: new Set(['c']) }],
          },
          modulation: {
            createOnly: true,
            statusCollectors: ['a', 'b'],
            wantSingletonReportedState: true,
            wantMultiWECReportedState: true,
          },
        },
      ],
    });
  });

  it.each<[JsonValue]>([
    [{ resources: [] }],
    [{ resources: ['*', 'pods'], namespaces: ['*'], objectNames: ['*'], apiGroup: null }],
    [{ objectSelectors: [{ matchLabels: { a: 'b' } }, {}], namespaceSelectors: [{}] }],
    [{ objectSelectors: [], namespaceSelectors: [], statusCollectors: null, createOnly: null }],
  ])('reads %j as a clause that lets everything pass and asks for nothing', (value) => {
    const { clauses, errors } = clause(value);
    expect(errors).toEqual([]);
    expect(clauses).toMatchObject([
      {
        test: {
          exact: { name: undefined, namespace: undefined, resource: undefined, group: undefined },
          objectSelectors: undefined,
          namespaceSelectors: undefined,
        },
        modulation: NOTHING_ASKED,
      },
    ]);
  });

  it('distinguishes the core group from any group', () => {
    expect(clause({ apiGroup: '' }).clauses[0]?.test.exact.group).toEqual(new Set(['']));
  });

  it.each<[JsonValue, readonly string[]]>([
    ['pods', [`: ${NO_OBJECT}`]],
    [
      { statusCollectors: ['a'], apiGroup: null },
      [
        `: ${noTest('apiGroup, resources, namespaces, objectNames, objectSelectors, namespaceSelectors')}`,
      ],
    ],
    [
      { resources: ['pods'], objectSelector: { a: 'b' } },
      [`.objectSelector: ${misspeltField('objectSelectors')}`],
    ],
    [{ apiGroup: 7 }, [`.apiGroup: ${CORE_GROUP}, leave it out for any`]],
    [{ resources: 'pods' }, [`.resources: ${NO_LIST}`]],
    [{ namespaces: ['a', 7] }, [`.namespaces[1]: ${NO_QUOTES}`]],
    [{ resources: [], objectSelectors: {} }, [`.objectSelectors: ${NO_LIST}`]],
    [{ resources: [], createOnly: 'yes' }, [`.createOnly: ${NO_FLAG}`]],
    [
      { resources: [], statusCollectors: ['a', ''] },
      [`.statusCollectors[1]: ${NO_COLLECTOR_NAME}`],
    ],
    [
      { resources: [], statusCollection: ['a'] },
      [`.statusCollection: ${noObjectWith('statusCollectors')}`],
    ],
    [
      { resources: [], statusCollection: { statusCollector: ['b'] } },
      [`.statusCollection.statusCollector: ${misspeltField('statusCollectors')}`],
    ],
    [
      { resources: [], kinds: ['Pod'] },
      [
        `.kinds: ${unknownField('apiGroup, resources, namespaces, objectNames, objectSelectors, namespaceSelectors, createOnly, statusCollectors, wantSingletonReportedState, wantMultiWECReportedState')}`,
      ],
    ],
  ])('of a clause %j reports the error and does not use it', (value, expected) => {
    const { clauses, errors } = clause(value);
    expect(errors).toEqual(expected.map((error) => `spec.downsync[0]${error}`));
    expect(clauses).toEqual([]);
  });

  it('uses the clauses beside one with a fault', () => {
    const { clauses, errors } = policy({ downsync: [{}, { resources: ['pods'] }] });
    expect(errors).toHaveLength(1);
    expect(clauses).toHaveLength(1);
  });

  it('uses the selectors beside one with a fault', () => {
    const faulty = { matchLabels: { a: 7 } };
    const { clauses, errors } = clause({
      objectSelectors: [faulty, { matchLabels: { a: 'b' } }],
      namespaceSelectors: [{ matchLabels: { c: 'd' } }, faulty],
    });
    expect(clauses[0]?.test.objectSelectors).toHaveLength(1);
    expect(clauses[0]?.test.namespaceSelectors).toHaveLength(1);
    expect(errors).toEqual([
      expect.stringMatching(/^spec\.downsync\[0\]\.objectSelectors\[0\]\.matchLabels\["a"\]: /),
      expect.stringMatching(/^spec\.downsync\[0\]\.namespaceSelectors\[1\]\.matchLabels\["a"\]: /),
    ]);
  });

  it('never takes a list of faulty selectors for one that lets everything pass', () => {
    const { clauses, clusterSelectors } = policy({
      clusterSelectors: [{ matchLabel: {} }],
      downsync: [{ objectSelectors: [null], namespaceSelectors: [{ matchLabel: {} }] }],
    });
    expect(clusterSelectors).toEqual([]);
    expect(clauses[0]?.test).toMatchObject({ objectSelectors: [], namespaceSelectors: [] });
  });

  it('accepts collectors in the nested spelling, beside those of the present one, and reports it', () => {
    const { clauses, errors, outdated } = clause({
      resources: ['pods'],
      statusCollectors: ['b'],
      statusCollection: { statusCollectors: ['c', 'a', 'b'] },
    });
    expect(errors).toEqual([]);
    expect(clauses[0]?.modulation.statusCollectors).toEqual(['a', 'b', 'c']);
    expect(outdated).toEqual([outdatedCollection('spec.downsync[0]')]);
  });

  it('takes an empty nested spelling for none', () => {
    expect(clause({ resources: ['pods'], statusCollection: null })).toMatchObject({
      errors: [],
      outdated: [],
    });
  });

  it('lists a hundred errors, then the number of the others', () => {
    const clusterSelectors = Array.from({ length: 3000 }, () => null);
    const { errors } = policy({ clusterSelectors });
    expect([errors.length, errors.at(-1)]).toEqual([101, 'and 2900 more errors']);
  });

  it('accepts the group of older documents and reports it', () => {
    const apiVersion = 'policies.kubestellar.io/v1alpha1';
    const read = parseBindingPolicy({ apiVersion, metadata: { name: 'nginx' } });
    expect(read.outdated).toEqual([
      'apiVersion: write control.kubestellar.io/v1alpha1 instead of policies.kubestellar.io/v1alpha1',
    ]);
    expect(read.errors).toEqual([]);
  });

  it.each<[string, JsonObject, readonly string[]]>([
    ['without anything', {}, ['metadata.name: give the policy a name']],
    [
      'with lists that are none',
      { metadata: { name: 'a' }, spec: { clusterSelectors: {}, downsync: 'all' } },
      [`spec.clusterSelectors: ${NO_LIST}`, `spec.downsync: ${NO_LIST}`],
    ],
    [
      'with a spec that is none',
      { metadata: { name: 'a' }, spec: 'hello' },
      [`spec: ${noObjectWith('clusterSelectors, downsync')}`],
    ],
    [
      'with fields that are spelt otherwise',
      { metadata: { name: 'a' }, specs: {}, spec: { downSync: [{}], clusterSelector: [{}] } },
      [
        `specs: ${misspeltField('spec')}`,
        `spec.clusterSelector: ${misspeltField('clusterSelectors')}`,
        `spec.downSync: ${misspeltField('downsync')}`,
      ],
    ],
  ])('of a policy %s reports the error and sends nothing', (_what, object, errors) => {
    expect(parseBindingPolicy(object)).toEqual({
      name: object['metadata'] === undefined ? '' : 'a',
      uid: '',
      generation: 0,
      clusterSelectors: [],
      clauses: [],
      errors,
      outdated: [],
    });
  });

  it('has one text for tests that mean the same, and another for others', () => {
    const text = (value: JsonValue): string | undefined => clause(value).clauses[0]?.test.text;
    expect(text({ resources: ['a', 'b'] })).toBe(
      text({ resources: ['b', 'a'], namespaces: ['*'] }),
    );
    expect(text({ resources: ['a'] })).not.toBe(text({ objectNames: ['a'] }));
    expect(text({ objectSelectors: [null] })).not.toBe(text({ objectSelectors: [] }));
    expect(text({ objectSelectors: [{ matchLabels: { a: 'b' } }] })).not.toBe(
      text({ namespaceSelectors: [{ matchLabels: { a: 'b' } }] }),
    );
  });
});
