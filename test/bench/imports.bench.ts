import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { bundle, functionNames, yardstick } from '#test/bundles/bundle.ts';
import { ENVIRONMENT } from '#test/bundles/environment.ts';
import { type Figure, rounded } from './figure.ts';
import { importTime } from './import-time.ts';

/**
 * The goals are for a machine that imports the DynamoDB client alone in so many milliseconds. A slower one, or one that others use,
 * has more time by as much as it is slower.
 */
const YARDSTICK_MS = 48;
const GOAL_MS = 80;
/** Of the functions with a Kubernetes client, or with a bus of events. */
const CLIENT_GOAL_MS = 150;
const CLIENTS = new Set(['send-notifications', 'serve-api/reviewed', 'write-results']);

const SIZE_GOAL_KB = 500;

/** The size of a file in a deployment package, which is a .zip file, in kB. */
async function packagedKb(file: string): Promise<number> {
  return deflateRawSync(await readFile(file)).length / 1_000;
}

/** The size of the bundle of each function of AWS Lambda, and the time to import it, beside the DynamoDB client alone. */
export async function benchImports(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-imports-'));
  const timeOf = (file: string, enough: number): Promise<number> =>
    importTime(pathToFileURL(file).href, ENVIRONMENT, enough);
  try {
    const alone = await timeOf(await yardstick(folder), YARDSTICK_MS);
    const slowness = Math.max(1, alone / YARDSTICK_MS);
    const [figures, sizes]: [Figure[], Figure[]] = [[], []];
    for (const name of functionNames()) {
      const value = (CLIENTS.has(name) ? CLIENT_GOAL_MS : GOAL_MS) * slowness;
      const { file, bytes } = await bundle(name, folder);
      sizes.push({
        section: 'Size of the bundle of a function, not compressed',
        what: name,
        value: bytes / 1_000,
        unit: 'kB',
        goal: { type: 'at most', value: SIZE_GOAL_KB },
        beside: `${rounded(await packagedKb(file))} kB in a deployment package (.zip)`,
      });
      figures.push({
        section: 'Import of the bundle of a function, the shortest of 15 to 60',
        what: name,
        value: await timeOf(file, value),
        unit: 'ms',
        goal: { type: 'at most', value },
        beside: `the DynamoDB client alone: ${rounded(alone)} ms`,
      });
    }
    return [...sizes, ...figures];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
