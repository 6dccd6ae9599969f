import { explanationDifferences } from './explained.ts';
import { play } from './history.ts';
import { censusDifferences, entryDifferences } from './named.ts';
import { differences } from './oracle.ts';
import { silence } from './silence.ts';
import type { World } from './world.ts';

/** What a history is made of. */
export interface Course {
  /** How many things happen. */
  readonly actions: number;
  /** Whether WECs fall silent after them. */
  readonly silence: boolean;
}

async function allDifferences(world: World): Promise<readonly string[]> {
  return [
    ...differences(world),
    ...(await entryDifferences(world)),
    ...(await censusDifferences(world)),
    ...(await explanationDifferences(world)),
  ];
}

/** Plays a history to its end; what is then wrong. */
export async function outcome(world: World, course: Course): Promise<readonly string[]> {
  await play(world, course.actions);
  await world.quiesce();
  const wrong = [...(await allDifferences(world))];
  if (course.silence) {
    await silence(world);
    await world.rest();
    wrong.push(...(await allDifferences(world)));
  }
  return [...wrong, ...world.failures.map(String)];
}
