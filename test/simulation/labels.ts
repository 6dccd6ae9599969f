import { MANAGED_CLUSTERS } from '#shared/core/binding/managed-cluster.ts';
import type { Labels } from '#shared/core/labels.ts';
import { find } from './objects.ts';
import type { World } from './world.ts';

const REGIONS = ['eu', 'us'] as const;

function someLabels({ deeds: random }: World): Labels {
  return {
    ...(random.chance(0.8) ? { region: random.pick(REGIONS) } : {}),
    ...(random.chance(0.3) ? { turn: `${random.below(3)}` } : {}),
  };
}

/** The forwarder of a WEC starts again, and is given other labels or none. */
function giveLabels(world: World, wec: string): void {
  if (world.deeds.chance(0.3)) world.ownLabels.delete(wec);
  else world.ownLabels.set(wec, someLabels(world));
  const of = world.forwarders.find(({ source }) => source.type === 'wec' && source.name === wec);
  if (of?.running) of.crash();
  of?.start();
}

/** A ManagedCluster comes, gets other labels or goes. */
function setManagedCluster(world: World, wec: string): void {
  const { deeds: random, hub } = world;
  const ref = { ...MANAGED_CLUSTERS, namespace: '', name: wec };
  const metadata = { name: wec, labels: { ...someLabels(world) } };
  if (find(hub, ref) !== undefined && random.chance(0.4)) hub.remove(ref);
  else hub.apply(ref, { kind: 'ManagedCluster', metadata });
}

/** A WEC gets other labels while every forwarder that runs goes on; that of the hub may start again and miss the change. */
export function relabel(world: World): void {
  const { deeds: random } = world;
  const wec = random.pick([...world.wecs.keys()]);
  const isUp = world.wecForwarders(true).some(({ source }) => source.name === wec);
  if (isUp && random.chance(0.2)) giveLabels(world, wec);
  else if (random.chance(0.7)) setManagedCluster(world, wec);
  else {
    const hub = world.forwarders.find(({ isHub }) => isHub);
    hub?.crash();
    setManagedCluster(world, wec);
    hub?.start();
  }
}

/** A WEC gets other labels, by its ManagedCluster or by its forwarder. */
export function setLabels(world: World): void {
  const wec = world.deeds.pick([...world.wecs.keys()]);
  const set = world.deeds.chance(0.3) ? giveLabels : setManagedCluster;
  set(world, wec);
}
