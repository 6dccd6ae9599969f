import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { vi } from 'vitest';
import { stringify } from 'yaml';
import { isObject, type JsonObject, parseJson } from '#shared/core/json.ts';

const MAIN = join(import.meta.dirname, '../../functions/event-forwarder/program/main.ts');

/** The forwarder's program as a process. */
export interface ProgramChild {
  /** What it has logged: a line is a JSON object. */
  log(): readonly JsonObject[];
  stdout(): string;
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Status and text of an answer of its health server; waits until that listens. */
  ask(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** A metric of the forwarder, without labels and prefix. */
  metric(name: string): Promise<number>;
}

/** What a process of the program has besides its arguments. */
interface RunsIn {
  /** Modules that are loaded before it. */
  readonly imports: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The file of the program. Default: that of the sources. */
  readonly main?: string | undefined;
}

const children = new Set<ChildProcess>();

/** Ends whatever a test has left. */
export async function killPrograms(): Promise<void> {
  for (const child of children) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

function linesOf(text: string): readonly JsonObject[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => parseJson(line)).filter(isObject);
}

function spawnProgram(
  args: readonly string[],
  { imports, env, main = MAIN }: RunsIn,
): ChildProcess {
  const imported = imports.map((file) => `--import=${file}`);
  const child = spawn(process.execPath, [...imported, main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // biome-ignore lint/style/noProcessEnv: the program has the environment of the tests.
    env: { ...process.env, ...env },
  });
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}

/** Runs the program with these arguments. */
export function runProgram(
  args: readonly string[],
  runsIn: RunsIn = { imports: [], env: {} },
): ProgramChild {
  const child = spawnProgram(args, runsIn);
  const ended = once(child, 'close').then(([code, signal]) => code ?? signal);
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const log = (): readonly JsonObject[] => linesOf(said.stdout);
  const ask = async (path: string) => {
    const port = await vi.waitFor(
      () => {
        const started = log().find(({ message }) => message === 'started');
        if (started === undefined) throw new Error(`it does not listen: ${said.stderr}`);
        return started['port'];
      },
      { timeout: 30_000, interval: 50 },
    );
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  return {
    log,
    stdout: () => said.stdout,
    stderr: () => said.stderr,
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
    ask,
    metric: async (name) => {
      const { text } = await ask('/metrics');
      const value = new RegExp(`^starfold_forwarder_${name} (\\S+)$`, 'm').exec(text)?.[1];
      return Number(value ?? Number.NaN);
    },
  };
}

/** Writes the configuration to the file and runs the program with it. */
export async function startProgram(
  file: string,
  config: object,
  runsIn?: RunsIn,
): Promise<ProgramChild> {
  await writeFile(file, stringify(config));
  return runProgram(['--config', file], runsIn);
}
