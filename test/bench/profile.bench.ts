import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Load, Pending, SIZE } from './embedded.bench.ts';
import { STACK_WORKER, startEmbeddedWorld } from './embedded-world.ts';
import { type Figure, rounded } from './figure.ts';
import { commitOf } from './peers/go-test.ts';
import { samplesOf, sharesOf } from './profile-areas.ts';

const RATES = [50, 500];
const SECONDS = 30;
/** Until most code is compiled. */
const WARM_UP_SECONDS = 40;
const SAMPLES_PER_SECOND = 999;
const MAX_TEXT_BYTES = 2 ** 30;

const run = promisify(execFile);

/** Records what a process does while the work lasts, and returns what perf prints about it. */
async function recorded(pid: number, work: () => Promise<void>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-profile-'));
  const file = join(folder, 'perf.data');
  try {
    const args = ['record', '-F', `${SAMPLES_PER_SECOND}`, '-g', '-p', `${pid}`, '-o', file];
    const perf = spawn('perf', args, { stdio: 'ignore' });
    const ended = once(perf, 'exit');
    await work();
    perf.kill('SIGINT');
    await ended;
    const script = ['script', '-i', file, '--no-inline', '-F', 'comm,ip,sym'];
    return (await run('perf', script, { maxBuffer: MAX_TEXT_BYTES })).stdout;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param stack folder of a checkout whose stack is measured; the one of this checkout, as installed, if it is absent */
async function profileOf(stack: string | undefined): Promise<readonly Figure[]> {
  const pending = new Pending();
  const shown = (workload: number, counter: number): void => pending.shown(workload, counter);
  const world = await startEmbeddedWorld(SIZE, shown, stack);
  const load = new Load(world, pending);
  const whose = stack === undefined ? '' : `, of commit${await commitOf(stack)}, from its sources`;
  const figures: Figure[] = [];
  try {
    await load.run(50, WARM_UP_SECONDS);
    for (const rate of RATES) {
      let cpuMs = Number.NaN;
      const text = await recorded(world.stackPid, async () => {
        ({ cpuMs } = await load.run(rate, SECONDS));
      });
      const section = `Profile at ${rate} changes/s, embedded stack${whose}: CPU for a change, all threads`;
      figures.push({ section, what: 'all', value: cpuMs, unit: 'ms' });
      for (const [what, share] of sharesOf(samplesOf(text)))
        figures.push({
          ...{ section, what, value: share * cpuMs, unit: 'ms' },
          beside: `${rounded(100 * share)} %`,
        });
    }
    return figures;
  } finally {
    await world.stop();
  }
}

function checkStack(folder: string | undefined): void {
  if (folder === undefined || existsSync(join(folder, STACK_WORKER))) return;
  throw new RangeError(
    `--stack: there is no ${STACK_WORKER} in ${folder}: give the folder of a checkout`,
  );
}

/**
 * Where the CPU of the embedded stack goes, by perf's samples of all of its threads.
 *
 * @param options.stack folder of a checkout of another commit with its dependencies, whose stack is measured before
 * @throws RangeError if there is no stack in that folder
 */
export async function benchProfile(options: {
  readonly stack?: string | undefined;
}): Promise<readonly Figure[]> {
  try {
    await run('perf', ['--version']);
  } catch {
    process.stdout.write("\nThe profile was left out: there is no 'perf' on PATH: install it\n");
    return [];
  }
  checkStack(options.stack);
  const before = options.stack === undefined ? [] : await profileOf(resolve(options.stack));
  return [...before, ...(await profileOf(undefined))];
}
