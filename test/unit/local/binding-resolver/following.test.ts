import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import {
  CLUSTERS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  labelled,
  NAMESPACES,
  objectOf,
  POLICIES,
  ResolverBench,
  WIDGETS,
} from './resolver-bench.ts';

let bench: ResolverBench;

beforeEach(() => {
  bench = new ResolverBench();
});
afterEach(() => bench.stop());

const ALL_MAPS = { apiGroup: '', resources: ['configmaps'] };

/** The first object with a namespace that a Binding names. */
function entryIn(name: string): JsonValue | undefined {
  const entries = at(bench.binding(name), 'spec', 'workload', 'namespaceScope');
  return isArray(entries) ? entries[0] : undefined;
}

function resourceVersionIn(name: string): JsonValue | undefined {
  return member(entryIn(name), 'resourceVersion');
}

describe('the Binding of a policy', () => {
  it('has its name, is controlled by it, and names WECs and objects with what is asked for them', async () => {
    bench.put(CONFIG_MAPS, 'one');
    bench.put(NAMESPACES, 'shop');
    bench.policy('all', {
      apiGroup: '',
      resources: ['configmaps', 'namespaces'],
      statusCollectors: ['count'],
    });
    await bench.start();
    expect(bench.binding('all')).toMatchObject({
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'Binding',
      metadata: {
        name: 'all',
        ownerReferences: [{ kind: 'BindingPolicy', name: 'all', uid: 'uid-all', controller: true }],
      },
      spec: {
        destinations: [{ clusterId: 'edge1' }, { clusterId: 'edge2' }],
        workload: {
          clusterScope: [{ resource: 'namespaces', name: 'shop', statusCollectors: ['count'] }],
          namespaceScope: [{ resource: 'configmaps', namespace: 'shop', name: 'one' }],
        },
      },
    });
    expect(bench.takeWrites()).toEqual(['create all']);
  });

  it('follows objects that come, change their labels and go', async () => {
    bench.policy('web', { ...ALL_MAPS, objectSelectors: [{ matchLabels: { app: 'web' } }] });
    await bench.start();
    expect(bench.says('web')).toBe('edge1 edge2: ');
    bench.put(CONFIG_MAPS, 'one', labelled({ app: 'web' }));
    bench.put(CONFIG_MAPS, 'two', labelled({ app: 'other' }));
    await bench.pass();
    expect(bench.says('web')).toBe('edge1 edge2: configmaps/one');
    bench.put(CONFIG_MAPS, 'two', labelled({ app: 'web' }));
    bench.put(CONFIG_MAPS, 'one', labelled({ app: 'other' }));
    await bench.pass();
    expect(bench.says('web')).toBe('edge1 edge2: configmaps/two');
    bench.remove(CONFIG_MAPS, 'two');
    await bench.pass();
    expect(bench.says('web')).toBe('edge1 edge2: ');
  });

  it('follows the labels of Namespaces', async () => {
    bench.put(NAMESPACES, 'shop');
    bench.put(CONFIG_MAPS, 'one');
    bench.policy('staged', {
      ...ALL_MAPS,
      namespaceSelectors: [{ matchLabels: { stage: 'live' } }],
    });
    await bench.start();
    expect(bench.says('staged')).toBe('edge1 edge2: ');
    bench.put(NAMESPACES, 'shop', labelled({ stage: 'live' }));
    await bench.pass();
    expect(bench.says('staged')).toBe('edge1 edge2: configmaps/one');
    bench.put(NAMESPACES, 'shop', labelled({ stage: 'test' }));
    await bench.pass();
    expect(bench.says('staged')).toBe('edge1 edge2: ');
  });

  it('follows the policy, and goes with it', async () => {
    bench.put(CONFIG_MAPS, 'one');
    bench.put(DEPLOYMENTS, 'web');
    bench.policy('all', ALL_MAPS);
    await bench.start();
    bench.policy('all', { apiGroup: 'apps', resources: ['deployments'] });
    await bench.pass();
    expect(bench.says('all')).toBe('edge1 edge2: deployments/web');
    bench.remove(POLICIES, 'all');
    await bench.pass();
    expect(bench.binding('all')).toBeUndefined();
    expect(bench.takeWrites()).toEqual(['create all', 'replace all', 'delete all']);
  });

  it('takes in a kind that comes to be served later', async () => {
    bench.policy('widgets', { apiGroup: 'example.com' });
    await bench.start();
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    await bench.pass(31_000);
    expect(bench.says('widgets')).toBe('edge1 edge2: widgets/one');
  });

  it('follows a kind to another version', async () => {
    bench.wds.serve(WIDGETS);
    bench.put(WIDGETS, 'one');
    bench.policy('widgets', { apiGroup: 'example.com' });
    await bench.start();
    bench.wds.serve({ ...WIDGETS, version: 'v2' });
    await bench.pass(31_000);
    expect(entryIn('widgets')).toMatchObject({
      version: 'v2',
      name: 'one',
    });
    expect(bench.takeWrites()).toEqual(['create widgets', 'replace widgets']);
  });
});

