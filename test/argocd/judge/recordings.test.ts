import { expect, it } from 'vitest';
import { recordedObjects } from '#test/property/status/recordings.ts';
import { differenceOf } from './differences.ts';
import { judgeOfFile } from './kinds.ts';

const judge = judgeOfFile();

it('Argo CD itself says of each recorded object what the port says', async () => {
  const objects = recordedObjects().flatMap(({ events }) => events.map(({ object }) => object));
  expect(objects.length).toBeGreaterThan(500);
  const said = await judge().ask(objects);
  const differences = objects.map((object, index) => differenceOf(object, said[index] ?? null));
  expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
});
