import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type {
  ForwarderSource,
  ForwarderState,
} from '#functions/event-forwarder/forwarder-options.ts';
import { EVENT_TOO_LARGE, NEW_STATE } from '#functions/event-forwarder/messages.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SERVICES = { group: '', version: 'v1', resource: 'services' };
const DEFINITIONS = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
};
const KUBESTELLAR = { group: 'control.kubestellar.io', version: 'v1alpha1' };
const BINDINGS = { ...KUBESTELLAR, resource: 'bindings' };
const COLLECTORS = { ...KUBESTELLAR, resource: 'statuscollectors' };

const WEC: ForwarderSource = {
  type: 'wec',
  name: 'edge-1',
  wds: 'wds1',
  resources: [DEPLOYMENTS, SERVICES],
};
const WDS: ForwarderSource = { type: 'wds', name: 'wds1' };

let cluster: FakeCluster;
let queue: SentMessages;
let time: VirtualTime;
let states: ForwarderState[];
let logged: string[];
let forwarder: Forwarder | undefined;

function serve(resource: Resource): void {
  cluster.serve({ ...resource, kind: 'Any', namespaced: true, statusSubresource: true });
}

function start(source: ForwarderSource): Forwarder {
  forwarder = startForwarder({
    api: cluster,
    queue,
    source,
    epoch: 5,
    version: '1.2.3',
    clock: time.clock,
    sleep: time.sleep,
    random: () => 0.5,
    logger: {
      info: (message) => logged.push(`info ${message}`),
      warn: (message) => logged.push(`warn ${message}`),
      error: (message) => logged.push(`error ${message}`),
    },
    onState: (state) => states.push(state),
  });
  return forwarder;
}

function object(name: string, rest: JsonObject = {}, metadata: JsonObject = {}): JsonObject {
  return {
    kind: 'Any',
    metadata: { namespace: 'default', name, uid: `uid-${name}`, ...metadata },
    ...rest,
  };
}

function binding(name: string, objects: readonly JsonObject[], rest: JsonObject = {}): JsonObject {
  return {
    kind: 'Binding',
    metadata: { name, ...(rest['metadata'] as JsonObject | undefined) },
    spec: { destinations: [{ clusterId: 'edge-1' }], workload: { namespaceScope: objects } },
    status: rest['status'] ?? {},
  };
}

function named(resource: Resource, name: string, resourceVersion = '1'): JsonObject {
  return { ...resource, namespace: 'default', name, resourceVersion };
}

function brief({ content }: ForwarderEvent): string {
  if (content.type === 'snapshot') return `snapshot ${content.since.sequence}`;
  if (!('first' in content)) return content.type;
  const gone = content.type === 'wec-object' ? content.returned : content.object;
  const sign = gone === undefined ? '-' : content.first ? '!' : '';
  return `${content.subject.resource}/${content.subject.name}${sign}`;
}

/** What was sent since the last call, without heartbeats. */
async function sent(ms = 1000): Promise<string[]> {
  await time.advance(ms);
  const events = queue.events();
  queue.bodies.length = 0;
  return events.map(brief).filter((text) => text !== 'heartbeat');
}

beforeEach(() => {
  cluster = new FakeCluster();
  for (const resource of [DEPLOYMENTS, SERVICES, BINDINGS, COLLECTORS]) serve(resource);
  queue = new SentMessages();
  time = new VirtualTime();
  states = [];
  logged = [];
});

afterEach(async () => {
  const stopped = forwarder?.stop();
  queue.release();
  await stopped;
  forwarder = undefined;
});