describe('the WECs', () => {
  const west: JsonObject = {
    clusterSelectors: [{ matchLabels: { region: 'west' } }],
    downsync: [ALL_MAPS],
  };

  it('are the ManagedClusters in the WDS, with their labels', async () => {
    bench.wds.serve(CLUSTERS);
    bench.put(CLUSTERS, 'a', labelled({ region: 'west' }));
    bench.put(CLUSTERS, 'b', labelled({ region: 'east' }));
    bench.put(POLICIES, 'west', { spec: west });
    bench.policy('all', ALL_MAPS);
    await bench.start();
    expect([bench.says('west'), bench.says('all')]).toEqual(['a: ', 'a b: ']);
    bench.takeWrites();
    bench.put(CLUSTERS, 'b', labelled({ region: 'west' }));
    bench.put(CLUSTERS, 'a', labelled({ region: 'east' }));
    await bench.pass();
    expect([bench.says('west'), bench.takeWrites()]).toEqual(['b: ', ['replace west']]);
    bench.remove(CLUSTERS, 'b');
    await bench.pass();
    expect([bench.says('west'), bench.says('all')]).toEqual([': ', 'a: ']);
  });

  it('are those known by name while there is no ManagedCluster, also when such come to be served', async () => {
    bench.policy('all', ALL_MAPS);
    bench.put(POLICIES, 'west', { spec: west });
    await bench.start();
    expect([bench.says('west'), bench.says('all')]).toEqual([': ', 'edge1 edge2: ']);
    bench.wds.serve(CLUSTERS);
    await bench.pass(60_000);
    expect(bench.says('all')).toBe('edge1 edge2: ');
    bench.put(CLUSTERS, 'edge2', labelled({ region: 'west' }));
    await bench.pass();
    expect([bench.says('west'), bench.says('all')]).toEqual(['edge2: ', 'edge2: ']);
  });

  it('are those of another cluster where that is the inventory, and no others', async () => {
    const inventory = new ResolverBench().wds;
    inventory.serve(CLUSTERS);
    inventory.put(CLUSTERS, objectOf(CLUSTERS, 'a'));
    bench.wds.serve(CLUSTERS);
    bench.put(CLUSTERS, 'b');
    bench.policy('all', ALL_MAPS);
    await bench.start({ inventory });
    expect(bench.says('all')).toBe('a: ');
    inventory.remove(CLUSTERS, '/a');
    await bench.pass();
    expect(bench.says('all')).toBe(': ');
  });
});

describe('writes', () => {
  it('are one for many changes at once, and only to the Bindings that are concerned', async () => {
    bench.policy('maps', ALL_MAPS);
    bench.policy('deployments', { apiGroup: 'apps', resources: ['deployments'] });
    bench.policy('named', { ...ALL_MAPS, objectNames: ['nobody'] });
    await bench.start();
    expect(bench.takeWrites()).toEqual(['create deployments', 'create maps', 'create named']);
    for (let index = 0; index < 50; index += 1) bench.put(CONFIG_MAPS, `map${index}`);
    await bench.pass();
    expect(bench.takeWrites()).toEqual(['replace maps']);
  });

  it('take in what changes while they are made', async () => {
    bench.policy('maps', ALL_MAPS);
    await bench.start();
    bench.wds.onWrite = async () => {
      bench.wds.onWrite = () => undefined;
      bench.put(CONFIG_MAPS, 'two');
      await bench.time.sleep(500);
    };
    bench.put(CONFIG_MAPS, 'one');
    await bench.pass();
    expect(bench.says('maps')).toBe('edge1 edge2: configmaps/one configmaps/two');
  });

  it('are none for the status of workload objects, and one for their content', async () => {
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 1 } });
    bench.policy('web', { apiGroup: 'apps', resources: ['deployments'] });
    await bench.start();
    const before = resourceVersionIn('web');
    bench.takeWrites();
    for (let ready = 0; ready < 20; ready += 1) {
      const metadata = { generation: ready, managedFields: [{ time: `${ready}` }] };
      bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 1 }, metadata, status: { ready } });
      await bench.pass();
    }
    expect([resourceVersionIn('web'), bench.takeWrites()]).toEqual([before, []]);
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 2 } });
    await bench.pass();
    expect(bench.takeWrites()).toEqual(['replace web']);
    expect(resourceVersionIn('web')).not.toBe(before);
  });

  it('are none after a restart when nothing but status and resourceVersions has changed', async () => {
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 1 } });
    bench.policy('web', { apiGroup: 'apps', resources: ['deployments'] });
    await bench.start();
    const before = bench.binding('web');
    await bench.stop();
    bench.takeWrites();
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 1 }, status: { ready: 1 } });
    await bench.start();
    await bench.pass(60_000);
    expect([bench.takeWrites(), bench.binding('web')]).toEqual([[], before]);
  });

  it('are one after a restart when the content of an object has changed in the meantime', async () => {
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 1 } });
    bench.policy('web', { apiGroup: 'apps', resources: ['deployments'] });
    await bench.start();
    const before = resourceVersionIn('web');
    await bench.stop();
    bench.takeWrites();
    bench.put(DEPLOYMENTS, 'web', { spec: { replicas: 2 } });
    await bench.start();
    expect(bench.takeWrites()).toEqual(['replace web']);
    expect(resourceVersionIn('web')).not.toBe(before);
  });
});
