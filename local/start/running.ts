import type { Stack } from '#local/stack/stack.ts';
import type { OpenClusters, StartedClusters } from './clusters.ts';
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
  readonly clusters: OpenClusters;
  readonly stack: Stack;
  readonly observation: Observation;
  readonly monitor: Monitor;
  readonly output: Output;
  readonly view: () => View;
  /** What to show besides the clusters. */
  readonly said: { progress: () => string; hints: readonly string[] };
  readonly signal: AbortSignal;
}

/** The things that run in the demo. */
export interface DemoRunning extends Running {
  readonly clusters: StartedClusters;
}
