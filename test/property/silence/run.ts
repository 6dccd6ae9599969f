import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { type Outcome, playOutages } from './outages.ts';

/**
 * Plays many outages of WECs, as `playOutages` says, in histories of 500.
 *
 *     node test/property/silence/run.ts [outages] [first seed]
 *
 * Prints what was played, also when it is interrupted, and the latest that a verdict has ceased to be Healthy after its limit; exits with 1 where a verdict or
 * a condition was wrong, and names the seed of its history.
 */

const OUTAGES = 500;

/** A worker plays one history after the other. */
function serve(): void {
  parentPort?.on('message', async (seed: number) => {
    const { outages, verdicts, withheld, latestMs, wrong } = await playOutages(seed, OUTAGES);
    parentPort?.postMessage({ outages, verdicts, withheld, latestMs, wrong } satisfies Outcome);
  });
}

async function play(seeds: Iterator<number>, take: (seed: number, one: Outcome) => void) {
  const worker = new Worker(new URL(import.meta.url));
  for (let { value, done } = seeds.next(); done !== true; { value, done } = seeds.next()) {
    worker.postMessage(value);
    const [outcome] = await once(worker, 'message');
    take(value, outcome);
  }
  await worker.terminate();
}

async function main(): Promise<void> {
  const [count = '100000', first = '1'] = process.argv.slice(2);
  const histories = Math.ceil(Number(count) / OUTAGES);
  const seeds = Array.from({ length: histories }, (_history, index) => Number(first) + index);
  const total = { outages: 0, verdicts: 0, withheld: 0, latestMs: 0 };
  const wrong: string[] = [];
  const iterator = seeds.values();
  const take = (seed: number, one: Outcome): void => {
    total.outages += one.outages;
    total.verdicts += one.verdicts;
    total.withheld += one.withheld;
    total.latestMs = Math.max(total.latestMs, one.latestMs);
    wrong.push(...one.wrong.map((text) => `seed ${seed}: ${text}`));
  };
  const tell = (): void => {
    const figure = { firstSeed: Number(first), ...total, wrong: wrong.length };
    process.stdout.write(`${[...wrong.slice(0, 20), JSON.stringify(figure)].join('\n')}\n`);
    process.exitCode = wrong.length > 0 ? 1 : 0;
  };
  process.once('SIGINT', () => {
    tell();
    process.exit();
  });
  await Promise.all(Array.from({ length: availableParallelism() }, () => play(iterator, take)));
  tell();
}

if (isMainThread) await main();
else serve();
