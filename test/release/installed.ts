import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { NpmPackage } from '#infra/release/command-package.ts';

const run = promisify(execFile);

/** What a command has printed, and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The package, installed by npm into a folder that has nothing else. */
export class Installed {
  /** Commands run in it. */
  readonly folder: string;
  readonly #root: string;

  private constructor(root: string) {
    this.#root = root;
    this.folder = join(root, 'empty');
  }

  static async of({ archive: { file, content } }: NpmPackage): Promise<Installed> {
    const root = mkdtempSync(join(tmpdir(), 'starfold-release-'));
    mkdirSync(join(root, 'empty'));
    mkdirSync(join(root, 'home'));
    writeFileSync(join(root, file), content);
    const flags = ['--offline', '--no-audit', '--no-fund', '--cache', join(root, 'cache')];
    await run('npm', ['install', ...flags, '--prefix', root, join(root, file)], { cwd: root });
    return new Installed(root);
  }

  /** A file or folder of the installed package. */
  path(name: string): string {
    return join(this.#root, 'node_modules', 'starfold', name);
  }

  /** Runs a command by the name that npm has given it. */
  command(name: string, ...args: readonly string[]): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = this.start(name, ...args);
      const texts = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (texts.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.stderr += text));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code: code ?? -1, ...texts }));
    });
  }

  /** Starts a command that does not end by itself. */
  start(name: string, ...args: readonly string[]) {
    const program = join(this.#root, 'node_modules', '.bin', name);
    const env = { PATH: join(process.execPath, '..'), HOME: join(this.#root, 'home') };
    return spawn(process.execPath, [program, ...args], {
      cwd: this.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }
}
