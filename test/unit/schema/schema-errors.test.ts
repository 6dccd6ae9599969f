import { describe, expect, it } from 'vitest';
import type { BoundObject } from '#shared/core/binding/binding.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { noField } from '#shared/core/expression/messages.ts';
import { objectOf, STRING } from '#shared/core/expression/static-type.ts';
import type { JsonObject } from '#shared/core/json.ts';
import {
  misspeltResource,
  moreCollectorErrors,
  namespaceForbidden,
  namespaceMissing,
} from '#shared/core/schema/messages.ts';
import {
  bindingSchemaErrors,
  resourceErrors,
  schemaUses,
} from '#shared/core/schema/schema-errors.ts';

function collector(spec: JsonObject) {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join());
  return compilation.collector;
}

function selecting(...defs: readonly string[]) {
  return collector({ select: defs.map((def, index) => ({ name: `c${index}`, def })) });
}

function bound(resource: string, statusCollectors: readonly string[], version = 'v1'): BoundObject {
  const modulation = {
    statusCollectors,
    wantSingletonReportedState: false,
    wantMultiWECReportedState: false,
  };
  return { group: 'apps', version, resource, namespace: 'shop', name: 'web', modulation };
}

const COLLECTORS = new Map([
  ['b', selecting('obj.nme')],
  ['a', selecting('obj.name', 'has(obj.nme)')],
  ['c', selecting('returned.status')],
]);
const SCHEMA = { kind: 'Thing', obj: objectOf(new Map([['name', STRING]])) };

function names(objects: readonly BoundObject[]) {
  return schemaUses(objects, COLLECTORS).map(({ resource, collectors }) => [
    `${resource.resource}/${resource.version}`,
    ...collectors.map(([name]) => name),
  ]);
}

describe('the schemas that a Binding needs', () => {
  it('are those of resources whose collectors read obj or returned, each once', () => {
    const objects = [
      bound('deployments', ['b']),
      bound('deployments', ['a', 'c']),
      bound('deployments', ['a'], 'v2'),
      bound('statefulsets', ['c']),
      bound('daemonsets', ['missing']),
      bound('jobs', []),
      bound('things', ['c']),
    ];
    expect(names(objects)).toEqual([
      ['deployments/v1', 'a', 'b', 'c'],
      ['deployments/v2', 'a'],
      ['statefulsets/v1', 'c'],
      ['things/v1', 'c'],
    ]);
  });
});

describe('the errors of a Binding', () => {
  const uses = schemaUses([bound('things', ['a', 'b', 'c'])], COLLECTORS);

  it('name collector, field, position, kind and path', () => {
    expect(bindingSchemaErrors(uses.map((use) => ({ use, schema: SCHEMA })))).toEqual([
      `StatusCollector a, spec.select[1].def, line 1, column 9: Thing ${noField('nme', 'name')}`,
      `StatusCollector b, spec.select[0].def, line 1, column 5: Thing ${noField('nme', 'name')}`,
    ]);
  });

  it('are reported once for two versions of a kind, and for each of two kinds', () => {
    const other = { ...SCHEMA, kind: 'Other' };
    const twice = [...uses, ...uses, ...uses].map((use, index) => ({
      use,
      schema: index === 2 ? other : SCHEMA,
    }));
    const texts = bindingSchemaErrors(twice);
    expect(texts).toHaveLength(4);
    expect(texts.filter((text) => text.includes('Other has no field'))).toHaveLength(2);
  });

  it('are counted beyond 100, and shortened beyond 500 characters', () => {
    const long = `obj.${'x'.repeat(90)}${"['y y']".repeat(3)}`;
    const many = new Map(
      Array.from({ length: 60 }, (_one, index) => [
        `collector-${String(index).padStart(2, '0')}-${'z'.repeat(index === 0 ? 500 : 1)}`,
        selecting(long, 'obj.another'),
      ]),
    );
    const all = schemaUses([bound('things', [...many.keys()])], many);
    const texts = bindingSchemaErrors(all.map((use) => ({ use, schema: SCHEMA })));
    expect(texts).toHaveLength(101);
    expect(texts.at(-1)).toBe(moreCollectorErrors(19));
    expect(texts[0]).toHaveLength(501);
    expect(texts[0]?.endsWith('…')).toBe(true);
  });

  it('can be found by somebody who keeps them', () => {
    const texts = bindingSchemaErrors(
      uses.map((use) => ({ use, schema: SCHEMA })),
      (_collector, { kind }) => [`asked for ${kind}`],
    );
    expect(texts).toEqual([
      'StatusCollector a, asked for Thing',
      'StatusCollector b, asked for Thing',
      'StatusCollector c, asked for Thing',
    ]);
  });
});

