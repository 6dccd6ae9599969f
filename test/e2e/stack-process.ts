/**
 * The embedded stack as a process of its own, so that a test can kill it at any point.
 *
 * Argument: a plan as JSON ({@link StackPlan}).
 *
 * It tells its parent `ready` once it runs, and answers each message with its backlog. It logs to standard error, stops in
 * order on SIGTERM, and ends when its parent does.
 */

import { startIntake } from '#local/intake/server.ts';
import { openTokenBook } from '#local/intake/token-book.ts';
import { startStack } from '#local/stack/stack.ts';
import type { StackCluster } from '#local/stack/stack-options.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { SORT } from '#shared/state/keys.ts';
import type { StackPlan } from './stack-plan.ts';

const plan: StackPlan = JSON.parse(process.argv[2] ?? '');
const { file, wds, inventory, fleet, silence } = plan;
const kubeConfig = loadKubeConfig(plan.kubeconfig, wds ?? fleet?.cluster);

function cluster(context: string): StackCluster {
  const options = { context, requestTimeoutMs: 5_000, fieldManager: 'starfold' };
  return { name: context, api: createKubernetesApi(kubeConfig, options) };
}

// As `starfold start` does: what a killed process had in flight is delivered at once.
const database = openSqliteDatabase(file);
returnInFlight(database, SORT.trying);
database.close();

const stack = await startStack({
  file,
  ...(wds === undefined ? {} : { wds: cluster(wds) }),
  wecs: plan.wecs.map(cluster),
  ...(inventory === undefined ? {} : { inventory: cluster(inventory), resolveBindings: {} }),
  ...(fleet === undefined ? {} : { fleet: { ...fleet, cluster: cluster(fleet.cluster) } }),
  ...(silence === undefined ? {} : { silence }),
  writer: { identity: 'test', runsAs: 'a test' },
  observability: createObservability({
    service: 'starfold',
    logLevel: 'WARN',
    stream: process.stderr,
    metrics: 'off',
  }),
});

const complain = (error: unknown): void => {
  process.stderr.write(`${String(error)}\n`);
};
const intake =
  plan.intake === undefined
    ? undefined
    : await startIntake({
        host: '127.0.0.1',
        port: plan.intake.port,
        tokens: await openTokenBook({
          file: plan.intake.tokensFile,
          wds: wds ?? '',
          onFault: complain,
        }),
        take: (source, bodies) => stack.takeEvents(source, bodies),
        onError: complain,
      });

process.on('message', async () => process.send?.(await stack.backlog()));
process.on('disconnect', () => process.exit());
process.on('SIGTERM', async () => {
  await intake?.stop();
  await stack.stop();
  process.exit();
});
process.send?.('ready');
