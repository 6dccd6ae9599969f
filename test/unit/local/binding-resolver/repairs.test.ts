import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, type JsonObject } from '#shared/core/json.ts';
import { BINDINGS, CONFIG_MAPS, POLICIES, ResolverBench } from './resolver-bench.ts';

const KUBESTELLAR = 'bindingpolicy.kubestellar.io/kscontroller';
const MAPS = { apiGroup: '', resources: ['configmaps'] };
const RESOLVED = 'edge1 edge2: configmaps/one';

let bench: ResolverBench;

beforeEach(() => {
  bench = new ResolverBench();
  bench.put(CONFIG_MAPS, 'one');
});
afterEach(() => bench.stop());

/** The Binding as it stands, with some members changed. */
function edit(name: string, change: { metadata?: JsonObject; spec?: JsonObject }): void {
  const standing = bench.binding(name) ?? {};
  const metadata = { ...Object(standing['metadata']), ...change.metadata };
  bench.wds.put(BINDINGS, { ...standing, ...change, metadata });
}

const HAND_MADE = { spec: { destinations: [{ clusterId: 'mine' }] } };

describe('a Binding of a policy', () => {
  it.each<[string, { metadata?: JsonObject; spec?: JsonObject }]>([
    ['another WEC', { spec: { destinations: [{ clusterId: 'other' }], workload: {} } }],
    ['no spec', { spec: {} }],
    ['no label but another owner', { metadata: { ownerReferences: [owner({ uid: 'old' })] } }],
  ])('is repaired after an edit: %s', async (_what, change) => {
    bench.policy('all', MAPS);
    await bench.start();
    edit('all', change);
    // An inventory that is not served may come back, for half a minute after the start.
    await bench.pass(60_000);
    expect(bench.says('all')).toBe(RESOLVED);
    expect(at(bench.binding('all'), 'metadata', 'ownerReferences')).toEqual([owner({})]);
    expect(bench.takeWrites()).toEqual(['create all', 'replace all']);
  });

  function owner(members: JsonObject): JsonObject {
    return {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'BindingPolicy',
      name: 'all',
      uid: 'uid-all',
      controller: true,
      blockOwnerDeletion: false,
      ...members,
    };
  }

  it('keeps what others have put on it: labels, annotations, finalizers, owners, status', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    const foreign = { apiVersion: 'v1', kind: 'ConfigMap', name: 'one', uid: 'uid-one' };
    const standing = bench.binding('all') ?? {};
    const metadata = {
      ...Object(standing['metadata']),
      labels: { mine: '1' },
      annotations: { ...Object(at(standing, 'metadata', 'annotations')), note: 'mine' },
      finalizers: ['transport.kubestellar.io/object-cleanup'],
      ownerReferences: [foreign, owner({})],
    };
    const status = { observedGeneration: 1, errors: ['theirs'] };
    bench.wds.put(BINDINGS, { ...standing, metadata, status });
    await bench.pass();
    expect(bench.takeWrites()).toEqual(['create all']);
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass();
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
    expect(bench.binding('all')).toMatchObject({
      metadata: {
        labels: { mine: '1' },
        annotations: { note: 'mine' },
        finalizers: ['transport.kubestellar.io/object-cleanup'],
        ownerReferences: [foreign, owner({})],
      },
      status,
    });
  });

  it('is made again after somebody has deleted it', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    bench.remove(BINDINGS, 'all');
    await bench.pass();
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('goes when its policy was deleted while nobody looked', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    await bench.stop();
    bench.remove(POLICIES, 'all');
    await bench.start();
    expect(bench.binding('all')).toBeUndefined();
  });

  it('comes to belong to the policy of the same name that has taken the place of its own', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    await bench.stop();
    bench.policy('all', MAPS, { metadata: { uid: 'another' } });
    await bench.start();
    const owners = at(bench.binding('all'), 'metadata', 'ownerReferences');
    expect(owners).toEqual([owner({ uid: 'another' })]);
  });

  it('that waits for its finalizers is not changed, and made again once it is gone', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    edit('all', { metadata: { finalizers: ['a.example/b'] } });
    await bench.pass();
    bench.remove(POLICIES, 'all');
    await bench.pass();
    expect(at(bench.binding('all'), 'metadata', 'deletionTimestamp')).toBeTypeOf('string');
    bench.policy('all', MAPS, { metadata: { uid: 'another' } });
    edit('all', { metadata: { labels: { cleaned: 'half' } } });
    await bench.pass(60_000);
    expect(bench.takeWrites()).toEqual(['create all', 'delete all']);
    bench.remove(BINDINGS, 'all');
    await bench.pass();
    expect(bench.says('all')).toBe(RESOLVED);
  });

  it('goes as soon as its policy is being deleted, whatever that waits for', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    bench.policy('all', MAPS, { metadata: { deletionTimestamp, finalizers: ['a.example/b'] } });
    await bench.pass();
    expect(bench.binding('all')).toBeUndefined();
  });
});

