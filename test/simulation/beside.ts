import {
  type Action,
  begin,
  crash,
  forwarderTrouble,
  overtake,
  redrive,
  setBinding,
  setCollector,
  setDefinition,
  setReturned,
  setWorkload,
  stray,
  time,
  trouble,
  work,
} from './history.ts';
import { setLabels } from './labels.ts';
import { controlRef, find } from './objects.ts';
import { longTime } from './silence.ts';
import { forge } from './strangers.ts';
import type { World } from './world.ts';

const ACTIONS = 14;

/** A collector of rows, of which all WECs have room. */
const listAll: Action = (world) => {
  const ref = controlRef('statuscollectors', 'list');
  const select = [
    { name: 'wec', def: 'inventory.name' },
    { name: 'status', def: 'returned.status' },
  ];
  const metadata = { name: ref.name };
  const made = { apiVersion: `${ref.group}/${ref.version}`, kind: 'StatusCollector', metadata };
  world.wds.apply(ref, { ...made, ...find(world.wds, ref), spec: { select, limit: 10 } });
};

/** What the honest ones do: the same in a world with hostile ones and in one without. */
const DEEDS: readonly Action[] = [
  setReturned,
  setReturned,
  setReturned,
  setWorkload,
  setBinding,
  setCollector,
  setDefinition,
  setLabels,
  listAll,
  forwarderTrouble,
];

/** What else happens: other things in each world, and nothing of it may be seen at the end. */
const MISFORTUNES: readonly Action[] = [
  crash,
  crash,
  overtake,
  time,
  longTime,
  stray,
  forge,
  redrive,
];

/** Those beside whom the honest ones live. */
interface Neighbours {
  /** They do something. */
  act(): void;
  /** Called after each action, when some work is done. */
  worked?(): Promise<void>;
}

/** Plays what the honest ones do beside others, until nothing is to be done but what is on its way. */
export async function playBeside(world: World, neighbours: Neighbours): Promise<void> {
  const { deeds, scheduler } = world;
  begin(world);
  const how = {
    busy: 2 + scheduler.random.below(10),
    crashes: scheduler.random.pick([0, 0.01, 0.05]),
  };
  for (let action = 0; action < ACTIONS; action += 1) {
    deeds.pick(DEEDS)(world);
    if (scheduler.random.chance(0.7)) scheduler.random.pick(MISFORTUNES)(world);
    neighbours.act();
    await work(world, how);
    await neighbours.worked?.();
  }
  await trouble(world);
  neighbours.act();
}
