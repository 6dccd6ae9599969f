import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '#shared/core/json.ts';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';
import { bindingOf, wecObject } from './embedded-world.ts';
import { type Figure, quantile, rounded } from './figure.ts';
import { RECORDED } from './recorded-deployment.ts';

const ROUNDS = 15;
const START_GOAL_MS = 150;
/** Of the objects of the WDS, and of those of the WEC. */
const LARGE_BYTES = 25_000_000;
const LARGE_GOAL_S = 5;
const LARGE_GOAL_MB = 500;

/** Has a process say at its end how much memory it had at most, in kilobytes. */
const TOLD_AT_END = `data:text/javascript,${encodeURIComponent(
  "import { writeSync } from 'node:fs'; process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)));",
)}`;

interface Ran {
  readonly ms: number;
  readonly memoryMb: number;
}

/** Runs the command as the package has it, with what it prints on a pipe. */
async function run(args: readonly string[]): Promise<Ran> {
  const begun = performance.now();
  const child = spawn(process.execPath, ['--import', TOLD_AT_END, PACKAGED_STARFOLD, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [, , , told] = child.stdio;
  if (child.stdout === null || told === null || told === undefined || !('read' in told))
    throw new TypeError('the pipes of the command are missing');
  child.stdout.resume();
  const [kilobytes, [code]] = await Promise.all([text(told), once(child, 'exit')]);
  if (code !== 0) throw new Error(`starfold ${args.join(' ')} ended with ${code}`);
  return { ms: performance.now() - begun, memoryMb: Number(kilobytes) / 1_000 };
}

/** Writes what a WDS and a WEC have of so many workload objects. Returns the arguments of `starfold eval` for them. */
async function writeFiles(folder: string, count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_name, index) => `web-${index}`);
  const [wds, wec] = [join(folder, `wds-${count}.json`), join(folder, `wec-${count}.json`)];
  const objects = names.map((name) => wecObject(name, 'wec1', 1));
  const list = (items: readonly JsonObject[]) =>
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  await writeFile(wds, list([bindingOf('all', names, ['wec1']), ...objects]));
  await writeFile(wec, list(objects));
  return ['eval', '-f', wds, '--wec', `wec1=${wec}`, '-o', 'json'];
}

/** The time from the start of the command to its end, and the memory for large files. */
export async function benchCommand(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-command-'));
  const section = `The command as the package has it, from its start to its end, median of ${ROUNDS}`;
  const median = async (args: readonly string[]): Promise<number> => {
    // What Node compiles is kept for the next start.
    await run(args);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push((await run(args)).ms);
    return quantile(times, 0.5);
  };
  try {
    const goal = { type: 'at most', value: START_GOAL_MS } as const;
    const help = await median(['--help']);
    const one = await median(await writeFiles(folder, 1));
    const each = Buffer.byteLength(JSON.stringify(RECORDED));
    const count = Math.round(LARGE_BYTES / each);
    const args = await writeFiles(folder, count);
    const { size } = await stat(join(folder, `wec-${count}.json`));
    const { ms, memoryMb } = await run(args);
    const large = `eval -o json of ${rounded(count)} objects, a file of ${rounded(size / 1_000_000)} MB for the WEC and one for the WDS`;
    return [
      { section, what: '--help', value: help, unit: 'ms', goal },
      { section, what: 'eval of one object', value: one, unit: 'ms', goal },
      {
        section,
        what: `${large}, once`,
        value: ms / 1_000,
        unit: 's',
        goal: { type: 'at most', value: LARGE_GOAL_S },
      },
      {
        section,
        what: `${large}, memory`,
        value: memoryMb,
        unit: 'MB',
        goal: { type: 'at most', value: LARGE_GOAL_MB },
      },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
