import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestEnvironment } from '#tools/envtest.ts';

const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_CHARACTERS = 3_000;

/** A program that runs beside API servers. */
export interface Program {
  /** Unique; what its log and messages call it. */
  readonly name: string;
  /** Path of the executable. */
  readonly command: string;
  readonly args: readonly string[];
  /** Its environment, besides HOME and TMPDIR, which are {@link Supervisor.folder}. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs programs as children of this process. */
export interface Supervisor {
  /** A folder of this run, which is removed at the end. */
  readonly folder: string;
  /**
   * Starts a program. Where it ends by itself, the end of its log goes to standard error and everything is stopped.
   *
   * @returns the path of its log: standard output and standard error.
   */
  run(program: Program): Promise<string>;
  /**
   * Waits until something is true.
   *
   * @param what it waits for, for the message
   * @returns what `isTrue` has given
   * @throws Error when it is not in time, or everything is being stopped.
   */
  until<T>(what: string, isTrue: () => Promise<T | undefined | false>): Promise<T>;
}

interface Supervised<T> {
  /** What runs, for messages. */
  readonly name: string;
  /** API servers that `start` starts; they are stopped after the programs. */
  readonly environments: readonly TestEnvironment[];
  /** The folder of the run, which exists; a new one by default. */
  readonly folder?: string;
  /** What it returns is sent to the parent. */
  start(supervisor: Supervisor): Promise<T>;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(kill);
}

async function waitUntil<T>(
  isTrue: () => Promise<T | undefined | false>,
  { what, isStopping }: { readonly what: string; readonly isStopping: () => boolean },
): Promise<T> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const found = await isTrue();
    if (found) return found;
    if (isStopping()) throw new Error('stopped while it starts');
    if (Date.now() > deadline) throw new Error(`still waiting: ${what}`);
    await pause(100);
  }
}

/**
 * Starts API servers and programs, and tells the parent what runs, in a process that all others are children of: a test
 * that fails, is interrupted or is killed leaves nothing behind. Stops everything in order and removes its files on SIGTERM
 * and SIGINT, when the parent ends, and when one of the programs does.
 */
export async function supervise<T>(supervised: Supervised<T>): Promise<void> {
  const { name, environments, start } = supervised;
  const folder = supervised.folder ?? (await mkdtemp(join(tmpdir(), 'starfold-')));
  const children = new Set<ChildProcess>();
  let starting: Promise<T> | undefined;
  let stopping: Promise<void> | undefined;

  async function stopAll(): Promise<void> {
    await starting?.catch(() => undefined);
    // Programs first: without an API server they would only wait for it.
    await Promise.all([...children].map(end));
    await Promise.all(environments.map((environment) => environment.stop()));
    await rm(folder, { recursive: true, force: true });
  }

  async function exit(code: number): Promise<void> {
    stopping ??= stopAll();
    await stopping;
    process.exit(code);
  }

  async function run(program: Program): Promise<string> {
    const log = join(folder, `${program.name}.log`);
    const output = createWriteStream(log);
    await once(output, 'open');
    // Only the folder may be written to: some programs keep files in HOME.
    const child = spawn(program.command, program.args, {
      stdio: ['ignore', output, output],
      env: { HOME: folder, TMPDIR: folder, ...program.env },
    });
    child.once('exit', async (code, signal) => {
      children.delete(child);
      output.close();
      if (stopping !== undefined) return;
      const said = (await readFile(log, 'utf8')).slice(-LOG_CHARACTERS);
      process.stderr.write(`${program.name} has ended (${code ?? signal}):\n${said}\n`);
      await exit(1);
    });
    await once(child, 'spawn');
    children.add(child);
    return log;
  }

  for (const reason of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
    process.on(reason, () => exit(0));
  try {
    const isStopping = (): boolean => stopping !== undefined;
    const until: Supervisor['until'] = (what, isTrue) => waitUntil(isTrue, { what, isStopping });
    starting = start({ folder, run, until });
    const running = await starting;
    // Where it is being stopped, the parent may be gone.
    if (stopping === undefined) process.send?.(running);
  } catch (error) {
    const words = error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${name} do not start: ${words}\n`);
    await exit(1);
  }
}
