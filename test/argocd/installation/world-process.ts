/**
 * A WDS with a real Argo CD and with Starfold, and three WECs, in one process that all others are children of
 * (supervisor.ts). Argument: a {@link WorldPlan} as JSON. It tells its parent a {@link Running}.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClusterName } from '#test/e2e/clusters.ts';
import { type Supervisor, supervise } from '#test/e2e/controllers/supervisor.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { type EnvtestConfig, TestEnvironment } from '#tools/envtest.ts';
import { installArgoCd } from './argo-objects.ts';
import { startArgoCd } from './argo-programs.ts';
import { auditFlags } from './audit.ts';
import { type Running, WECS, type WorldPlan } from './world-plan.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

// The parent is startWorld, which gives a WorldPlan.
const plan: WorldPlan = JSON.parse(process.argv[2] ?? '');
const options = {
  binaryAssetsDirectory: plan.servers,
  useExistingCluster: false,
  apiServerFlags: {
    // The second one keeps a claim that is deleted until a controller says that no pod uses it: none runs here.
    'disable-admission-plugins': 'ServiceAccount,StorageObjectInUseProtection',
  },
};
const wecs = WECS.map((name) => ({ name, environment: new TestEnvironment(options) }));
const wds = new TestEnvironment({
  ...options,
  crdDirectoryPaths: [join(REPOSITORY, 'infra/crds'), join(plan.argoCd, 'manifests/crds')],
  apiServerFlags: { ...options.apiServerFlags, ...(await auditFlags(plan.folder)) },
});

function clusterOf(name: ClusterName, api: EnvtestConfig) {
  const { server, caPem, certPem, keyPem, etcdURL: etcdUrl = '' } = api;
  return { name, server, caPem, certPem, keyPem, etcdUrl };
}

/** As users start it. */
async function startStarfold({ folder, run }: Supervisor, kubeconfig: string): Promise<void> {
  const start = ['start', '--kubeconfig', kubeconfig, '--wds', 'wds', '--identity', 'test'];
  const state = ['--state', join(folder, 'state.sqlite')];
  await run({
    name: 'starfold',
    command: process.execPath,
    args: [
      join(REPOSITORY, 'local/cli/starfold.ts'),
      ...start,
      ...WECS.flatMap((wec) => ['--wec', wec]),
      ...state,
    ],
  });
}

await supervise({
  name: 'a WDS with Argo CD, and its WECs,',
  folder: plan.folder,
  environments: [wds, ...wecs.map(({ environment }) => environment)],
  start: async (supervisor): Promise<Running> => {
    const started = await Promise.allSettled([
      wds.start(),
      ...wecs.map(({ environment }) => environment.start()),
    ]);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    const running: Running = {
      wds: clusterOf('wds', wds.config),
      wecs: wecs.map(({ name, environment }) => clusterOf(name, environment.config)),
    };
    const kubeconfig = join(supervisor.folder, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf([running.wds, ...running.wecs]), { mode: 0o600 });
    const others = wecs.map(({ name, environment }) => [name, environment.config] as const);
    await installArgoCd(wds.config, plan.argoCd, Object.fromEntries(others));
    await startArgoCd(supervisor, { assets: plan.argoCd, kubeconfig });
    await startStarfold(supervisor, kubeconfig);
    return running;
  },
});
