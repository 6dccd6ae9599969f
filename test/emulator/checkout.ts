import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import type { Settings } from '#test/deployment/synthesised-template.ts';
import type { Emulator } from './emulator.ts';

const run = promisify(execFile);
const COPIED = [
  'functions',
  'shared',
  'local',
  'infra',
  'package.json',
  'tsconfig.json',
  'serverless.yml',
];
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** How a command ended. */
export interface CommandResult {
  readonly code: number;
  /** Both of its outputs. */
  readonly output: string;
  readonly ms: number;
}

/** A copy of the project in which a user sets his values and deploys, as he would in a clone of the repository. */
export interface Checkout extends AsyncDisposable {
  readonly stage: string;
  /** Runs `npm run serverless`. @throws Error with what it printed when it fails. */
  serverless(...args: readonly string[]): Promise<CommandResult>;
  /** The archive of a function, as it was packaged last. */
  archive(functionName: string): Promise<Uint8Array>;
  /** Runs `npx starfold` on the stage. */
  starfold(...args: readonly string[]): Promise<CommandResult>;
  /** Changes a file. What is returned takes the change back. @throws Error when that changes nothing. */
  edit(path: string, change: (text: string) => string): Promise<() => Promise<void>>;
}

/** What a failed child process is rejected with. */
interface Failure {
  readonly code?: unknown;
  readonly stdout?: unknown;
  readonly stderr?: unknown;
}

/** Makes a copy with these settings; its commands speak to the emulator. */
export async function createCheckout(
  { env }: Emulator,
  stage: string,
  settings: Settings,
): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'starfold-checkout-'));
  const isOwn = (path: string) => basename(path) !== 'node_modules';
  for (const name of COPIED) await cp(name, join(folder, name), { recursive: true, filter: isOwn });
  for (const name of ['node_modules', join('infra', 'deployment', 'node_modules')])
    await symlink(join(process.cwd(), name), join(folder, name));
  await writeFile(join(folder, 'infra', 'settings.yml'), stringify(settings));

  const command = async (args: readonly string[]): Promise<CommandResult> => {
    const before = performance.now();
    const ended = (code: number, ...outputs: readonly unknown[]): CommandResult => ({
      code,
      output: outputs.join('\n'),
      ms: performance.now() - before,
    });
    try {
      const { stdout, stderr } = await run(process.execPath, ['--no-deprecation', ...args], {
        cwd: folder,
        env: { PATH: dirname(process.execPath), HOME: folder, NO_COLOR: '1', ...env },
        maxBuffer: MAX_OUTPUT_BYTES,
      });
      return ended(0, stdout, stderr);
    } catch (error) {
      // execFile rejects with an error that has these members.
      const { code, stdout, stderr } = error as Failure;
      if (typeof code !== 'number') throw error;
      return ended(code, stdout, stderr);
    }
  };
  return {
    stage,
    serverless: async (...args) => {
      const path = join(
        'infra',
        'deployment',
        'node_modules',
        'serverless',
        'bin',
        'serverless.js',
      );
      const result = await command([path, ...args, '--stage', stage]);
      if (result.code !== 0) throw new Error(`serverless ${args.join(' ')}: ${result.output}`);
      return result;
    },
    archive: (name) => readFile(join(folder, '.serverless', `${name}.zip`)),
    starfold: (...args) =>
      command([join('local', 'cli', 'starfold.ts'), ...args, '--stage', stage]),
    edit: async (path, change) => {
      const before = await readFile(join(folder, path), 'utf8');
      const after = change(before);
      if (after === before) throw new Error(`${path}: there is nothing of that to change`);
      await writeFile(join(folder, path), after);
      return () => writeFile(join(folder, path), before);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
