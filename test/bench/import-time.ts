import { importOnce } from '#test/bundles/import-once.ts';

const ROUND = 15;
const MAX_ROUNDS = 4;

async function smallest(url: string, env: Readonly<Record<string, string>>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < ROUND; count += 1)
    least = Math.min(least, await importOnce(url, env));
  return least;
}

/**
 * Milliseconds that a cold `import()` of a module takes beyond that of an empty one: the smallest of 15, each in a process
 * of its own. What else the machine does can only add to the time, so the smallest is nearest to what the module costs;
 * while it is above `enough`, another 15 are tried, up to 60.
 *
 * @param url URL of the module, `file:///...`
 * @param env its whole environment
 * @param enough a time that needs no better measurement, in milliseconds
 */
export async function importTime(
  url: string,
  env: Readonly<Record<string, string>>,
  enough: number,
): Promise<number> {
  const empty = await smallest('data:text/javascript,', env);
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && least > enough; round += 1)
    least = Math.min(least, (await smallest(url, env)) - empty);
  return least;
}
