import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Manifest } from '#test/e2e/workloads.ts';
import { kindOf } from './shop.ts';

/** The branch that is in the WDS. */
export const MAIN = 'main';
/** The branch that is in the WECs: what has been delivered. */
export const DELIVERED = 'delivered';

/** A git repository of manifests. */
export class Repository {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** An empty repository in a folder, which is made. */
  static async create(folder: string): Promise<Repository> {
    const repository = new Repository(folder);
    await mkdir(folder, { recursive: true });
    await repository.#git('init', '--quiet', `--initial-branch=${MAIN}`);
    return repository;
  }

  /** Commits these manifests and no others to the branch main; returns the commit. */
  async commit(manifests: readonly Manifest[]): Promise<string> {
    const old = (await readdir(this.folder)).filter((name) => name.endsWith('.json'));
    for (const name of old) await rm(join(this.folder, name));
    for (const manifest of manifests) {
      const name = `${kindOf(manifest)}-${manifest.ref.name}.json`;
      await writeFile(join(this.folder, name), JSON.stringify(manifest.object, undefined, 2));
    }
    const author = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    await this.#git('add', '--all');
    await this.#git(...author, 'commit', '--quiet', '--message=A release');
    return this.#git('rev-parse', 'HEAD');
  }

  /** Delivers what is on the branch main; returns the commit. */
  async deliver(): Promise<string> {
    await this.#git('branch', '--force', DELIVERED, MAIN);
    return this.#git('rev-parse', DELIVERED);
  }

  async #git(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('git', ['-C', this.folder, ...args]);
    return stdout.trim();
  }
}
