import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects the garbage of what was done before, so that it is not measured. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
}

/** The CPU time of this thread so far, in milliseconds. Other processes do not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The longest time in which this thread did nothing else, as CPU time in milliseconds. */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let [longest, running] = [0, true];
  const looking = (async () => {
    for (let before = cpuMs(); running; ) {
      await turn();
      const now = cpuMs();
      longest = Math.max(longest, now - before);
      before = now;
    }
  })();
  await work();
  running = false;
  await looking;
  return longest;
}
