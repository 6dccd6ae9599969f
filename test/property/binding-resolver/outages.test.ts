import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ApiNotFoundError, ApiUnavailableError } from '#shared/errors.ts';
import type { ResourceInfo } from '#shared/ports/kubernetes-api.ts';
import { histories } from '#test/histories.ts';
import {
  BINDINGS,
  CLUSTERS,
  CONFIG_MAPS,
  type FakeWds,
  labelled,
  NAMESPACES,
  objectOf,
  POLICIES,
  ResolverBench,
  WIDGETS,
} from '#test/unit/local/binding-resolver/resolver-bench.ts';

const DOWN = new ApiUnavailableError('list', 'down');
const UNKNOWN = new ApiNotFoundError('list', 'no such resource');
const HOUR_MS = 3_600_000;
const WHOLE = 'a b: configmaps/one widgets/one';

interface World {
  readonly bench: ResolverBench;
  readonly inventory: FakeWds;
  /** Resources that discovery leaves out. */
  readonly hidden: Set<string>;
}

type Step =
  | { readonly type: 'fail' | 'forget' | 'heal' | 'hide'; readonly resource: ResourceInfo }
  | { readonly type: 'down' | 'up' | 'compact' | 'disconnect'; readonly inventory: boolean }
  | { readonly type: 'restart' | 'edit status' | 'touch policy' }
  | { readonly type: 'pass'; readonly ms: number };

const resources = [POLICIES, BINDINGS, NAMESPACES, CONFIG_MAPS, WIDGETS, CLUSTERS];
const steps = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constantFrom('fail', 'forget', 'heal', 'hide'),
      // Most of what can go wrong goes wrong with what may be absent.
      resource: fc.constantFrom(...resources, WIDGETS, WIDGETS, CLUSTERS),
    }),
    fc.record({
      type: fc.constantFrom('down', 'up', 'compact', 'disconnect'),
      inventory: fc.boolean(),
    }),
    fc.record({ type: fc.constantFrom('restart', 'restart', 'edit status', 'touch policy') }),
    // All together less than the time after which a resource that is not served is believed to be gone.
    fc.record({ type: fc.constant('pass'), ms: fc.integer({ min: 0, max: 1200 }) }),
  ),
  { maxLength: 24, size: 'max' },
) as fc.Arbitrary<readonly Step[]>; // fast-check infers the union of all types of all members.

function clusterOf({ bench, inventory }: World, isInventory: boolean): FakeWds {
  return isInventory ? inventory : bench.wds;
}

function breakOne(world: World, resource: ResourceInfo, error: Error | undefined): void {
  clusterOf(world, resource === CLUSTERS).break(resource, error);
}

async function start({ bench, inventory }: World): Promise<void> {
  await bench.stop();
  await bench.start({ inventory });
}

async function take(world: World, step: Step): Promise<void> {
  const { bench } = world;
  if ('ms' in step) await bench.pass(step.ms);
  else if ('resource' in step) breakResource(world, step);
  else if ('inventory' in step) disturb(clusterOf(world, step.inventory), step.type);
  else if (step.type === 'restart') await start(world);
  else if (step.type === 'edit status') bench.put(WIDGETS, 'one', { status: { ready: true } });
  else policy(bench, { touched: 'yes' });
}

function breakResource(
  world: World,
  { type, resource }: Extract<Step, { readonly resource: ResourceInfo }>,
): void {
  if (type === 'hide') world.hidden.add(resource.resource);
  else if (type === 'fail') breakOne(world, resource, DOWN);
  else if (type === 'forget') breakOne(world, resource, UNKNOWN);
  else {
    world.hidden.delete(resource.resource);
    breakOne(world, resource, undefined);
  }
}

function disturb(cluster: FakeWds, type: 'down' | 'up' | 'compact' | 'disconnect'): void {
  if (type === 'compact') cluster.compact();
  if (type === 'down') cluster.failure = DOWN;
  if (type === 'up') cluster.failure = undefined;
  if (type === 'down' || type === 'disconnect') cluster.disconnect(DOWN);
}

function policy(bench: ResolverBench, labels: Readonly<Record<string, string>>): void {
  bench.policy('all', { objectNames: ['one'], namespaces: ['shop'] }, labelled(labels));
}

async function createWorld(): Promise<World> {
  const bench = new ResolverBench();
  const inventory = new ResolverBench().wds;
  const hidden = new Set<string>();
  const discover = bench.wds.discover.bind(bench.wds);
  bench.wds.discover = async () => {
    const { resources, unanswered } = await discover();
    return { resources: resources.filter(({ resource }) => !hidden.has(resource)), unanswered };
  };
  bench.wds.serve(WIDGETS);
  inventory.serve(CLUSTERS);
  for (const name of ['a', 'b']) inventory.put(CLUSTERS, objectOf(CLUSTERS, name));
  bench.put(NAMESPACES, 'shop');
  bench.put(CONFIG_MAPS, 'one');
  bench.put(WIDGETS, 'one');
  policy(bench, {});
  const world = { bench, inventory, hidden };
  await start(world);
  return world;
}

it('whatever does not answer, is not served or is forgotten for a while: no Binding changes, and afterwards all follow', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const world = await createWorld();
      const { bench, inventory, hidden } = world;
      expect([bench.says('all'), bench.takeWrites()]).toEqual([WHOLE, ['create all']]);
      for (const step of taken) {
        await take(world, step);
        expect(bench.takeWrites()).toEqual([]);
      }
      hidden.clear();
      for (const cluster of [bench.wds, inventory]) cluster.failure = undefined;
      for (const resource of resources) breakOne(world, resource, undefined);
      bench.remove(CONFIG_MAPS, 'one');
      inventory.remove(CLUSTERS, '/b');
      await bench.pass(HOUR_MS);
      expect(bench.says('all')).toBe('a: widgets/one');
      await bench.stop();
    }),
    { numRuns: histories({ first: 40, all: 300 }) },
  );
});
