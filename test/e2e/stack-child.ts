import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FleetMode } from '#shared/core/fleet-object.ts';
import { clusters } from './clusters.ts';
import type { StackPlan } from './stack-plan.ts';

/** The embedded stack in a process of its own; its state file outlives the process. */
export interface StackChild {
  /** Its state file. */
  readonly file: string;
  /** Starts the process on the state that the last one has left. */
  start(): Promise<void>;
  /** SIGKILL: nothing of it runs on, nothing is put in order. */
  kill(): Promise<void>;
  /** Messages that wait, are in flight or are delayed, by queue. */
  backlog(): Promise<Readonly<Record<string, number>>>;
  /** What the processes have logged: warnings and errors. */
  log(): string;
  /** Stops the process in order, if it runs, and removes the state. */
  dispose(): Promise<void>;
}

/** Ends a process with this signal, if it runs, and waits for that. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function launch(
  script: string,
  args: readonly string[],
  onLog: (text: string) => void,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...args], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', onLog);
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error(`${script} does not start: it ended with ${first}`);
  return child;
}

/** A process that is started again and again, with the same arguments unless it is told others. */
async function restartable(script: string, args: readonly string[]) {
  let log = '';
  const start = (given: readonly string[]): Promise<ChildProcess> =>
    launch(script, given, (text) => {
      log += text;
    });
  let child = await start(args);
  return {
    child: () => child,
    start: async (given = args): Promise<void> => {
      child = await start(given);
    },
    kill: () => end(child, 'SIGKILL'),
    log: () => log,
  };
}

/** Runs stack-process.ts with a plan, on a state file of its own. */
async function startPlanned(plan: Omit<StackPlan, 'file'>) {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-stack-'));
  const file = join(folder, 'state.db');
  const argument = (given: Omit<StackPlan, 'file'>): string => JSON.stringify({ ...given, file });
  const { child, start, kill, log } = await restartable('stack-process.ts', [argument(plan)]);
  return {
    file,
    start: (given = plan) => start([argument(given)]),
    kill,
    log,
    backlog: async () => {
      const answered = once(child(), 'message');
      child().send('backlog');
      return (await answered)[0];
    },
    dispose: async () => {
      await end(child(), 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Starts the embedded stack.
 *
 * @param options.kubeconfigPath with the contexts `wds`, `wec1` and `wec2`; that of the run by default
 * @param options.wecs the WECs that it watches itself; both by default
 * @param options.inventory where the ManagedClusters are; without, the Bindings do not follow the BindingPolicies
 * @param options.intake where it takes events of other processes by HTTP, and whose; without, nowhere
 * @throws Error when the process ends before it is ready.
 */
export async function startStackChild(
  options: {
    readonly kubeconfigPath?: string;
    readonly wecs?: readonly string[];
    readonly inventory?: string;
    readonly intake?: { readonly port: number; readonly tokensFile: string };
  } = {},
): Promise<StackChild> {
  const { kubeconfigPath: kubeconfig = clusters().kubeconfigPath, ...rest } = options;
  const stack = await startPlanned({ kubeconfig, wds: 'wds', wecs: ['wec1', 'wec2'], ...rest });
  return { ...stack, start: () => stack.start() };
}

/** The embedded stack of a management cluster of Fleet; each process may be in another mode than the last one. */
export interface FleetStackChild extends Omit<StackChild, 'start'> {
  start(mode: FleetMode): Promise<void>;
}

/**
 * Starts the embedded stack for a management cluster of Fleet, without a WDS. It looks for agents that have fallen silent
 * twice a second.
 *
 * @param cluster its context in the kubeconfig of the run
 * @throws Error when the process ends before it is ready.
 */
export async function startFleetStackChild(
  cluster: string,
  first: FleetMode,
): Promise<FleetStackChild> {
  const planOf = (mode: FleetMode) => ({
    kubeconfig: clusters().kubeconfigPath,
    wecs: [],
    fleet: { cluster, mode },
    silence: { sweepMs: 500 },
  });
  const stack = await startPlanned(planOf(first));
  return { ...stack, start: (mode) => stack.start(planOf(mode)) };
}

/** A WEC's forwarder in a process of its own. */
export type ForwarderChild = Pick<StackChild, 'start' | 'kill' | 'log'>;

/**
 * Starts the forwarder of a WEC that the stack does not watch itself, on the stack's state file.
 *
 * @throws Error when the process ends before it is ready.
 */
export async function startForwarderChild(wec: string, file: string): Promise<ForwarderChild> {
  const args = [clusters().kubeconfigPath, wec, 'wds', file];
  const { start, kill, log } = await restartable('forwarder-process.ts', args);
  return { start: () => start(), kill, log };
}