describe('the resources that Kubernetes does not have', () => {
  const core = { ...bound('deployments', []), group: '' };

  it('are reported once, with what was probably meant', () => {
    const twice = bound('deployment', []);
    expect(resourceErrors([twice, bound('statefullsets', []), core, twice])).toEqual([
      misspeltResource('deployment of apps/v1', 'deployments of apps/v1'),
      misspeltResource('statefullsets of apps/v1', 'statefulsets of apps/v1'),
      misspeltResource('deployments of v1', 'deployments of apps/v1'),
    ]);
    const meant = bound('endpoint', []);
    expect(resourceErrors([{ ...meant, group: '' }])).toEqual([
      misspeltResource('endpoint of v1', 'endpoints of v1'),
    ]);
  });

  it.each([
    ['app/v1/deployments', 'deployments of app/v1', 'deployments of apps/v1'],
    ['Apps/v1/deployment', 'deployment of Apps/v1', 'deployments of apps/v1'],
    ['apps/v2/deployments', 'deployments of apps/v2', 'deployments of apps/v1'],
    ['apps/1/deploymnets', 'deploymnets of apps/1', 'deployments of apps/v1'],
    ['/v2/pods', 'pods of v2', 'pods of v1'],
    ['core/v1/pods', 'pods of core/v1', 'pods of v1, group ""'],
    [
      'networking.k8s.oi/v1/ingress',
      'ingress of networking.k8s.oi/v1',
      'ingresses of networking.k8s.io/v1',
    ],
  ])('may have another group or version: %s', (name, missing, meant) => {
    const [group = '', version = '', resource = ''] = name.split('/');
    expect(resourceErrors([{ ...bound(resource, []), group, version }])).toEqual([
      misspeltResource(missing, meant),
    ]);
  });

  it.each([
    'app/v1/things',
    'core/v1/things',
    'apps.example.com/v1/deployments',
    'batch/v1beta1/jobs',
  ])('are not reported if a cluster may have them: %s', (name) => {
    const [group = '', version = '', resource = ''] = name.split('/');
    expect(resourceErrors([{ ...bound(resource, []), group, version }])).toEqual([]);
  });

  it('are not reported if none is near, or group or version are not known', () => {
    const others = [bound('gizmos', []), bound('deployment', [], 'v1beta9')];
    const custom = { ...bound('deployment', []), group: 'example.com' };
    expect(resourceErrors([...others, custom, bound('deployments', [])])).toEqual([]);
  });
});

describe('the resources in the wrong scope', () => {
  const none = { ...bound('deployments', []), namespace: '' };
  const nodes = { ...bound('nodes', []), group: '' };

  it('are reported once, with the right scope', () => {
    expect(resourceErrors([none, bound('deployments', []), nodes, none])).toEqual([
      namespaceMissing('deployments of apps/v1'),
      namespaceForbidden('nodes of v1'),
    ]);
  });

  it('are not reported if a CustomResourceDefinition decides the scope', () => {
    const custom = { ...none, group: 'example.com' };
    expect(resourceErrors([custom, { ...nodes, namespace: '' }])).toEqual([]);
  });
});