describe('a Binding that was made by hand', () => {
  it('is not changed without a policy of its name', async () => {
    bench.put(BINDINGS, 'mine', HAND_MADE);
    await bench.start();
    expect([bench.says('mine'), bench.takeWrites(), bench.log]).toEqual(['mine: ', [], []]);
  });

  it('is not changed beside a policy of its name, which is reported once, until it is deleted', async () => {
    bench.put(BINDINGS, 'all', HAND_MADE);
    bench.policy('all', MAPS);
    await bench.start();
    bench.put(CONFIG_MAPS, 'two');
    await bench.pass();
    expect([bench.says('all'), bench.takeWrites()]).toEqual(['mine: ', []]);
    expect(bench.log).toEqual([
      expect.stringContaining('all: Binding not changed: it was created'),
    ]);
    bench.remove(BINDINGS, 'all');
    await bench.pass();
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
  });

  it('is one that belongs to a policy of another name', async () => {
    bench.policy('all', MAPS);
    const ownerReferences = [{ kind: 'BindingPolicy', name: 'all', uid: 'uid-all' }];
    bench.put(BINDINGS, 'mine', { ...HAND_MADE, metadata: { ownerReferences } });
    await bench.start();
    expect([bench.says('mine'), bench.takeWrites()]).toEqual(['mine: ', ['create all']]);
  });
});

describe("a policy with KubeStellar's finalizer", () => {
  it('is left to KubeStellar, which is reported once, until the finalizer is removed', async () => {
    const finalizers = [KUBESTELLAR];
    bench.policy('all', MAPS, { metadata: { finalizers } });
    const ownerReferences = [{ kind: 'BindingPolicy', name: 'all', uid: 'uid-all' }];
    bench.put(BINDINGS, 'all', { ...HAND_MADE, metadata: { ownerReferences } });
    await bench.start();
    bench.put(CONFIG_MAPS, 'two');
    bench.policy('all', MAPS, { metadata: { finalizers, deletionTimestamp: 'now' } });
    await bench.pass();
    expect([bench.says('all'), bench.takeWrites()]).toEqual(['mine: ', []]);
    expect(bench.log).toEqual([expect.stringContaining('left to KubeStellar')]);
    bench.policy('all', MAPS);
    await bench.pass(60_000);
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
  });
});

describe('a policy with a fault', () => {
  const faulty = {
    ...MAPS,
    objectSelectors: [{ matchExpressions: [{ key: 'a', operator: '?' }] }],
  };

  it('is resolved like any other: what is faulty matches nothing, whatever it matched before', async () => {
    bench.policy('all', MAPS);
    await bench.start();
    bench.policy('all', faulty);
    // An inventory that is not served may come back, for half a minute after the start.
    await bench.pass(60_000);
    expect(bench.says('all')).toBe('edge1 edge2: ');
    bench.put(CONFIG_MAPS, 'two');
    const spec = { clusterSelectors: [{}], downsync: [MAPS, faulty] };
    bench.put(POLICIES, 'all', { spec });
    await bench.pass();
    expect(bench.says('all')).toBe(`${RESOLVED} configmaps/two`);
  });

  it('leads to the same Binding as one that was never right', async () => {
    bench.policy('all', faulty);
    await bench.start();
    expect(bench.says('all')).toBe('edge1 edge2: ');
    expect(bench.log).toEqual([]);
  });
});
