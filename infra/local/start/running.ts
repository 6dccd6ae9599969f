import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from '#infra/local/stack.ts';
import type { StartedClusters } from './clusters.ts';
import type { Monitor } from './monitor.ts';
import type { Observation } from './observation.ts';
import type { Output } from './output.ts';
import type { StartPlan } from './plan.ts';
import type { View } from './view.ts';

/** `interrupted` is the shells' code for a process that SIGINT ended. */
export const EXIT = { done: 0, failed: 1, interrupted: 130 } as const;

/** How the command ended; `interrupted`: a signal ended it. */
export type Ending = { readonly exitCode: number } | 'interrupted';

/** The things that run, once all of them do. */
export interface Running {
  readonly plan: StartPlan;
  readonly clusters: StartedClusters;
  readonly stack: Stack;
  readonly observation: Observation;
  readonly monitor: Monitor;
  readonly output: Output;
  readonly view: () => View;
  /** What to show besides the clusters. */
  readonly said: { progress: () => string; hints: readonly string[] };
  readonly signal: AbortSignal;
}

/** Waits so long, or until the signal aborts; never throws. */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  // An abort ends the wait; the caller looks at its signal.
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Fulfilled when the signal has aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
