import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusters } from './clusters.ts';

/** The embedded stack in a process of its own; its state file outlives the process. */
export interface StackChild {
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

const SCRIPT = join(import.meta.dirname, 'stack-process.ts');

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}

async function launch(args: readonly string[], onLog: (text: string) => void) {
  const child = spawn(process.execPath, [SCRIPT, ...args], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', onLog);
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error(`the stack does not start: it ended with ${first}`);
  return child;
}

/**
 * Starts the embedded stack for the WDS and both WECs.
 *
 * @param kubeconfigPath with the contexts `wds`, `wec1` and `wec2`; that of the run by default
 * @throws Error when the process ends before it is ready.
 */
export async function startStackChild(
  kubeconfigPath: string = clusters().kubeconfigPath,
): Promise<StackChild> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-stack-'));
  const args = [kubeconfigPath, 'wds', 'wec1,wec2', join(folder, 'state.db')];
  let log = '';
  const start = (): Promise<ChildProcess> =>
    launch(args, (text) => {
      log += text;
    });
  let child = await start();
  return {
    start: async () => {
      child = await start();
    },
    kill: () => end(child, 'SIGKILL'),
    backlog: async () => {
      const answered = once(child, 'message');
      child.send('backlog');
      return (await answered)[0];
    },
    log: () => log,
    dispose: async () => {
      await end(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}
