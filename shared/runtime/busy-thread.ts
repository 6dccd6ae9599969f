import { performance } from 'node:perf_hooks';

/** A thread whose time is shared. */
export interface BusyThread {
  /** Milliseconds since some moment. */
  now(): number;
  /** The part of the time since the last call in which the thread was busy, from 0 to 1. */
  utilization(): number;
}

/** The thread that calls it. */
export function thisThread(): BusyThread {
  let before = performance.eventLoopUtilization();
  return {
    now: () => performance.now(),
    utilization: () => {
      const after = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(after, before);
      before = after;
      return utilization;
    },
  };
}
