import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LEFT, notKnown, onlyForPolicies } from '#local/binding-resolver/messages.ts';
import { at, type JsonObject } from '#shared/core/json.ts';
import { POLICY_FINALIZER } from '#shared/core/kubestellar.ts';
import {
  ApiConflictError,
  ApiInvalidError,
  ApiNotFoundError,
  ApiUnavailableError,
} from '#shared/errors.ts';
import {
  BINDINGS,
  CLUSTERS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  type FakeWds,
  labelled,
  NAMESPACES,
  objectOf,
  POLICIES,
  ResolverBench,
  WIDGETS,
} from './resolver-bench.ts';

const DOWN = new ApiUnavailableError('list', 'down');
const UNKNOWN = new ApiNotFoundError('list', 'no such resource');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const MAPS = { apiGroup: '', resources: ['configmaps'] };
const EVERYTHING = { objectNames: ['one'] };
const RESOLVED = 'edge1 edge2: configmaps/one';

let bench: ResolverBench;

beforeEach(() => {
  bench = new ResolverBench();
  bench.put(CONFIG_MAPS, 'one');
});
afterEach(() => bench.stop());

describe('a WDS that is down', () => {
  it('at the start is waited for', async () => {
    bench.wds.failure = DOWN;
    bench.policy('all', MAPS);
    const resolver = await bench.start();
    await bench.pass(HOUR_MS);
    expect(resolver.waitsFor()).toBe(`discovery: ${DOWN.message}`);
    bench.wds.failure = undefined;
    await bench.pass(MINUTE_MS);
    expect([bench.says('all'), resolver.waitsFor()]).toEqual([RESOLVED, undefined]);
    expect(bench.waits.at(-1)).toBeUndefined();
  });

  it.each([POLICIES, BINDINGS, NAMESPACES, CONFIG_MAPS, DEPLOYMENTS])(
    'for $resource at the start lets nothing be written',
    async (resource) => {
      bench.wds.break(resource, DOWN);
      bench.policy('all', EVERYTHING);
      await bench.start();
      await bench.pass(HOUR_MS);
      expect(bench.takeWrites()).toEqual([]);
      bench.wds.break(resource, undefined);
      await bench.pass(MINUTE_MS);
      expect(bench.says('all')).toBe(RESOLVED);
    },
  );

  it('for a while, and has forgotten its history then, changes nothing but what has changed', async () => {
    bench.policy('all', EVERYTHING);
    bench.policy('old', EVERYTHING);
    await bench.start();
    bench.takeWrites();
    bench.wds.failure = DOWN;
    bench.wds.disconnect(DOWN);
    await bench.pass(HOUR_MS);
    bench.put(DEPLOYMENTS, 'one');
    bench.remove(POLICIES, 'old');
    bench.wds.compact();
    bench.wds.failure = undefined;
    await bench.pass(MINUTE_MS);
    expect(bench.takeWrites()).toEqual(['replace all', 'delete old']);
    expect(bench.says('all')).toBe('edge1 edge2: configmaps/one deployments/one');
  });

  it('for one resource delays only the Bindings of policies that may select its objects', async () => {
    bench.wds.break(DEPLOYMENTS, DOWN);
    for (const name of ['maps', 'old']) bench.policy(name, MAPS);
    for (const name of ['a', 'b', 'c', 'd', 'e']) bench.policy(name, EVERYTHING);
    const resolver = await bench.start();
    expect(bench.takeWrites()).toEqual(['create maps', 'create old']);
    const problem = notKnown('deployments.apps/v1', DOWN.message);
    expect(resolver.waitsFor()).toBe(onlyForPolicies([problem], ['a', 'b', 'c', 'd', 'e']));
    // Hours later, what is gone is still removed: also a Binding that waits, with its policy.
    await bench.pass(HOUR_MS);
    bench.remove(CONFIG_MAPS, 'one');
    bench.put(CONFIG_MAPS, 'two');
    for (const name of ['a', 'b', 'c', 'old']) bench.remove(POLICIES, name);
    await bench.pass();
    expect(bench.takeWrites()).toEqual(['replace maps', 'delete old']);
    expect(bench.says('maps')).toBe('edge1 edge2: configmaps/two');
    expect(resolver.waitsFor()).toBe(onlyForPolicies([problem], ['d', 'e']));
    bench.wds.break(DEPLOYMENTS, undefined);
    await bench.pass(MINUTE_MS);
    expect([bench.takeWrites(), resolver.waitsFor()]).toEqual([
      ['create d', 'create e'],
      undefined,
    ]);
  });

  it('for two resources names who waits for any of them, but no policy of KubeStellar', async () => {
    const gadgets = { ...WIDGETS, resource: 'gadgets' };
    for (const resource of [gadgets, WIDGETS]) bench.wds.serve(resource);
    for (const resource of [DEPLOYMENTS, gadgets, WIDGETS]) bench.wds.break(resource, DOWN);
    bench.policy('maps', MAPS);
    bench.policy('deployments', { apiGroup: 'apps', resources: ['deployments'] });
    bench.policy('widgets', { apiGroup: 'example.com', resources: ['widgets'] });
    bench.policy('theirs', EVERYTHING, { metadata: { finalizers: [POLICY_FINALIZER] } });
    const resolver = await bench.start();
    const problems = ['deployments.apps/v1', 'widgets.example.com/v1'].map((resource) =>
      notKnown(resource, DOWN.message),
    );
    expect(resolver.waitsFor()).toBe(onlyForPolicies(problems, ['deployments', 'widgets']));
    expect(bench.log).toEqual([`theirs: ${LEFT.toKubeStellar} `]);
    for (const name of ['deployments', 'widgets', 'maps']) bench.remove(POLICIES, name);
    await bench.pass();
    expect(resolver.waitsFor()).toBeUndefined();
  });

  it('for one resource and restarts does not hide that another one is not served anymore', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('widgets', { apiGroup: 'example.com', resources: ['widgets'] });
    bench.policy('deployments', { apiGroup: 'apps', resources: ['deployments'] });
    await bench.start();
    bench.wds.break(DEPLOYMENTS, DOWN);
    bench.wds.unserve(WIDGETS);
    await bench.pass(20_000);
    expect(bench.says('widgets')).toBe('edge1 edge2: widgets/one');
    await bench.pass(MINUTE_MS);
    expect(bench.says('widgets')).toBe('edge1 edge2: ');
  });

  it('for one resource that a policy comes to mean delays the Binding until that is known', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    bench.wds.break(DEPLOYMENTS, DOWN);
    bench.put(DEPLOYMENTS, 'one');
    bench.policy('all', EVERYTHING);
    await bench.pass(HOUR_MS);
    expect(bench.says('all')).toBe(RESOLVED);
    bench.wds.break(DEPLOYMENTS, undefined);
    await bench.pass(MINUTE_MS);
    expect(bench.takeWrites()).toEqual(['create all', 'replace all']);
  });
});

