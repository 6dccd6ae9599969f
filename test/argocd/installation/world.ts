import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetFolder } from '#test/e2e/assets.ts';
import { end } from '#test/e2e/stack-child.ts';
import { Repository } from './repository.ts';
import type { Running, WorldPlan } from './world-plan.ts';

/** A WDS with a real Argo CD and with Starfold, three WECs that Argo CD deploys to as well, and a git repository. */
export interface World extends Running {
  readonly repository: Repository;
  /** Of this run; removed at its end. */
  readonly folder: string;
  /** Ends all processes and removes their files. */
  stop(): Promise<void>;
}

function isRunning(value: unknown): value is Running {
  return typeof value === 'object' && value !== null && 'wecs' in value;
}

async function launch(plan: WorldPlan): Promise<Running & { readonly child: ChildProcess }> {
  const script = join(import.meta.dirname, 'world-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!isRunning(first))
    throw new Error(`Argo CD and its clusters do not start: ${first} (see the messages above)`);
  return { ...first, child };
}

/**
 * Starts everything. With cold caches of Go it builds the programs first, which takes some minutes.
 *
 * @throws Error when a program cannot be had or does not start.
 */
export async function startWorld(): Promise<World> {
  const servers = await assetFolder({
    script: 'build-kube.sh',
    without: 'kube-apiserver, etcd and kubectl: set KUBEBUILDER_ASSETS to a folder with them',
  });
  const argoCd = await assetFolder({
    script: 'build-argocd.sh',
    without: 'Argo CD: set ARGOCD_ASSETS to a folder with it',
  });
  const folder = await mkdtemp(join(tmpdir(), 'starfold-argocd-'));
  const repository = await Repository.create(join(folder, 'repository'));
  const { child, ...running } = await launch({ servers, argoCd, folder });
  return { ...running, repository, folder, stop: () => end(child, 'SIGTERM') };
}
