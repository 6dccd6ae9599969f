import fc from 'fast-check';
import { test } from 'vitest';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { parseBinding } from '#shared/core/binding/binding.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { withoutMetadata } from '#shared/core/metadata.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { objectKey } from '#shared/core/workload.ts';
import { ApiUnavailableError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { histories } from '#test/histories.ts';
import { expectHeard, ForwarderWorld, type Trouble, troubles } from './forwarder-world.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SERVICES = { group: '', version: 'v1', resource: 'services' };
const KUBESTELLAR = { group: 'control.kubestellar.io', version: 'v1alpha1' };
const BINDINGS = { ...KUBESTELLAR, resource: 'bindings' };
const COLLECTORS = { ...KUBESTELLAR, resource: 'statuscollectors' };
const WORKLOADS = [DEPLOYMENTS, SERVICES];

type Step =
  | Trouble
  | {
      readonly type: 'put' | 'remove';
      readonly resource: number;
      readonly name: string;
      readonly n: number;
    }
  | { readonly type: 'bind'; readonly name: string; readonly objects: readonly string[] }
  | { readonly type: 'unbind'; readonly name: string }
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
  | { readonly type: 'rebind'; readonly resource: number; readonly name: string };

const name = fc.constantFrom('a', 'b', 'c');
const resource = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    ...troubles,
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

const SOURCES: Readonly<Record<'wec' | 'wds', ForwarderSource>> = {
  wec: { type: 'wec', name: 'wec1', wds: 'wds1', resources: WORKLOADS },
  wds: { type: 'wds', name: 'wds1' },
};

class World extends ForwarderWorld {
  readonly type: 'wec' | 'wds';

  constructor(type: 'wec' | 'wds', isShared: boolean) {
    super(SOURCES[type], [...WORKLOADS, BINDINGS, COLLECTORS], isShared);
    this.type = type;
    this.cluster.put(SERVICES, object('Any', 'steady', { status: {} }));
    this.cluster.put(BINDINGS, binding('steady', ['1steady']));
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
        WORKLOADS.flatMap(standing).map(([key, value]) => [
          `wec/wec1 wds1 ${key}`,
          returnedObject(value),
        ]),
      );
    const bindings = standing(BINDINGS);
    const bound = bindings.flatMap(([, value]) => parseBinding(value).objects);
    const named = (key: string): boolean => bound.some((entry) => objectKey(entry) === key);
    return new Map(
      [...bindings, ...WORKLOADS.flatMap(standing).filter(([key]) => named(key))].map(
        ([key, value]) => [`wds/wds1 ${key}`, withoutMetadata(value, 'managedFields')],
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
  if (step.restart) await world.restart(0, remove);
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
  for (const key of cluster.objects(BINDINGS).keys())
    if (key !== '/steady') cluster.remove(BINDINGS, key);
  await time.advance(500);
  cluster.remove(of, `default/${step.name}`);
  await time.advance(500);
  cluster.put(BINDINGS, named);
}

async function take(world: World, step: Step): Promise<void> {
  const { cluster } = world;
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
    case 'away':
      return lookAway(world, step);
    case 'rebind':
      return rebind(world, step);
    default:
      return world.suffer(step);
  }
}

/** Bindings are not told again for a new resourceVersion alone. */
function comparable(known: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  return new Map(
    [...known].map(([key, value]) => [
      key,
      key.includes(` ${BINDINGS.group}/`)
        ? withoutMetadata(value as JsonObject, 'resourceVersion')
        : value,
    ]),
  );
}

test.each([
  ['wec', 'its own', false],
  ['wds', 'its own', false],
  ['wds', 'shared', true],
] as const)(
  'whatever breaks in between, who hears a %s forwarder (watches: %s) in any order knows in the end what stands in the cluster',
  async (type, _watches, isShared) => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.infiniteStream(fc.nat({ max: 1_000_000 })),
        async (history, shuffle) => {
          const world = new World(type, isShared);
          for (const step of history) await take(world, step);
          await world.heal();
          expectHeard(world, world.truth(), {
            rank: () => shuffle.next().value,
            steady: `${type === 'wec' ? 'wec/wec1 wds1' : 'wds/wds1'} /services/default/steady`,
            comparable,
          });
        },
      ),
      { numRuns: histories({ first: 30, all: 200 }) },
    );
  },
);
