import type { FleetObject } from '#shared/core/desired/fleet-targets.ts';
import type { EventContent } from '#shared/core/event.ts';
import { fleetContent } from '#shared/core/fleet/fleet-content.ts';
import {
  AGGREGATED_RESOURCES,
  FLEET_GROUP,
  FLEET_KINDS,
  type FleetResource,
} from '#shared/core/fleet-object.ts';
import { fleetOwnedHash } from '#shared/state/owned-hashes.ts';
import { type Figure, quantile, rounded } from './figure.ts';
import { bundleDeployment, fleetOf } from './fleet-objects.ts';
import { aggregateAll, drain, openUseCaseWorld, type UseCaseWorld } from './use-case-world.ts';

const UPSTREAM = { type: 'fleet', name: 'rancher' } as const;
const BUNDLES = 50;
const SETUP_BATCH = 500;
const WARM_UP = 10;
const CHANGES = 40;
/** Without a divisor in common with the numbers of Clusters. */
const STEP = 37;

function contentOf({ kind, namespace, name, object }: FleetObject, first: boolean): EventContent {
  // There is a resource for each kind.
  const [resource] = Object.entries(FLEET_KINDS).find(([, one]) => one === kind) as [
    FleetResource,
    string,
  ];
  const subject = { group: FLEET_GROUP, resource, namespace, name };
  const hasOwnedHash = AGGREGATED_RESOURCES.some((one) => one === resource);
  return {
    type: 'fleet-object',
    subject,
    first,
    object: fleetContent(resource, object),
    ...(hasOwnedHash ? { ownedHash: fleetOwnedHash(object) } : {}),
  };
}

/** All of a GitRepo recorded and aggregated: what others follow from comes first, so that less is done twice. */
async function fill(world: UseCaseWorld, clusters: number): Promise<void> {
  const contents = fleetOf(BUNDLES, clusters).map((change) => contentOf(change, true));
  for (let from = 0; from < contents.length; from += SETUP_BATCH)
    await world.record(UPSTREAM, contents.slice(from, from + SETUP_BATCH));
  await aggregateAll(world);
  await drain(world.hints, async () => undefined);
}

/** What one changed BundleDeployment costs, from its event to the hints. */
interface Cost {
  readonly ms: number;
  readonly read: number;
  readonly written: number;
}

async function oneChange(world: UseCaseWorld, clusters: number, turn: number): Promise<Cost> {
  const bundle = turn % BUNDLES;
  const change = bundleDeployment(bundle, (turn * STEP) % clusters, turn % 2 === 0);
  world.store.reset();
  const began = performance.now();
  await world.record(UPSTREAM, [contentOf(change, false)]);
  await aggregateAll(world);
  const ms = performance.now() - began;
  const { read, written } = world.store;
  await drain(world.hints, async () => undefined);
  return { ms, read, written };
}

async function measure(clusters: number): Promise<Cost> {
  const { world, close } = openUseCaseWorld(':memory:');
  await fill(world, clusters);
  const costs: Cost[] = [];
  for (let turn = 0; turn < WARM_UP + CHANGES; turn += 1) {
    const cost = await oneChange(world, clusters, turn);
    if (turn >= WARM_UP) costs.push(cost);
  }
  await close();
  const of = (key: keyof Cost, share: number): number =>
    quantile(
      costs.map((cost) => cost[key]),
      share,
    );
  return { ms: of('ms', 0.5), read: of('read', 1), written: of('written', 1) };
}

const SECTION =
  'Fleet in the pipeline: one changed BundleDeployment of 50 Bundles, all four levels';
const [FEW, MANY] = [100, 1000];

/** One change through recording and all aggregations that follow from it, in memory, for growing numbers of Clusters. */
export async function benchFleetPipeline(): Promise<readonly Figure[]> {
  const costs = new Map<number, Cost>();
  for (const clusters of [FEW, MANY]) costs.set(clusters, await measure(clusters));
  const figures = [...costs].flatMap(([clusters, { ms, read, written }]): readonly Figure[] => {
    const what = (text: string): string => `${rounded(clusters)} clusters: ${text}`;
    const all = `of ${rounded(BUNDLES * clusters)} BundleDeployments`;
    return [
      {
        section: SECTION,
        what: what('items read (highest)'),
        value: read,
        unit: 'items',
        beside: all,
      },
      { section: SECTION, what: what('items put (highest)'), value: written, unit: 'items' },
      { section: SECTION, what: what('recording and aggregation, p50'), value: ms, unit: 'ms' },
    ];
  });
  const [few, many] = [costs.get(FEW), costs.get(MANY)];
  if (few === undefined || many === undefined) return figures;
  return [
    ...figures,
    {
      section: SECTION,
      what: `growth of the items read from ${rounded(FEW)} to ${rounded(MANY)} clusters`,
      value: many.read / few.read,
      unit: 'times',
      goal: { type: 'at most', value: Math.sqrt(MANY / FEW) },
      beside: 'the square root; the clusters grow 10 times',
    },
  ];
}