describe('a forwarder of a WEC', () => {
  it('tells of every object, each as first, then that this was everything', async () => {
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }));
    cluster.put(SERVICES, object('api'));
    start(WEC);
    expect(await sent()).toEqual(['deployments/web!', 'services/api!', 'snapshot 0']);
    expect(forwarder?.state()).toMatchObject({
      connected: true,
      complete: true,
      objects: 2,
      unsent: 0,
    });
  });

  it('says whose the object is, and what is aggregated of it', async () => {
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }, { labels: { a: 'b' } }));
    start(WEC);
    await time.advance(1000);
    expect(queue.events()[0]).toEqual({
      source: { type: 'wec', name: 'edge-1' },
      version: { epoch: 5, sequence: 1 },
      time: '1970-01-01T00:00:00.000Z',
      content: {
        type: 'wec-object',
        wds: 'wds1',
        subject: { group: 'apps', resource: 'deployments', namespace: 'default', name: 'web' },
        first: true,
        returned: { uid: 'uid-web', generation: 0, status: { replicas: 1 } },
      },
    });
  });

  it('does not tell of a change in what is not sent', async () => {
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }));
    start(WEC);
    await sent();
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }, { labels: { a: 'b' } }));
    expect(await sent()).toEqual([]);
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 2 } }));
    expect(await sent()).toEqual(['deployments/web']);
    cluster.remove(DEPLOYMENTS, 'default/web');
    expect(await sent()).toEqual(['deployments/web-']);
  });

  it('tells nothing again that had to be listed anew and is as it was', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(SERVICES, object('api'));
    start(WEC);
    await sent();
    cluster.disconnect(new ResourceExpiredError('watch'), DEPLOYMENTS);
    expect(await sent()).toEqual([]);
    expect(forwarder?.state().resources.get('deployments.apps/v1')?.listings).toBe(2);
  });

  it('does not end a snapshot while one of its resources cannot be listed', async () => {
    cluster.put(SERVICES, object('api'));
    const list = cluster.list.bind(cluster);
    cluster.list = async (resource, selection) => {
      if (resource.resource === 'deployments') throw new ApiUnavailableError('list', 'refused');
      return list(resource, selection);
    };
    start(WEC);
    expect(await sent(120_000)).toEqual(['services/api!']);
    expect(forwarder?.state().complete).toBe(false);
    cluster.list = list;
    expect(await sent(120_000)).toEqual(['snapshot 0']);
  });

  it('lists everything anew every ten hours, tells it again, and only then ends the snapshot', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(SERVICES, object('api'));
    start(WEC);
    await sent();
    const since = 4 + Math.floor((10 * 60 * 60_000 - 500) / 30_000);
    const told = await sent(10 * 60 * 60_000);
    expect(told.slice(0, 2).sort()).toEqual(['deployments/web!', 'services/api!']);
    expect(told.slice(2)).toEqual([expect.stringMatching(/^snapshot \d+$/)]);
    expect(Number(told[2]?.split(' ')[1])).toBeGreaterThan(since - 3);
  });

  it('finds the resources itself when only a label selector is given, and looks again for others', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    start({ type: 'wec', name: 'edge-1', wds: 'wds1', labelSelector: 'app=web' });
    expect(await sent()).toEqual(['deployments/web!', 'snapshot 0']);
    const jobs = { group: 'batch', version: 'v1', resource: 'jobs' };
    serve(jobs);
    cluster.put(jobs, object('backup'));
    cluster.unserve(DEPLOYMENTS);
    const later = await sent(10 * 60_000);
    expect(later).toContain('jobs/backup!');
    expect(later).toContain('deployments/web-');
    expect([...(forwarder?.state().resources.keys() ?? [])]).toContain('jobs.batch/v1');
    expect([...(forwarder?.state().resources.keys() ?? [])]).not.toContain('deployments.apps/v1');
  });

  it('takes a resource for gone when its own address says so, not when discovery leaves it out', async () => {
    const list = cluster.list.bind(cluster);
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.list = async (resource, selection) => {
      const listed = await list(resource, selection);
      if (resource.resource === 'deployments') await held;
      return listed;
    };
    start({ type: 'wec', name: 'edge-1', wds: 'wds1', labelSelector: 'app=web' });
    await time.advance(1000);
    const discover = cluster.discover.bind(cluster);
    cluster.discover = async () => {
      const { resources, unanswered } = await discover();
      return { resources: resources.filter((one) => one.resource !== 'deployments'), unanswered };
    };
    expect(await sent(10 * 60_000)).toEqual(['deployments/web!']);
    release();
    expect(await sent()).toEqual(['snapshot 0']);
    cluster.unserve(DEPLOYMENTS);
    expect(await sent(60_000)).toEqual(['deployments/web-']);
    await time.advance(10 * 60_000);
    expect([...(forwarder?.state().resources.keys() ?? [])]).not.toContain('deployments.apps/v1');
    expect(forwarder?.state().objects).toBe(0);
  });

  it('refuses to start under a name that no receiver takes', () => {
    const source = { type: 'wec', name: 'cluster/b', wds: 'wds1', resources: [] } as const;
    expect(() => start(source)).toThrow(/source cluster\/b: a cluster's name has/);
  });

  it('refuses to start when nothing says which objects are meant', () => {
    expect(() => start({ type: 'wec', name: 'edge-1', wds: 'wds1' })).toThrow(/labelSelector/);
  });
});

