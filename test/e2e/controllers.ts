import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assetFolder } from './assets.ts';
import { type Cluster, clusters } from './clusters.ts';
import type { Binaries } from './controllers/components.ts';
import type { Plan, Running, WecPlan } from './controllers/plan.ts';
import { end } from './stack-child.ts';

/** Two WECs in which Kubernetes' own controllers run, with simulated nodes. */
export interface ControlledWecs {
  /** A kubeconfig file with the contexts `wds` (that of the run), `wec1` and `wec2` (these). */
  readonly kubeconfigPath: string;
  readonly wec1: Cluster;
  readonly wec2: Cluster;
  /** Ends all their processes and removes their files. */
  stop(): Promise<void>;
}

/**
 * Finds or builds the programs that run in such WECs. The API servers are of the same folder as those of the run.
 *
 * @throws Error naming what is missing, where it can neither be found nor built.
 */
async function findBinaries(): Promise<Binaries> {
  const controllers = await assetFolder({
    script: 'build-kube.sh',
    variables: ['KUBE_BINS=kube-controller-manager kube-scheduler'],
    without:
      'kube-controller-manager and kube-scheduler: put them into the folder that KUBEBUILDER_ASSETS names',
  });
  const kwok = await assetFolder({
    script: 'build-kwok.sh',
    without: 'kwok with its stages: set KWOK_ASSETS to a folder with them',
  });
  return { servers: dirname(clusters().kubectlPath), controllers, kwok };
}

function isRunning(value: unknown): value is Running {
  return typeof value === 'object' && value !== null && 'kubeconfigPath' in value;
}

async function launch(plan: Plan): Promise<Running & { child: ChildProcess }> {
  const script = fileURLToPath(import.meta.resolve('./controllers/wec-process.ts'));
  const child = spawn(process.execPath, [script, JSON.stringify(plan)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (!isRunning(first))
    throw new Error(`the WECs with controllers do not start: ${first} (see the messages above)`);
  return { ...first, child };
}

/**
 * Starts both WECs and waits until their nodes are ready. With cold caches of Go it builds the programs first, which
 * takes some minutes.
 *
 * @throws Error when a program cannot be had or does not start.
 */
export async function startControlledWecs(
  plans: Readonly<Record<'wec1' | 'wec2', Omit<WecPlan, 'name'>>>,
): Promise<ControlledWecs> {
  const wecs = (['wec1', 'wec2'] as const).map((name) => ({ name, ...plans[name] }));
  const binaries = await findBinaries();
  const running = await launch({ ...binaries, wds: clusters().wds, wecs });
  const [wec1, wec2] = running.wecs;
  if (wec1 === undefined || wec2 === undefined) throw new RangeError('two WECs were asked for');
  const { kubeconfigPath, child } = running;
  return { kubeconfigPath, wec1, wec2, stop: () => end(child, 'SIGTERM') };
}
