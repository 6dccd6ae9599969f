/**
 * Stack and forwarders as processes under a steady load for a long time, with disturbances: whether their memory stays
 * flat, and whether at the end the WDS says of every object what a fresh fold of the WECs' objects gives.
 *
 * `node test/soak/run.ts [--minutes 20] [--rate 50] [--objects 2000] [--wecs 5] [--seed 1] [--disturb-seconds 15]`
 *
 * Exit code 1: something was lost or wrong, or (from 10 minutes on) memory grew; 2: wrong usage; 130: interrupted.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#shared/errors.ts';
import { faultsOf, resultText } from './report.ts';
import { soak } from './soak.ts';

const DEFAULTS = {
  minutes: '20',
  rate: '50',
  objects: '2000',
  wecs: '5',
  seed: '1',
  'disturb-seconds': '15',
} as const;

type Name = keyof typeof DEFAULTS;

function readNumbers(): Readonly<Record<Name, number>> {
  const names = Object.keys(DEFAULTS) as Name[];
  const options = Object.fromEntries(
    names.map((name) => [name, { type: 'string', default: DEFAULTS[name] }] as const),
  );
  const { values } = parseArgs({ options });
  const numbers = Object.fromEntries(names.map((name) => [name, Number(values[name])]));
  for (const name of names)
    if (!(Number(numbers[name]) > 0)) throw new RangeError(`--${name}: give a number above 0`);
  return numbers as Record<Name, number>; // Of all names.
}

function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

async function main(): Promise<number> {
  const { minutes, rate, objects, wecs, seed, 'disturb-seconds': every } = readNumbers();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort(new Error(`interrupted by ${signal}`)));
  const folder = await mkdtemp(join(tmpdir(), 'starfold-soak-'));
  const load = loadavg()[0]?.toFixed(1);
  say(`Node ${process.version}, ${availableParallelism()} cores, load before the run ${load}`);
  say(`${minutes} minutes, ${rate} changes/s, seed ${seed}`);
  try {
    const milliseconds = minutes * 60_000;
    const disturbEveryMs = every * 1000;
    const run = { objects, wecs, rate, milliseconds, disturbEveryMs, seed, folder, say };
    const result = await soak({ ...run, signal: stopping.signal });
    process.stdout.write(resultText(result, milliseconds));
    const faults = faultsOf(result, milliseconds);
    for (const fault of faults) process.stderr.write(`FAILED: ${fault}\n`);
    return faults.length === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`soak: ${messageOf(error)}\n`);
    return stopping.signal.aborted ? 130 : 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exitCode = await main();
// A connection that is still open does not hold up the end.
process.exit();