describe('heartbeats', () => {
  it('come every 30 s while the cluster answers', async () => {
    start(WEC);
    await time.advance(91_000);
    expect(queue.events().map(brief)).toEqual(['snapshot 0', ...Array(4).fill('heartbeat')]);
  });

  it('tell the version of the forwarder', async () => {
    start(WEC);
    await time.advance(1_000);
    const beats = queue.events().filter(({ content }) => content.type === 'heartbeat');
    expect(beats.map(({ content }) => content)).toEqual([
      { type: 'heartbeat', forwarderVersion: '1.2.3' },
    ]);
  });

  it('stop while the cluster is down, and come again with it', async () => {
    start(WEC);
    await time.advance(1000);
    cluster.failure = new ApiUnavailableError('any', 'refused');
    cluster.disconnect(cluster.failure);
    queue.bodies.length = 0;
    await time.advance(10 * 60_000);
    expect(queue.events()).toEqual([]);
    expect(forwarder?.state().connected).toBe(false);
    cluster.failure = undefined;
    await time.advance(40_000);
    expect(queue.events().map(brief)).toContain('heartbeat');
  });
});

describe('what is down', () => {
  it('is retried indefinitely: a cluster', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.failure = new ApiUnavailableError('list', 'refused');
    start({ type: 'wec', name: 'edge-1', wds: 'wds1', labelSelector: 'app=web' });
    expect(await sent(60 * 60_000)).toEqual([]);
    expect(forwarder?.state()).toMatchObject({
      connected: false,
      sourceError: expect.stringContaining('refused'),
    });
    cluster.failure = undefined;
    expect(await sent(60_000)).toEqual(['deployments/web!', 'snapshot 0']);
    expect(forwarder?.state().sourceError).toBeUndefined();
  });

  it('is retried indefinitely: the queue, and its state is told once', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    queue.mode = 'lost';
    start(WEC);
    expect(await sent(60 * 60_000)).toEqual([]);
    expect(forwarder?.state().queueError).toBe('message queue unavailable: send');
    queue.mode = 'accept';
    expect(await sent(60_000)).toEqual(['deployments/web!', 'snapshot 0']);
    expect(forwarder?.state().queueError).toBeUndefined();
    expect(logged.filter((line) => line !== 'info snapshot')).toEqual([
      'warn cannot send',
      'info sending again',
    ]);
    expect(states.some(({ queueError }) => queueError !== undefined)).toBe(true);
  });

  it('is not waited for when the forwarder is stopped', async () => {
    cluster.failure = new ApiUnavailableError('list', 'refused');
    queue.mode = 'lost';
    start(WDS);
    await time.advance(1000);
    await forwarder?.stop();
    const { length } = cluster.calls;
    await time.advance(60_000);
    expect(cluster.calls).toHaveLength(length);
  });
});

