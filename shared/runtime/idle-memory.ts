import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type BusyThread, thisThread } from './busy-thread.ts';

/** How long a thread has to rest, in milliseconds. */
const LOOK_MS = 10_000;
/** A thread that is busy for a smaller part of this time rests. Heartbeats and sweeps take less. */
const RESTING = 0.1;

/** V8's function, with the options that are used here. */
type CollectGarbage = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** Returns what collects all garbage of this thread, and gives back the memory. */
function collector(): () => void {
  // Node has no function for it. V8 gives one to each context that is created with this flag.
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as CollectGarbage;
  // Another flavor would keep the room that a load had for new objects.
  return () => collectGarbage({ type: 'major', flavor: 'last-resort' });
}

/**
 * Collects the garbage of this thread once it rests after it was busy. V8 collects when it needs room, so a process at rest would hold
 * the garbage of its last load, which may take several times the memory of what it uses.
 *
 * @returns what ends it
 */
export function collectAtRest(
  thread: Pick<BusyThread, 'utilization'> = thisThread(),
  collect: () => void = collector(),
): () => void {
  // Starting makes garbage, too.
  let wasBusy = true;
  const timer = setInterval(() => {
    const isResting = thread.utilization() < RESTING;
    if (isResting && wasBusy) collect();
    wasBusy = !isResting;
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