describe('a resource that the WDS does not serve', () => {
  it.each([POLICIES, BINDINGS])('$resource: nothing is written or deleted', async (resource) => {
    bench.policy('all', MAPS);
    await bench.start();
    const objects = [...bench.wds.objects(resource).values()];
    bench.takeWrites();
    bench.wds.unserve(resource);
    await bench.pass(HOUR_MS);
    // It does not answer at all now: it is known no better than before.
    bench.wds.break(resource, DOWN);
    await bench.pass(HOUR_MS);
    expect(bench.takeWrites()).toEqual([]);
    bench.wds.break(resource, undefined);
    bench.wds.serve(resource);
    for (const object of objects) bench.wds.put(resource, object);
    await bench.pass(MINUTE_MS);
    expect([bench.says('all'), bench.takeWrites()]).toEqual([RESOLVED, []]);
  });

  it('keeps its objects in Bindings for a while, and others follow in the meantime', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('all', EVERYTHING);
    bench.policy('maps', MAPS);
    await bench.start();
    bench.takeWrites();
    bench.wds.unserve(WIDGETS);
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass(20_000);
    expect([bench.says('all'), bench.says('maps')]).toEqual([
      'edge1 edge2: configmaps/one widgets/one',
      `${RESOLVED} configmaps/two`,
    ]);
    expect(bench.log).toEqual([expect.stringContaining('example.com/widgets is not served')]);
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('and returns soon is no reason to write', async () => {
    bench.wds.serve(WIDGETS);
    const widget = objectOf(WIDGETS, 'one');
    bench.wds.put(WIDGETS, widget);
    bench.policy('all', EVERYTHING);
    await bench.start();
    bench.takeWrites();
    bench.wds.unserve(WIDGETS);
    await bench.pass(20_000);
    bench.wds.serve(WIDGETS);
    bench.wds.put(WIDGETS, widget);
    await bench.pass(HOUR_MS);
    expect(bench.takeWrites()).toEqual([]);
  });

  it('is no longer served in any version: its objects stay for a while from then on', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('all', EVERYTHING);
    await bench.start();
    bench.takeWrites();
    const other = { ...WIDGETS, version: 'v2' };
    bench.wds.unserve(WIDGETS);
    bench.wds.serve(other);
    await bench.pass(25_000);
    bench.wds.unserve(other);
    await bench.pass(20_000);
    expect(bench.says('all')).toBe('edge1 edge2: configmaps/one widgets/one');
    await bench.pass(2 * MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('and stops answering keeps its objects until it has been known to be gone for a while', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('all', EVERYTHING);
    await bench.start();
    bench.takeWrites();
    bench.wds.unserve(WIDGETS);
    await bench.pass(20_000);
    bench.wds.break(WIDGETS, DOWN);
    await bench.pass(HOUR_MS);
    bench.wds.break(WIDGETS, UNKNOWN);
    await bench.pass(35_000);
    expect(bench.takeWrites()).toEqual([]);
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('and does not answer, either, as an aggregated API server that is down, keeps its objects', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('all', EVERYTHING);
    await bench.start();
    await bench.stop();
    bench.takeWrites();
    // Discovery leaves it out.
    bench.wds.unserve(WIDGETS);
    bench.wds.break(WIDGETS, DOWN);
    const resolver = await bench.start();
    await bench.pass(HOUR_MS);
    expect(bench.takeWrites()).toEqual([]);
    expect(resolver.waitsFor()).toContain('widgets.example.com/v1');
    // Now it says that there is no such thing.
    bench.wds.break(WIDGETS, UNKNOWN);
    await bench.pass(HOUR_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('does not keep a Binding whose policy is deleted', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('all', EVERYTHING);
    await bench.start();
    bench.wds.unserve(WIDGETS);
    bench.remove(POLICIES, 'all');
    await bench.pass();
    expect(bench.binding('all')).toBeUndefined();
  });
});

describe('an inventory', () => {
  let inventory: FakeWds;
  const west = { clusterSelectors: [{ matchLabels: { region: 'west' } }], downsync: [MAPS] };

  beforeEach(() => {
    inventory = new ResolverBench().wds;
    inventory.serve(CLUSTERS);
    inventory.put(CLUSTERS, objectOf(CLUSTERS, 'a', labelled({ region: 'west' })));
    bench.put(POLICIES, 'west', { spec: west });
  });

  it('that is down at the start is waited for', async () => {
    inventory.failure = DOWN;
    const resolver = await bench.start({ inventory });
    await bench.pass(HOUR_MS);
    expect([bench.binding('west'), resolver.waitsFor()]).toEqual([
      undefined,
      `managedclusters.cluster.open-cluster-management.io/v1: ${DOWN.message}`,
    ]);
    inventory.failure = undefined;
    await bench.pass(MINUTE_MS);
    expect(bench.says('west')).toBe('a: configmaps/one');
  });

  it.each([
    ['comes to know no ManagedClusters', () => inventory.unserve(CLUSTERS)],
    ['goes down', () => inventory.break(CLUSTERS, DOWN)],
    [
      'comes to know no ManagedClusters, and goes down',
      async () => {
        inventory.unserve(CLUSTERS);
        await bench.pass(HOUR_MS);
        inventory.break(CLUSTERS, DOWN);
      },
    ],
  ])('that %s takes no WEC out of a Binding', async (_what, happen) => {
    await bench.start({ inventory });
    bench.takeWrites();
    await happen();
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass(HOUR_MS);
    expect(String(bench.says('west'))).toMatch(/^a: /);
  });

  it('in the WDS that is not served anymore keeps its WECs in Bindings for a while', async () => {
    bench.wds.serve(CLUSTERS);
    bench.put(CLUSTERS, 'a', labelled({ region: 'west' }));
    await bench.start();
    bench.wds.unserve(CLUSTERS);
    await bench.pass(20_000);
    expect(bench.says('west')).toBe('a: configmaps/one');
    await bench.pass(MINUTE_MS);
    expect(bench.says('west')).toBe(': configmaps/one');
  });
});

describe('a write that fails', () => {
  it('does not delay other Bindings, and is retried', async () => {
    const refused = new ApiInvalidError('create', 'too large');
    bench.wds.onWrite = (write) => {
      if (write === 'create a') throw refused;
    };
    bench.policy('a', MAPS);
    bench.policy('b', MAPS);
    await bench.start();
    expect([bench.binding('a'), bench.says('b')]).toEqual([undefined, RESOLVED]);
    expect(bench.log[0]).toBe(`a: cannot write Binding ${refused.message}`);
    await bench.pass(HOUR_MS);
    const tries = bench.log.length;
    // Every half minute at most.
    expect(tries).toBeLessThan(200);
    bench.wds.onWrite = () => undefined;
    await bench.pass(MINUTE_MS);
    expect(bench.says('a')).toBe(RESOLVED);
  });

  it('is repeated on the present Binding if the Binding has changed in the meantime', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    bench.wds.onWrite = () => {
      bench.wds.onWrite = () => undefined;
      const standing = bench.binding('all') ?? {};
      const metadata = { ...Object(standing['metadata']), labels: { mine: '1' } };
      bench.wds.put(BINDINGS, { ...standing, metadata });
    };
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass();
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
    expect(at(bench.binding('all'), 'metadata', 'labels')).toEqual({ mine: '1' });
    expect(bench.log).toEqual([expect.stringContaining('it has changed')]);
  });

  it('leads to the desired result although the Binding was created by a different client', async () => {
    bench.wds.break(BINDINGS, DOWN);
    bench.policy('all', MAPS);
    await bench.start();
    bench.wds.onWrite = () => {
      bench.wds.onWrite = () => undefined;
      const ownerReferences = [{ kind: 'BindingPolicy', name: 'all', uid: 'uid-all' }];
      bench.put(BINDINGS, 'all', { metadata: { ownerReferences } });
    };
    bench.wds.break(BINDINGS, undefined);
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });
});

describe('what is known', () => {
  it('is checked again before each Binding', async () => {
    bench.policy('a', MAPS);
    bench.policy('b', MAPS);
    await bench.start();
    bench.takeWrites();
    bench.wds.onWrite = async () => {
      bench.wds.onWrite = () => undefined;
      // Between the first write and the second one the policies are gone, with their resource.
      bench.wds.unserve(POLICIES);
      await bench.time.settle();
      await bench.time.settle();
    };
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass(HOUR_MS);
    expect(bench.takeWrites()).toEqual(['replace a']);
  });

  it('of policies may be older than of Bindings: none is deleted whose policy stands', async () => {
    await bench.start();
    bench.wds.break(POLICIES, DOWN);
    bench.policy('all', MAPS);
    const ownerReferences = [{ kind: 'BindingPolicy', name: 'all', uid: 'uid-all' }];
    const spec: JsonObject = { destinations: [{ clusterId: 'edge1' }] };
    bench.put(BINDINGS, 'all', { metadata: { ownerReferences }, spec });
    await bench.pass();
    expect([bench.says('all'), bench.takeWrites()]).toEqual(['edge1: ', []]);
    bench.wds.break(POLICIES, undefined);
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('does not include resources that discovery cannot report', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    const discover = bench.wds.discover.bind(bench.wds);
    bench.wds.discover = () => Promise.reject(DOWN);
    await bench.pass(MINUTE_MS);
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(RESOLVED);
    bench.wds.discover = discover;
    await bench.pass(MINUTE_MS);
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
  });
});

it('ends although a call hangs, and does nothing after that', async () => {
  bench.policy('a', MAPS);
  bench.policy('b', MAPS);
  let fail: (error: Error) => void = () => undefined;
  bench.wds.onWrite = () =>
    new Promise((_resolve, reject) => {
      fail = reject;
    });
  const resolver = await bench.start();
  const ended = resolver.stop();
  // As a call does whose signal aborts.
  fail(new ApiConflictError('create', 'aborted'));
  await ended;
  await bench.pass(HOUR_MS);
  expect([bench.takeWrites(), bench.log]).toEqual([[], []]);
});
