/**
 * WECs with Kubernetes' own controllers and simulated kubelets, in one process that all others are children of
 * (supervisor.ts). Argument: a {@link Plan} as JSON. It tells its parent what {@link Running} says once all nodes are ready.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '#test/e2e/clusters.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { type EnvtestConfig, restRequestOk, TestEnvironment } from '#tools/envtest.ts';
import { componentsOf } from './components.ts';
import type { Plan, Running, WecPlan } from './plan.ts';
import { stagesOf } from './stages.ts';
import { type Supervisor, supervise } from './supervisor.ts';

// The parent is startControlledWecs, which gives a Plan.
const plan: Plan = JSON.parse(process.argv[2] ?? '');
const environments = plan.wecs.map(
  () => new TestEnvironment({ binaryAssetsDirectory: plan.servers, useExistingCluster: false }),
);

async function isReady(api: EnvtestConfig, node: string): Promise<boolean> {
  const { json } = await restRequestOk(api, 'GET', `/api/v1/nodes/${node}`);
  const conditions: readonly { type: string; status: string }[] = json.status?.conditions ?? [];
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready && json.spec?.taints === undefined;
}

async function addNodes(
  supervisor: Supervisor,
  { name, nodes }: WecPlan,
  api: EnvtestConfig,
): Promise<void> {
  const names = Array.from({ length: nodes }, (_, index) => `${name}-node${index + 1}`);
  for (const node of names)
    await restRequestOk(api, 'POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node, labels: { 'kubernetes.io/hostname': node } },
    });
  for (const node of names)
    await supervisor.until(`node ${node} of ${name} is ready`, () => isReady(api, node));
}

async function startWec(
  supervisor: Supervisor,
  wec: WecPlan,
  environment: TestEnvironment,
): Promise<Cluster> {
  const { name, kubelets } = wec;
  const api = await environment.start();
  const stages = join(supervisor.folder, `${name}-stages.yaml`);
  await writeFile(stages, await stagesOf(plan.kwok, kubelets));
  const components = componentsOf(plan, { kubeconfig: api.kubeconfigPath, stages });
  for (const component of components)
    await supervisor.run({ ...component, name: `${component.name} of ${name}` });
  await addNodes(supervisor, wec, api);
  const { server, caPem, certPem, keyPem, etcdURL: etcdUrl = '' } = api;
  return { name, server, caPem, certPem, keyPem, etcdUrl };
}

await supervise({
  name: 'the WECs',
  environments,
  start: async (supervisor): Promise<Running> => {
    const started = await Promise.allSettled(
      plan.wecs.flatMap((wec, index) => {
        const environment = environments[index];
        return environment === undefined ? [] : [startWec(supervisor, wec, environment)];
      }),
    );
    const wecs = started.map((result) => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    const kubeconfigPath = join(supervisor.folder, 'kubeconfig');
    await writeFile(kubeconfigPath, kubeconfigOf([plan.wds, ...wecs]), { mode: 0o600 });
    return { kubeconfigPath, wecs };
  },
});
