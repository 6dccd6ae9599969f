import { beforeEach, describe, expect, it } from 'vitest';
import { parseBindingPolicy } from '#shared/core/binding/binding-policy.ts';
import { BindingResolver, resolveOnce } from '#shared/core/binding/binding-resolver.ts';
import { ClusterMatches } from '#shared/core/binding/cluster-matches.ts';
import type { DownsyncObject } from '#shared/core/binding/downsync-object.ts';
import { parseLabelSelector } from '#shared/core/binding/label-selector.ts';
import { ObjectMatches } from '#shared/core/binding/object-matches.ts';
import type { JsonObject } from '#shared/core/json.ts';

const ROLE = { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', namespace: '' };
const NAMESPACE = { group: '', resource: 'namespaces', namespace: '' };

function object(name: string, change: Partial<DownsyncObject> = {}): DownsyncObject {
  return {
    group: 'apps',
    version: 'v1',
    resource: 'deployments',
    namespace: 'shop',
    name,
    uid: `uid of ${name}`,
    resourceVersion: '1',
    labels: {},
    contentKey: 'content',
    deleting: false,
    ...change,
  };
}

const SELECTOR = { matchLabels: { env: 'prod' } };
const EDGE = [{ matchLabels: { location: 'edge' } }];

function policy(name: string, downsync: readonly JsonObject[], clusterSelectors = EDGE) {
  return parseBindingPolicy({
    metadata: { name, uid: `uid of ${name}` },
    spec: { clusterSelectors, downsync },
  });
}

let resolver = new BindingResolver();

/** What a change costs, and the policies that it touches. */
function effect(change: () => void): { evaluations: number; changed: readonly string[] } {
  resolver.takeChanged();
  const before = resolver.evaluations;
  change();
  return { evaluations: resolver.evaluations - before, changed: resolver.takeChanged() };
}

function namesIn(name: string): readonly string[] | undefined {
  return resolver.resolved(name)?.objects.map((one) => one.name);
}

beforeEach(() => {
  resolver = new BindingResolver();
});

describe('BindingResolver', () => {
  it('sends the objects of all clauses to the clusters of all selectors, in order', () => {
    resolver.setCluster('wec2', { location: 'edge' });
    resolver.setCluster('wec1', { location: 'edge', tier: 'a' });
    resolver.setCluster('wec3', {});
    for (const one of [
      object('web'),
      object('api'),
      object('api', { namespace: 'bank' }),
      object('api', { group: 'apps.example.org' }),
      object('cache', { resource: 'daemonsets' }),
      object('reader', ROLE),
    ])
      resolver.setObject(one);
    const everything = { resources: ['*'] };
    const wanted = { matchExpressions: [{ key: 'tier', operator: 'Exists' }] };
    resolver.setPolicy(
      parseBindingPolicy({
        metadata: { name: 'p' },
        spec: { clusterSelectors: [...EDGE, wanted], downsync: [everything] },
      }),
    );
    const { destinations, objects = [] } = resolver.resolved('p') ?? {};
    expect(destinations).toEqual(['wec1', 'wec2']);
    expect(
      objects.map((one) => `${one.group} ${one.resource} ${one.namespace} ${one.name}`),
    ).toEqual([
      'apps daemonsets shop cache',
      'apps deployments bank api',
      'apps deployments shop api',
      'apps deployments shop web',
      'apps.example.org deployments shop api',
      'rbac.authorization.k8s.io clusterroles  reader',
    ]);
  });

  it('merges what the matching clauses of one policy ask for an object, and of no other policy', () => {
    resolver.setObject(object('web'));
    resolver.setPolicy(
      policy('p', [
        { resources: ['deployments'], statusCollectors: ['c', 'a'], createOnly: true },
        { objectNames: ['web'], statusCollectors: ['b', 'a'], wantSingletonReportedState: true },
        { objectNames: ['api'], wantMultiWECReportedState: true },
      ]),
    );
    resolver.setPolicy(policy('q', [{ resources: ['deployments'], statusCollectors: ['d'] }]));
    expect(resolver.resolved('p')?.objects).toEqual([
      {
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        namespace: 'shop',
        name: 'web',
        resourceVersion: '1',
        modulation: {
          createOnly: true,
          statusCollectors: ['a', 'b', 'c'],
          wantSingletonReportedState: true,
          wantMultiWECReportedState: false,
        },
      },
    ]);
    expect(resolver.resolved('q')?.objects[0]?.modulation.statusCollectors).toEqual(['d']);
  });

  it('reports whose resolution an object changes, once', () => {
    resolver.setPolicy(policy('q', [{ resources: ['deployments'] }]));
    resolver.setPolicy(policy('p', [{ resources: ['deployments'] }]));
    resolver.setPolicy(policy('other', [{ resources: ['configmaps'] }]));
    expect(effect(() => resolver.setObject(object('web')))).toEqual({
      // Both policies have the same test: it is applied once.
      evaluations: 1,
      changed: ['p', 'q'],
    });
    expect(resolver.takeChanged()).toEqual([]);
  });

  it('keeps the resourceVersion through a status that is written, and takes the next with the content', () => {
    resolver.setPolicy(policy('p', [{ objectSelectors: [SELECTOR] }]));
    const web = object('web', { labels: { env: 'prod' } });
    resolver.setObject(web);
    expect(effect(() => resolver.setObject({ ...web, resourceVersion: '2' }))).toEqual({
      evaluations: 0,
      changed: [],
    });
    expect(resolver.resolved('p')?.objects[0]?.resourceVersion).toBe('1');
    const edited = { ...web, resourceVersion: '3', contentKey: 'edited' };
    expect(effect(() => resolver.setObject(edited))).toEqual({ evaluations: 0, changed: ['p'] });
    expect(resolver.resolved('p')?.objects[0]?.resourceVersion).toBe('3');
  });

  it.each([
    ['uid', { uid: 'another' }],
    ['version', { version: 'v2' }],
  ])('takes an object with another %s for another content', (_what, change) => {
    resolver.setPolicy(policy('p', [{ resources: ['deployments'] }]));
    resolver.setObject(object('web'));
    const next = object('web', { ...change, resourceVersion: '2' });
    expect(effect(() => resolver.setObject(next)).changed).toEqual(['p']);
    expect(resolver.resolved('p')?.objects[0]?.resourceVersion).toBe('2');
  });

  it('releases an object that is being deleted, and resolves one that is created again', () => {
    resolver.setPolicy(policy('p', [{ resources: ['deployments'] }]));
    resolver.setObject(object('web'));
    const deleting = object('web', { deleting: true, contentKey: 'deleting' });
    expect(effect(() => resolver.setObject(deleting))).toEqual({ evaluations: 0, changed: ['p'] });
    expect(namesIn('p')).toEqual([]);
    expect(effect(() => resolver.removeObject(deleting)).changed).toEqual([]);
    resolver.setObject(deleting);
    expect(namesIn('p')).toEqual([]);
    resolver.setObject(object('web'));
    expect(namesIn('p')).toEqual(['web']);
  });

  it('applies only the clauses that read a changed label of an object they admit', () => {
    resolver.setPolicy(policy('p', [{ resources: ['deployments'], objectSelectors: [SELECTOR] }]));
    resolver.setPolicy(policy('q', [{ resources: ['configmaps'], objectSelectors: [SELECTOR] }]));
    resolver.setPolicy(policy('r', [{ objectSelectors: [{ matchLabels: { tier: 'web' } }] }]));
    resolver.setObject(object('web'));
    const label = (labels: Record<string, string>) =>
      effect(() => resolver.setObject(object('web', { labels })));
    expect(label({ env: 'prod' })).toEqual({ evaluations: 1, changed: ['p'] });
    expect(label({ env: 'prod', read: 'never' })).toEqual({ evaluations: 0, changed: [] });
    expect(label({ env: 'test', read: 'never' })).toEqual({ evaluations: 1, changed: ['p'] });
    expect(label({ env: 'none' })).toEqual({ evaluations: 1, changed: [] });
    expect(label({ tier: 'web' })).toEqual({ evaluations: 2, changed: ['r'] });
  });

  it('looks at the objects of a Namespace only when the verdict on it changes', () => {
    resolver.setPolicy(policy('p', [{ namespaceSelectors: [SELECTOR] }]));
    for (const name of ['web', 'api']) resolver.setObject(object(name));
    resolver.setObject(object('web', { namespace: 'bank' }));
    resolver.setObject(object('reader', ROLE));
    const namespace = (labels: Record<string, string>) =>
      effect(() => resolver.setObject(object('shop', { ...NAMESPACE, labels })));
    // It comes: its labels, and it as an object that the clause admits.
    expect(namespace({})).toEqual({ evaluations: 2, changed: [] });
    expect(namespace({ env: 'test' })).toEqual({ evaluations: 1, changed: [] });
    expect(namespace({ env: 'prod' })).toEqual({ evaluations: 3, changed: ['p'] });
    expect(namesIn('p')).toEqual(['api', 'web']);
    expect(namespace({ env: 'prod', read: 'never' })).toEqual({ evaluations: 0, changed: [] });
    const gone = effect(() => resolver.removeObject(object('shop', NAMESPACE)));
    expect(gone).toEqual({ evaluations: 2, changed: ['p'] });
    expect(namesIn('p')).toEqual([]);
  });

  it('knows the labels of a Namespace that is being deleted', () => {
    resolver.setPolicy(policy('p', [{ namespaceSelectors: [SELECTOR], namespaces: ['shop'] }]));
    resolver.setObject(object('web'));
    const labels = { env: 'prod' };
    resolver.setObject(object('shop', { ...NAMESPACE, labels, deleting: true }));
    expect(namesIn('p')).toEqual(['web']);
  });

  it('looks at no Namespace that a clause cannot mean', () => {
    resolver.setPolicy(policy('p', [{ namespaceSelectors: [SELECTOR], namespaces: ['shop'] }]));
    const bank = (labels: Record<string, string>) =>
      effect(() => resolver.setObject(object('bank', { ...NAMESPACE, labels })));
    expect(bank({})).toEqual({ evaluations: 0, changed: [] });
    expect(bank({ env: 'prod' })).toEqual({ evaluations: 0, changed: [] });
  });

  it('applies only the cluster selectors that read a changed label of a cluster', () => {
    resolver.setPolicy(policy('p', [], EDGE));
    resolver.setPolicy(
      parseBindingPolicy({ metadata: { name: 'all' }, spec: { clusterSelectors: [{}] } }),
    );
    const cluster = (labels: Record<string, string>) =>
      effect(() => resolver.setCluster('wec1', labels));
    expect(cluster({})).toEqual({ evaluations: 2, changed: ['all'] });
    expect(cluster({ read: 'never' })).toEqual({ evaluations: 0, changed: [] });
    expect(cluster({ location: 'edge' })).toEqual({ evaluations: 1, changed: ['p'] });
    expect(effect(() => resolver.removeCluster('wec1'))).toEqual({
      evaluations: 0,
      changed: ['all', 'p'],
    });
  });

  it('tests no object again for other cluster selectors or other collectors', () => {
    resolver.setObject(object('web'));
    resolver.setCluster('wec1', {});
    resolver.setPolicy(policy('p', [{ resources: ['deployments'] }]));
    const elsewhere = [{ matchLabels: { location: 'cloud' } }];
    const moved = policy('p', [{ resources: ['deployments'] }], elsewhere);
    expect(effect(() => resolver.setPolicy(moved))).toEqual({ evaluations: 1, changed: ['p'] });
    const asking = policy('p', [{ resources: ['deployments'], createOnly: true }], elsewhere);
    expect(effect(() => resolver.setPolicy(asking))).toEqual({ evaluations: 0, changed: ['p'] });
    expect(effect(() => resolver.setPolicy({ ...asking, generation: 7 }))).toEqual({
      evaluations: 0,
      changed: [],
    });
    expect(resolver.policy('p')?.generation).toBe(7);
    expect(effect(() => resolver.setPolicy({ ...asking, uid: 'another' }))).toEqual({
      evaluations: 0,
      changed: ['p'],
    });
  });

  it('reports a removed policy once and forgets it', () => {
    resolver.setObject(object('web'));
    resolver.setPolicy(policy('p', [{ resources: ['deployments'], objectSelectors: [SELECTOR] }]));
    expect(effect(() => resolver.removePolicy('p'))).toEqual({ evaluations: 0, changed: ['p'] });
    expect(effect(() => resolver.removePolicy('p')).changed).toEqual([]);
    expect(resolver.resolved('p')).toBeUndefined();
    expect(resolver.policy('p')).toBeUndefined();
    const labelled = object('web', { labels: { env: 'prod' } });
    expect(effect(() => resolver.setObject(labelled))).toEqual({ evaluations: 0, changed: [] });
  });

  it('sends no object of an excluded kind anywhere', () => {
    resolver.setPolicy(policy('p', [{ resources: ['*'] }]));
    const node = object('node1', { group: '', resource: 'nodes', namespace: '' });
    expect(effect(() => resolver.setObject(node))).toEqual({ evaluations: 0, changed: [] });
    expect(effect(() => resolver.removeObject(node)).changed).toEqual([]);
    expect(namesIn('p')).toEqual([]);
  });

  it('does not look at objects whose names a clause does not admit', () => {
    for (const name of ['web', 'api', 'cache']) resolver.setObject(object(name));
    const named = policy('p', [{ objectNames: ['web', 'db'], apiGroup: 'apps' }]);
    expect(effect(() => resolver.setPolicy(named)).evaluations).toBe(1);
    expect(effect(() => resolver.setObject(object('db', { group: '' }))).evaluations).toBe(0);
  });
});

describe('resolveOnce', () => {
  it('says what every policy means', () => {
    const policies = [policy('p', [{ resources: ['deployments'] }]), policy('q', [])];
    const clusters = new Map([['wec1', { location: 'edge' }]]);
    const resolved = resolveOnce(policies, [object('web')], clusters);
    expect(resolved.get('p')).toMatchObject({ destinations: ['wec1'], objects: [{ name: 'web' }] });
    expect(resolved.get('q')).toEqual({ destinations: ['wec1'], objects: [] });
  });
});

describe('what no policy uses', () => {
  it('matches nothing', () => {
    const changed: string[] = [];
    const objects = new ObjectMatches((name) => changed.push(name));
    const clusters = new ClusterMatches((name) => changed.push(name));
    objects.set(object('web'));
    clusters.set('wec1', {});
    for (const { test } of policy('p', [{ resources: ['*'] }]).clauses)
      expect(objects.passing(test).size).toBe(0);
    const reading = parseLabelSelector({}, 'selector');
    expect(reading.ok && clusters.matching(reading.selector).size).toBe(0);
    expect(changed).toEqual([]);
  });
});
