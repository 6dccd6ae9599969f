/**
 * The embedded stack with its HTTP intake as a process of its own. It reaches its WDS with the credentials of the writer
 * alone, so its own forwarder of the WDS may see nothing, and a forwarder program tells of the WDS.
 *
 * Argument: a plan as JSON ({@link InstallationPlan}). It tells its parent the URL of the intake once it runs, logs to
 * standard error, stops in order on SIGTERM, and ends when its parent does.
 */

import { startIntake } from '#local/intake/server.ts';
import { openTokenBook } from '#local/intake/token-book.ts';
import { startStack } from '#local/stack/stack.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import type { InstallationPlan } from './installation-plan.ts';

const plan: InstallationPlan = JSON.parse(process.argv[2] ?? '');
const { kubeconfig, wds, file, tokens, silence } = plan;

const stack = await startStack({
  file,
  wds: {
    name: wds,
    api: createKubernetesApi(loadKubeConfig(kubeconfig, wds), {
      context: wds,
      requestTimeoutMs: 5_000,
      fieldManager: 'starfold',
    }),
  },
  wecs: [],
  silence,
  writer: { identity: 'test', runsAs: 'a test' },
  observability: createObservability({
    service: 'starfold',
    logLevel: 'WARN',
    stream: process.stderr,
    metrics: 'off',
  }),
});
const complain = (fault: unknown): void => {
  if (fault !== undefined) process.stderr.write(`${String(fault)}\n`);
};
const intake = await startIntake({
  host: '127.0.0.1',
  port: 0,
  tokens: await openTokenBook({ file: tokens, wds, onFault: complain }),
  take: (source, bodies) => stack.takeEvents(source, bodies),
  onError: complain,
});

process.on('disconnect', () => process.exit());
process.on('SIGTERM', async () => {
  await intake.stop();
  await stack.stop();
  process.exit();
});
process.send?.(intake.url);
