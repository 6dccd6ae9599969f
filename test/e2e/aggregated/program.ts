import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { eventually } from '#test/e2e/controls.ts';
import { end } from '#test/e2e/stack-child.ts';

const STARFOLD = join(import.meta.dirname, '../../../local/cli/starfold.js');

/** `starfold start` with the API of the WDS, on a state file that outlives the process. */
export class ServingProgram {
  readonly #folder: string;
  #child: ChildProcess | undefined;
  #log = '';

  /** @param folder with `kubeconfig`, `tls.crt` and `tls.key` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Starts a process and waits until it serves; returns its address. Its port is a free one. */
  async start(): Promise<string> {
    const at = (file: string): string => join(this.#folder, file);
    const config = at('state/api-kubeconfig');
    rmSync(config, { force: true });
    const watched = ['--wds', 'wds', '--wec', 'wec1', '--wec', 'wec2'];
    const tls = ['--tls-cert', at('tls.crt'), '--tls-key', at('tls.key')];
    // Only one installation writes a WDS.
    const state = ['--state', at('state/state.db'), '--identity', 'test'];
    const args = ['--kubeconfig', at('kubeconfig'), ...watched, '--api', '127.0.0.1:0', ...tls];
    const child = spawn(process.execPath, [STARFOLD, 'start', ...args, ...state], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        this.#log += text;
      });
    await eventually(async () => existsSync(config) || this.#log, true);
    return parse(readFileSync(config, 'utf8')).clusters[0].cluster.server;
  }

  /** Ends the process. SIGKILL: nothing is put in order. */
  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.#child !== undefined) await end(this.#child, signal);
  }

  /** What the processes have printed. */
  log(): string {
    return this.#log;
  }
}
