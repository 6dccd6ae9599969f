import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { env, pid } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { bundleCommand, type PackedFile, PROGRAM } from '#infra/release/bundle-command.ts';

const ROOT = join(import.meta.dirname, '..');
const KEPT = join(ROOT, 'node_modules', '.cache', 'command');
/** What the command reads beside its code, where `packageFile` looks for it. */
const READ = ['infra', 'console', 'local/start'];
const PATIENCE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The same content is at the same path in each run, because Node keeps what it compiles of a file by its path. */
function folderOf(files: readonly PackedFile[]): string {
  const hash = createHash('sha256');
  for (const { name, content } of files) hash.update(`${name} ${content.length}\n`).update(content);
  return join(KEPT, hash.digest('hex'));
}

/** What was made of earlier sources. Tests that run now may use what is younger. */
function removeOld(): void {
  for (const name of readdirSync(KEPT)) {
    const folder = join(KEPT, name);
    if (statSync(folder).mtimeMs < Date.now() - DAY_MS) rmSync(folder, { recursive: true });
  }
}

async function bundle(): Promise<string> {
  const { files } = await bundleCommand(ROOT);
  const folder = folderOf(files);
  const program = join(folder, PROGRAM);
  if (existsSync(program)) return program;
  const unfinished = `${folder}-${pid}`;
  for (const { name, content } of files) {
    mkdirSync(dirname(join(unfinished, name)), { recursive: true });
    writeFileSync(join(unfinished, name), content);
  }
  writeFileSync(join(unfinished, 'package.json'), '{"type":"module"}');
  for (const path of READ) symlinkSync(join(ROOT, path), join(unfinished, path));
  renameSync(unfinished, folder);
  removeOld();
  return program;
}

/** What the first worker of this run that asks has bundled. It bundles for the others. */
async function bundleOnce(run: string): Promise<string> {
  const claim = join(KEPT, `run-${run}`);
  const result = join(claim, 'program');
  if (mkdirSync(claim, { recursive: true }) !== undefined) {
    const program = await bundle();
    writeFileSync(`${result}.unfinished`, program);
    renameSync(`${result}.unfinished`, result);
    return program;
  }
  const tooLate = AbortSignal.timeout(PATIENCE_MS);
  while (!existsSync(result)) {
    if (tooLate.aborted) throw new Error('the command was not bundled by the worker that began it');
    await delay(20);
  }
  return readFileSync(result, 'utf8');
}

const { STARFOLD_TEST_RUN: run, VITEST_MODE: mode } = env;

/**
 * The program of the command as the npm package has it (`infra/release`), made of the sources as they are. It starts sooner
 * than `local/cli/starfold.ts`, and needs less of the processor.
 */
export const PACKAGED_STARFOLD =
  run === undefined || mode !== 'RUN' ? await bundle() : await bundleOnce(run);