it('tells without spec and status of an object that no message can hold, and of the others all the same', async () => {
  queue.limit = 20_000;
  cluster.put(DEPLOYMENTS, object('big', { status: { text: 'x'.repeat(30_000) } }));
  cluster.put(SERVICES, object('api'));
  start(WEC);
  await time.advance(1000);
  const [big] = queue.events().map(({ content }) => content);
  expect(await sent()).toEqual(['deployments/big!', 'services/api!', 'snapshot 0']);
  expect(big).toMatchObject({ returned: { oversizedBytes: expect.any(Number) } });
  expect(big).not.toHaveProperty('returned.status');
  expect(forwarder?.state().tooLarge).toBe(1);
  expect(logged).toContain(`error ${EVENT_TOO_LARGE}`);
});

describe('a forwarder of a WDS', () => {
  it('tells of the objects that Bindings name, and of no others', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(DEPLOYMENTS, object('other'));
    cluster.put(SERVICES, object('api'));
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    expect(await sent()).toEqual(['bindings/b!', 'deployments/web!', 'snapshot 0']);
    expect(cluster.calls).not.toContain('list /services');
  });

  it('tells of an object that was there before, when a Binding names it', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(DEPLOYMENTS, object('other'));
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web'), named(DEPLOYMENTS, 'other')]));
    expect(await sent()).toEqual(['bindings/b', 'deployments/other!']);
    cluster.put(BINDINGS, binding('c', [named(SERVICES, 'api')]));
    cluster.put(SERVICES, object('api'));
    expect(await sent()).toEqual(['bindings/c!', 'services/api!']);
  });

  it('tells of every change of a named object, as an echo of what is written, without managedFields', async () => {
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    cluster.put(DEPLOYMENTS, object('web'));
    start(WDS);
    await sent();
    cluster.put(DEPLOYMENTS, object('web', {}, { managedFields: [{ manager: 'x' }] }));
    await time.advance(1000);
    const { content } = queue.events().find((event) => event.content.type === 'wds-object') ?? {};
    expect(content).toMatchObject({
      object: { metadata: { name: 'web', resourceVersion: '103' } },
    });
    expect(JSON.stringify(content)).not.toContain('managedFields');
  });

  it('leaves out the generation of an object where each write of its status is a new one', async () => {
    const status = { manager: 'starfold', fieldsV1: { 'f:status': { 'f:phase': {} } } };
    const written = (managedFields: JsonValue) =>
      object('web', {}, { generation: 5, managedFields });
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    cluster.put(DEPLOYMENTS, written([{ ...status, subresource: 'status' }]));
    start(WDS);
    await time.advance(1000);
    cluster.put(DEPLOYMENTS, written([status]));
    await time.advance(1000);
    const told = queue
      .events()
      .flatMap(({ content }) => (content.type === 'wds-object' ? content : []))
      .filter(({ subject }) => subject.name === 'web');
    expect(told.map((content) => at(content.object, 'metadata', 'generation'))).toEqual([
      5,
      undefined,
    ]);
  });

  it.each([
    ['the resourceVersion of a workload object', binding('b', [named(DEPLOYMENTS, 'web', '2')])],
    [
      'its own generation and the one in its status',
      binding('b', [named(DEPLOYMENTS, 'web')], {
        metadata: { generation: 7, managedFields: [{ manager: 'x' }] },
        status: { observedGeneration: 7 },
      }),
    ],
  ])('does not tell of a Binding again for %s', async (_case, changed) => {
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.put(BINDINGS, changed);
    expect(await sent()).toEqual([]);
  });

  it.each([
    [
      'its destinations',
      {
        ...binding('b', [named(DEPLOYMENTS, 'web')]),
        spec: { workload: { namespaceScope: [named(DEPLOYMENTS, 'web')] } },
      },
    ],
    [
      'what it asks for an object',
      binding('b', [{ ...named(DEPLOYMENTS, 'web'), wantSingletonReportedState: true }]),
    ],
    ['its errors', binding('b', [named(DEPLOYMENTS, 'web')], { status: { errors: ['x'] } })],
    ['its labels', binding('b', [named(DEPLOYMENTS, 'web')], { metadata: { labels: { a: 'b' } } })],
  ])('tells of a Binding again for a change of %s', async (_case, changed) => {
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.put(BINDINGS, changed);
    expect(await sent()).toEqual(['bindings/b']);
  });

  it('takes an object for gone that no Binding names any more', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    cluster.put(BINDINGS, binding('c', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.remove(BINDINGS, '/b');
    expect(await sent()).toEqual(['bindings/b-']);
    cluster.remove(BINDINGS, '/c');
    expect(await sent()).toEqual(['bindings/c-', 'deployments/web-']);
    expect([...(forwarder?.state().resources.keys() ?? [])]).not.toContain('deployments.apps/v1');
  });

  it('tells of an object that is named no more for as long as it carries what Starfold wrote', async () => {
    const labels = { 'managed-by.kubestellar.io/multiwecstatus': 'true' };
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }, { labels }));
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.remove(BINDINGS, '/b');
    expect(await sent()).toEqual(['bindings/b-']);
    cluster.put(DEPLOYMENTS, object('web', { status: {} }, { labels }));
    expect(await sent()).toEqual(['deployments/web']);
    cluster.put(DEPLOYMENTS, object('web', { status: {} }));
    expect(await sent()).toEqual(['deployments/web-']);
  });

  it('tells again what had to be listed anew: changes and echoes went unseen', async () => {
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(BINDINGS, binding('b', [named(DEPLOYMENTS, 'web')]));
    start(WDS);
    await sent();
    cluster.disconnect(new ResourceExpiredError('watch'), DEPLOYMENTS);
    expect(await sent()).toEqual(['deployments/web!']);
  });

  it('follows another version of a resource when the one that is followed is served no longer, and takes nothing for gone', async () => {
    const versions = { kind: 'Any', namespaced: true, statusSubresource: true };
    cluster.serve({ ...DEPLOYMENTS, ...versions, otherVersions: ['v1beta1'] });
    cluster.put(DEPLOYMENTS, object('web'));
    cluster.put(BINDINGS, binding('b', [named({ ...DEPLOYMENTS, version: 'v1beta1' }, 'web')]));
    start(WDS);
    await sent();
    const followed = (): readonly string[] => [...(forwarder?.state().resources.keys() ?? [])];
    expect(followed()).toContain('deployments.apps/v1beta1');
    cluster.put(BINDINGS, binding('c', [named(DEPLOYMENTS, 'web')]));
    cluster.remove(BINDINGS, '/b');
    expect(await sent(2000)).toEqual(['bindings/c!', 'bindings/b-']);
    expect(followed()).toContain('deployments.apps/v1beta1');
    serve(DEPLOYMENTS);
    cluster.disconnect();
    expect(await sent(40_000)).toEqual([]);
    expect(followed()).toContain('deployments.apps/v1');
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 2 } }));
    expect(await sent()).toEqual(['deployments/web']);
  });

  it('tells of collectors whether or not a Binding names them', async () => {
    cluster.put(COLLECTORS, object('replicas'));
    start(WDS);
    expect(await sent()).toEqual(['statuscollectors/replicas!', 'snapshot 0']);
  });

  describe('whose collectors ask for a custom resource', () => {
    const WIDGETS = { group: 'example.com', version: 'v1', resource: 'widgets' };
    const FOLLOWED = 'customresourcedefinitions.apiextensions.k8s.io/v1';
    const definition = (name: string, rest: JsonObject = {}): JsonObject => ({
      kind: 'CustomResourceDefinition',
      metadata: { name },
      ...rest,
    });
    const collected = (resource: Resource, ...statusCollectors: readonly string[]): JsonObject => ({
      ...named(resource, 'one'),
      statusCollectors,
    });
    const followed = (): readonly string[] => [...(forwarder?.state().resources.keys() ?? [])];

    beforeEach(() => {
      serve(DEFINITIONS);
      serve(WIDGETS);
      cluster.put(DEFINITIONS, definition('widgets.example.com'));
      cluster.put(DEFINITIONS, definition('gadgets.example.com'));
    });

    it('tells of its definition, of each change of it, and of no other definition', async () => {
      cluster.put(BINDINGS, binding('b', [collected(WIDGETS, 'c')]));
      start(WDS);
      expect(await sent()).toEqual([
        'bindings/b!',
        'customresourcedefinitions/widgets.example.com!',
        'snapshot 0',
      ]);
      cluster.put(DEFINITIONS, definition('widgets.example.com', { spec: {} }));
      cluster.put(DEFINITIONS, definition('gadgets.example.com', { spec: {} }));
      expect(await sent()).toEqual(['customresourcedefinitions/widgets.example.com']);
    });

    it('tells of it from when the first asks until the last does not', async () => {
      cluster.put(BINDINGS, binding('b', [collected(WIDGETS)]));
      start(WDS);
      await sent();
      expect(followed()).not.toContain(FOLLOWED);
      cluster.put(BINDINGS, binding('b', [collected(WIDGETS, 'c')]));
      cluster.put(BINDINGS, binding('c', [collected(WIDGETS, 'c')]));
      expect(await sent()).toContain('customresourcedefinitions/widgets.example.com!');
      cluster.remove(BINDINGS, '/b');
      // It has changed while it rested, so it rests longer.
      expect(await sent(2000)).toEqual(['bindings/b-']);
      cluster.put(BINDINGS, binding('c', []));
      expect(await sent()).toContain('customresourcedefinitions/widgets.example.com-');
      expect(followed()).not.toContain(FOLLOWED);
    });

    it('tells of it also when a Binding that names the definition itself is gone', async () => {
      const own = { ...DEFINITIONS, name: 'widgets.example.com', resourceVersion: '1' };
      const naming = binding('b', [collected(WIDGETS, 'c')]);
      cluster.put(BINDINGS, {
        ...naming,
        spec: { workload: { clusterScope: [own] } },
      });
      cluster.put(BINDINGS, binding('c', [collected(WIDGETS, 'c')]));
      start(WDS);
      expect(await sent()).toContain('customresourcedefinitions/widgets.example.com!');
      cluster.remove(BINDINGS, '/b');
      expect(await sent()).toEqual(['bindings/b-']);
    });

    it('does not follow definitions for kinds that come with Kubernetes', async () => {
      cluster.put(BINDINGS, binding('b', [collected(DEPLOYMENTS, 'c'), collected(SERVICES, 'c')]));
      start(WDS);
      await sent();
      expect(followed()).not.toContain(FOLLOWED);
    });
  });
});

