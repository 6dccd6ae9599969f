import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

/**
 * To be imported first: the clock of the process and its worker threads stands still until it is set. So a real run writes
 * the same times each time. Timers and the monotonic clock go on.
 */
const KEY = 'pictures-clock';

function sharedTime(): Float64Array {
  const given = getEnvironmentData(KEY);
  if (given instanceof SharedArrayBuffer) return new Float64Array(given);
  const made = new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
  setEnvironmentData(KEY, made);
  return new Float64Array(made);
}

const time = sharedTime();

function now(): number {
  return time[0] ?? 0;
}

class StoppedDate extends Date {
  constructor(...args: readonly unknown[]) {
    if (args.length === 0) super(now());
    // What Date itself takes.
    else super(...(args as [number]));
  }

  static override now(): number {
    return now();
  }
}

globalThis.Date = StoppedDate as DateConstructor;

/**
 * Sets the clock of the process and of its worker threads.
 *
 * @param ms milliseconds since the epoch
 */
export function setClock(ms: number): void {
  time[0] = ms;
}
