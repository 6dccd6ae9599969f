/**
 * The embedded stack as a process of its own, so that a test can kill it at any point.
 *
 * Arguments: kubeconfig file, context of the WDS, contexts of the WECs that it watches itself (with commas), state file,
 * and, to make the Bindings follow the BindingPolicies, the context with the ManagedClusters (`''`: they do not). Contexts
 * are the names of the clusters. Two more make it take events by HTTP: a port of 127.0.0.1 and a tokens file.
 *
 * It tells its parent `ready` once it runs, and answers each message with its backlog. It logs to standard error, stops in
 * order on SIGTERM, and ends when its parent does.
 */
import { createObservability } from '#functions/sqs/observability.ts';
import { startIntake } from '#infra/local/intake/server.ts';
import { openTokenBook } from '#infra/local/intake/token-book.ts';
import { type StackCluster, startStack } from '#infra/local/stack.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { returnInFlight } from '#shared/adapters/sqlite/in-flight.ts';

const [kubeconfigPath, wds = '', wecs = '', file = '', inventory = '', port, tokensFile = ''] =
  process.argv.slice(2);
const kubeConfig = loadKubeConfig(kubeconfigPath, wds);

function cluster(context: string): StackCluster {
  const options = { context, requestTimeoutMs: 5_000, fieldManager: 'starfold' };
  return { name: context, api: createKubernetesApi(kubeConfig, options) };
}

// As `starfold start` does: what a killed process had in flight is delivered at once.
const database = openSqliteDatabase(file);
returnInFlight(database);
database.close();

const stack = await startStack({
  file,
  wds: cluster(wds),
  wecs: wecs === '' ? [] : wecs.split(',').map(cluster),
  ...(inventory === '' ? {} : { resolveBindings: { inventory: cluster(inventory) } }),
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
  port === undefined
    ? undefined
    : await startIntake({
        host: '127.0.0.1',
        port: Number(port),
        tokens: await openTokenBook({ file: tokensFile, wds, onFault: complain }),
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
