import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import { returnedObject } from '#functions/event-forwarder/returned-object.ts';
import { withoutMetadata } from '#functions/event-forwarder/source.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { objectKey } from '#shared/core/workload.ts';
import { ApiUnavailableError, ResourceExpiredError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { FakeCluster } from '#test/fakes/fake-cluster.ts';
import { heard, SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SERVICES = { group: '', version: 'v1', resource: 'services' };
const KUBESTELLAR = { group: 'control.kubestellar.io', version: 'v1alpha1' };
const BINDINGS = { ...KUBESTELLAR, resource: 'bindings' };
const COLLECTORS = { ...KUBESTELLAR, resource: 'statuscollectors' };
const WORKLOADS = [DEPLOYMENTS, SERVICES];

type Step =
  | {
      readonly type: 'put' | 'remove';
      readonly resource: number;
      readonly name: string;
      readonly n: number;
    }
  | { readonly type: 'bind'; readonly name: string; readonly objects: readonly string[] }
  | { readonly type: 'unbind'; readonly name: string }
  | { readonly type: 'queue'; readonly mode: 'accept' | 'lost' | 'unknown' | 'late' }
  | {
      readonly type:
        | 'compact'
        | 'disconnect'
        | 'break'
        | 'expire'
        | 'down'
        | 'up'
        | 'bookmark'
        | 'restart';
    }
  /** The watch breaks, and the object goes while nobody looks. */
  | {
      readonly type: 'away';
      readonly resource: number;
      readonly name: string;
      readonly bookmark: boolean;
      readonly compact: boolean;
      readonly restart: boolean;
    }
  /** A Binding stops naming the object, which goes, and names it again. */
  | { readonly type: 'rebind'; readonly resource: number; readonly name: string }
  | { readonly type: 'wait'; readonly ms: number };

const name = fc.constantFrom('a', 'b', 'c');
const resource = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('put' as const),
        resource,
        name,
        n: fc.nat({ max: 3 }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('remove' as const),
        resource,
        name,
        n: fc.constant(0),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('bind' as const),
        name,
        objects: fc.subarray(['0a', '0b', '0c', '1a', '1b']),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('unbind' as const), name }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('queue' as const),
        mode: fc.constantFrom('accept' as const, 'lost', 'unknown', 'late'),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constantFrom(
          'compact' as const,
          'disconnect',
          'break',
          'expire',
          'down',
          'up',
          'bookmark',
          'restart',
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('away' as const),
        resource,
        name,
        bookmark: fc.boolean(),
        compact: fc.boolean(),
        restart: fc.boolean(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ type: fc.constant('rebind' as const), resource, name }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        type: fc.constant('wait' as const),
        ms: fc.constantFrom(0, 10, 500, 40_000),
      }),
    },
  ),
  { minLength: 1, maxLength: 40 },
);

function object(kind: string, objectName: string, rest: JsonObject): JsonObject {
  return {
    apiVersion: 'v1',
    kind,
    metadata: { namespace: 'default', name: objectName, uid: `uid-${objectName}` },
    ...rest,
  };
}

function binding(bindingName: string, objects: readonly string[]): JsonObject {
  const namespaceScope = objects.map((text) => ({
    ...(WORKLOADS[Number(text[0])] ?? DEPLOYMENTS),
    namespace: 'default',
    name: text.slice(1),
    resourceVersion: '1',
  }));
  return {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: bindingName },
    spec: { destinations: [{ clusterId: 'wec1' }], workload: { namespaceScope } },
  };
}

class World {
  readonly cluster = new FakeCluster();
  readonly queue = new SentMessages();
  readonly time = new VirtualTime();
  readonly type: 'wec' | 'wds';
  #epoch = 0;
  #forwarder: ReturnType<typeof startForwarder>;

  constructor(type: 'wec' | 'wds') {
    this.type = type;
    for (const served of [...WORKLOADS, BINDINGS, COLLECTORS])
      this.cluster.serve({ ...served, kind: 'Any', namespaced: true, statusSubresource: true });
    this.#forwarder = this.#start();
  }

