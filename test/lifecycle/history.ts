import { ApiInvalidError, ApiNotFoundError } from '#shared/errors.ts';
import { Random } from '#test/simulation/scheduler.ts';
import type { Action } from './action.ts';
import {
  beginInventory,
  deleteBinding,
  deleteCluster,
  deleteCollector,
  deletePolicy,
  recreatePolicy,
  setBinding,
  setCluster,
  setCollector,
  setPolicy,
  spoilCollector,
} from './control-actions.ts';
import {
  addStray,
  tamperWithBinding,
  tamperWithCombinedStatus,
  tamperWithControl,
  tamperWithLabels,
  tamperWithStatus,
} from './tampering.ts';
import { deleteReturned, setReturned, setReturnedStanding } from './wec-actions.ts';
import {
  deleteWorkload,
  labelNamespace,
  recreateNamespace,
  recreateWorkload,
  releaseFinalizers,
  setWorkload,
} from './workload-actions.ts';
import type { World } from './world.ts';

const toggleStack: Action = async (world) => {
  if (world.isRunning) await world.stopStack();
  else await world.startStack();
  return world.isRunning ? 'start the stack' : 'stop the stack';
};

const restart: Action = async (world) => {
  await world.stopStack();
  await world.startStack();
  return 'restart the stack';
};

const forget: Action = async (world, random) => {
  const cluster = random.pick([world.wds, world.inventory, ...world.wecs]);
  cluster.simulated.forgetHistory();
  return `${cluster.name} forgets its history`;
};

/** Waited for in full only if something is wrong: the machine may be busy. */
const REST_MS = 60_000;

const rest: Action = async (world) => {
  await world.quiet(Date.now() + REST_MS);
  return 'rest';
};

const ACTIONS: readonly (readonly [weight: number, action: Action])[] = [
  [7, setWorkload],
  [2, deleteWorkload],
  [3, recreateWorkload],
  [1, releaseFinalizers],
  [5, setPolicy],
  [1, deletePolicy],
  [1, recreatePolicy],
  [5, setCollector],
  [2, spoilCollector],
  [1, deleteCollector],
  [2, setBinding],
  [1, deleteBinding],
  [3, labelNamespace],
  [1, recreateNamespace],
  [3, setCluster],
  [1, deleteCluster],
  [4, setReturned],
  [8, setReturnedStanding],
  [2, deleteReturned],
  [2, tamperWithStatus],
  [2, tamperWithLabels],
  [3, tamperWithCombinedStatus],
  [1, addStray],
  [2, tamperWithControl],
  [1, tamperWithBinding],
  [1, toggleStack],
  [1, restart],
  [1, forget],
  [4, rest],
];

const LONE_CHANGES = 8;
const NOT_ALONE: readonly Action[] = [rest, restart, toggleStack, setReturned, releaseFinalizers];
const LONE: readonly Action[] = [
  ...ACTIONS.map(([, action]) => action).filter((action) => !NOT_ALONE.includes(action)),
  ...[spoilCollector, spoilCollector, setCollector, setCluster, labelNamespace, recreatePolicy],
];

/**
 * What one history is made of: each has some things more often and leaves others out, since what repairs one fault hides
 * another (a restart makes everything be looked at).
 */
function mixture(random: Random): readonly Action[] {
  return ACTIONS.flatMap(([weight, action]) =>
    Array<Action>(weight * random.pick([0, 1, 1, 2])).fill(action),
  );
}

/** A few objects to begin with, so that short histories reach everything. */
async function begin(world: World, random: Random): Promise<void> {
  const objects = Array<Action>(10).fill(setWorkload);
  const said = Array<Action>(4).fill(setReturnedStanding);
  const rest = [setCollector, setCollector, setCollector, setPolicy, setPolicy, ...said];
  const names = [labelNamespace, labelNamespace];
  for (const action of [beginInventory, ...names, ...objects, ...rest])
    await attempt(action, world, random);
}

/** Whether an API server refused what a user tried; that happens, and nothing follows from it. */
function isRefused(error: unknown): boolean {
  return error instanceof ApiInvalidError || error instanceof ApiNotFoundError;
}

/** Does one thing with random numbers of its own; an API server may refuse what a user tries. */
async function attempt(action: Action, world: World, random: Random): Promise<string> {
  try {
    return await action(world, new Random(random.below(2 ** 31)));
  } catch (error) {
    if (!isRefused(error)) throw error;
    return `refused: ${String(error)}`;
  }
}

/**
 * Plays the random history of a seed: 15 to 40 things happen, while the stack runs or, in between, does not. Each draws
 * numbers of its own, so that what happens does not depend on how fast the stack is.
 *
 * @param told is told of everything that has happened
 */
export async function play(
  world: World,
  seed: number,
  told: (text: string) => void,
): Promise<void> {
  const random = new Random(seed);
  const startsEarly = random.chance(0.5);
  if (startsEarly) await world.startStack();
  await begin(world, random);
  if (!startsEarly) await world.startStack();
  const actions = mixture(random);
  const doOne = async (action: Action): Promise<void> => told(await attempt(action, world, random));
  for (const _ of Array(10 + random.below(25))) await doOne(random.pick(actions));
  if (!world.isRunning) await doOne(toggleStack);
  // Alone, a change is not made good by what the others bring about.
  for (const _ of Array(LONE_CHANGES)) {
    await doOne(rest);
    await doOne(random.pick(LONE));
  }
}
