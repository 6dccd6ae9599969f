import type { Stack } from '#local/stack/stack.ts';
import type { OpenClusters, StartedClusters } from './clusters.ts';
import type { Monitor } from './monitor.ts';
import type { Observation } from './observation.ts';
import type { Output } from './output.ts';
import type { StartPlan } from './plan.ts';
import type { View } from './view.ts';

/** `interrupted` is the shells' exit code for a process that SIGINT ended. */
export const EXIT = { done: 0, failed: 1, interrupted: 130 } as const;

/** How the command ended. `interrupted` means by a signal. */
export type Ending = { readonly exitCode: number } | 'interrupted';

/** The components, after all of them were started. */
export interface Running {
  readonly plan: StartPlan;
  readonly clusters: OpenClusters;
  readonly stack: Stack;
  readonly observation: Observation;
  readonly monitor: Monitor;
  readonly output: Output;
  readonly view: () => View;
  /** What to show in addition to the clusters. */
  readonly status: { progress: () => string; hints: readonly string[] };
  readonly signal: AbortSignal;
}

/** The components of the demo. */
export interface DemoRunning extends Running {
  readonly clusters: StartedClusters;
}
