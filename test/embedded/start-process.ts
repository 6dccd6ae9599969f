import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PACKAGED_STARFOLD } from '#test/packaged-command.ts';

/** Only for what never comes: on a busy machine, the rollout of the demo takes longer than 20 s. */
const PATIENCE_MS = 90_000;

/** A running `starfold start` without a terminal. */
export interface StartProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** The first line of standard output from this one on that matches, or has the text, waiting for it. */
  line(wanted: RegExp | string, from?: number): Promise<string>;
  /** How many lines there are. */
  count(): number;
  kill(signal: NodeJS.Signals): void;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

class Running implements StartProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<number | NodeJS.Signals>;
  #out = '';
  #err = '';

  constructor(command: string, args: readonly string[]) {
    this.child = spawn(process.execPath, [command, 'start', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#out += chunk.toString();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => code ?? signal);
  }

  stdout = (): string => this.#out;
  stderr = (): string => this.#err;

  #lines(): readonly string[] {
    return this.#out.split('\n').slice(0, -1);
  }

  count(): number {
    return this.#lines().length;
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async line(wanted: RegExp | string, from = 0): Promise<string> {
    const tooLate = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const found = this.#lines()
        .slice(from)
        .find((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)));
      if (found !== undefined) return found;
      if (tooLate.aborted || this.child.exitCode !== null)
        throw new Error(`no line ${wanted} in:\n${this.#out}\n${this.#err}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** A folder for state files, and the processes that were started in it; both go at the end of the test. */
export interface Workbench extends AsyncDisposable {
  readonly folder: string;
  /** A file in the folder. */
  file(name: string): string;
  start(...args: readonly string[]): StartProcess;
}

/**
 * An empty folder and no process.
 *
 * @param command what is started: the command of the npm package, or one of this checkout
 */
export function workbench(command = PACKAGED_STARFOLD): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'starfold-start-'));
  const started: StartProcess[] = [];
  return {
    folder,
    file: (name) => join(folder, name),
    start: (...args) => {
      const one = new Running(command, args);
      started.push(one);
      return one;
    },
    async [Symbol.asyncDispose]() {
      for (const one of started) one.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      rmSync(folder, { recursive: true });
    },
  };
}
