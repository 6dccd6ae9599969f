import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from './clusters.ts';

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

/** A process that is started again and again with the same arguments. */
async function restartable(script: string, args: readonly string[]) {
  let log = '';
  const start = (): Promise<ChildProcess> =>
    launch(script, args, (text) => {
      log += text;
    });
  let child = await start();
  return {
    child: () => child,
    start: async (): Promise<void> => {
      child = await start();
    },
    kill: () => end(child, 'SIGKILL'),
    log: () => log,
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
  const folder = await mkdtemp(join(tmpdir(), 'starfold-stack-'));
  const file = join(folder, 'state.db');
  const {
    kubeconfigPath = clusters().kubeconfigPath,
    wecs = ['wec1', 'wec2'],
    inventory = '',
    intake,
  } = options;
  const { child, start, kill, log } = await restartable('stack-process.ts', [
    kubeconfigPath,
    'wds',
    wecs.join(','),
    file,
    inventory,
    ...(intake === undefined ? [] : [String(intake.port), intake.tokensFile]),
  ]);
  return {
    file,
    start,
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
  return { start, kill, log };
}