describe('a forwarder whose receiver names its state', () => {
  const begin = async (state: string | undefined): Promise<void> => {
    cluster.put(DEPLOYMENTS, object('web', { status: { replicas: 1 } }));
    queue.state = state;
    start(WEC);
    expect(await sent()).toEqual(['deployments/web!', 'snapshot 0']);
  };
  /** What is told when the receiver answers next, which it does to a change. */
  const answered = async (state: string | undefined): Promise<readonly string[]> => {
    queue.state = state;
    cluster.put(DEPLOYMENTS, object('api', { status: { replicas: 5 } }));
    return sent(10_000);
  };

  it('tells everything anew, and that this was all, to a state that it has not told', async () => {
    await begin('one');
    const [change, ...rest] = await answered('two');
    expect(change).toBe('deployments/api!');
    expect(rest.slice(0, -1).sort()).toEqual(['deployments/api!', 'deployments/web!']);
    expect(rest.at(-1)).toMatch(/^snapshot [1-9]/);
    expect(logged).toContain(`warn ${NEW_STATE}`);
  });

  it.each([
    ['the same name', 'one', 'one'],
    ['no name any more', 'one', undefined],
    ['no name', undefined, undefined],
  ])('tells nothing but the change to a receiver with %s', async (_what, before, after) => {
    await begin(before);
    expect(await answered(after)).toEqual(['deployments/api!']);
    expect(logged).not.toContain(`warn ${NEW_STATE}`);
  });

  it('tells everything anew once, however many answers name the new state', async () => {
    await begin('one');
    await answered('two');
    cluster.put(DEPLOYMENTS, object('api', { status: { replicas: 77 } }));
    expect(await sent(10_000)).toEqual(['deployments/api']);
  });
});