  #start(): ReturnType<typeof startForwarder> {
    this.#epoch += 1;
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    return startForwarder({
      api: this.cluster,
      queue: this.queue,
      source:
        this.type === 'wec'
          ? { type: 'wec', name: 'wec1', wds: 'wds1', resources: WORKLOADS }
          : { type: 'wds', name: 'wds1' },
      config: { windowMs: 10 },
      epoch: this.#epoch,
      clock: this.time.clock,
      sleep: this.time.sleep,
      random: () => 0.5,
      logger: silent,
    });
  }

  async restart(meanwhile: () => void = () => undefined): Promise<void> {
    const stopped = this.#forwarder.stop();
    this.queue.release();
    await stopped;
    meanwhile();
    this.#forwarder = this.#start();
  }

  async stop(): Promise<void> {
    await this.#forwarder.stop();
  }

  async heal(): Promise<void> {
    this.cluster.failure = undefined;
    this.queue.mode = 'accept';
    this.queue.release();
    await this.time.advance(120_000);
  }

  /** What a receiver must know in the end. */
  truth(): ReadonlyMap<string, unknown> {
    const standing = (of: Resource): readonly [string, JsonObject][] =>
      [...this.cluster.objects(of)].map(([key, value]) => [
        `${of.group}/${of.resource}/${key}`,
        value,
      ]);
    if (this.type === 'wec')
      return new Map(
        WORKLOADS.flatMap(standing).map(([key, value]) => [key, returnedObject(value)]),
      );
    const bindings = standing(BINDINGS);
    const bound = bindings.flatMap(([, value]) => parseBinding(value).objects);
    const named = (key: string): boolean => bound.some((entry) => objectKey(entry) === key);
    return new Map(
      [...bindings, ...WORKLOADS.flatMap(standing).filter(([key]) => named(key))].map(
        ([key, value]) => [key, withoutMetadata(value, 'managedFields')],
      ),
    );
  }
}

async function lookAway(world: World, step: Extract<Step, { type: 'away' }>): Promise<void> {
  const { cluster, time } = world;
  const remove = (): void =>
    cluster.remove(WORKLOADS[step.resource] ?? DEPLOYMENTS, `default/${step.name}`);
  await time.advance(500);
  if (step.bookmark) cluster.bookmark();
  cluster.disconnect(new ApiUnavailableError('watch', 'reset'));
  if (step.restart) await world.restart(remove);
  else remove();
  if (step.compact) cluster.compact();
}

async function rebind(world: World, step: Extract<Step, { type: 'rebind' }>): Promise<void> {
  const { cluster, time } = world;
  const of = WORKLOADS[step.resource] ?? DEPLOYMENTS;
  const named = binding('a', [`${step.resource}${step.name}`]);
  cluster.put(of, object('Any', step.name, { status: { n: 4 } }));
  cluster.put(BINDINGS, named);
  await time.advance(500);
  for (const key of cluster.objects(BINDINGS).keys()) cluster.remove(BINDINGS, key);
  await time.advance(500);
  cluster.remove(of, `default/${step.name}`);
  await time.advance(500);
  cluster.put(BINDINGS, named);
}

async function take(world: World, step: Step): Promise<void> {
  const { cluster, queue, time } = world;
  switch (step.type) {
    case 'put':
      return cluster.put(
        WORKLOADS[step.resource] ?? DEPLOYMENTS,
        object('Any', step.name, { status: { n: step.n } }),
      );
    case 'remove':
      return cluster.remove(WORKLOADS[step.resource] ?? DEPLOYMENTS, `default/${step.name}`);
    case 'bind':
      return cluster.put(BINDINGS, binding(step.name, step.objects));
    case 'unbind':
      return cluster.remove(BINDINGS, `/${step.name}`);
    case 'queue':
      queue.mode = step.mode;
      return queue.release();
    case 'compact':
      return cluster.compact();
    case 'disconnect':
      return cluster.disconnect();
    case 'break':
      return cluster.disconnect(new ApiUnavailableError('watch', 'reset'));
    case 'expire':
      return cluster.disconnect(new ResourceExpiredError('watch'));
    case 'down':
      cluster.failure = new ApiUnavailableError('any', 'refused');
      return cluster.disconnect(cluster.failure);
    case 'up':
      cluster.failure = undefined;
      return;
    case 'bookmark':
      return cluster.bookmark();
    case 'restart':
      return world.restart();
    case 'away':
      return lookAway(world, step);
    case 'rebind':
      return rebind(world, step);
    case 'wait':
      return time.advance(step.ms);
  }
}

/** Bindings are not told again for a new resourceVersion alone. */
function comparable(known: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    [...known].map(([key, value]) => [
      key,
      key.startsWith(BINDINGS.group)
        ? withoutMetadata(value as JsonObject, 'resourceVersion')
        : value,
    ]),
  );
}

test.each(['wec', 'wds'] as const)(
  'whatever breaks in between, who hears a %s forwarder in any order knows in the end what stands in the cluster',
  async (type) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        async (history, shuffle) => {
          const world = new World(type);
          for (const step of history) await take(world, step);
          await world.heal();
          await world.stop();
          const events = world.queue.events();
          const reordered = events
            .map((event) => ({ event, rank: shuffle.next().value }))
            .sort((a, b) => a.rank - b.rank)
            .map(({ event }) => event);
          const truth = comparable(world.truth());
          expect(comparable(heard(events))).toEqual(truth);
          expect(comparable(heard(reordered))).toEqual(truth);
        },
      ),
      { numRuns: 200 },
    );
  },
);
