/**
 * The forwarder of one WEC as a process of its own, on the state file of a stack that does not watch that WEC, so that a
 * test can kill it alone.
 *
 * Arguments: kubeconfig file, context of the WEC, name of the WDS, state file. It tells its parent `ready` once it has
 * seen everything that stands in the WEC, and ends when its parent does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import { nextEpoch } from '#local/stack/epoch.ts';
import { loadKubeConfig } from '#shared/adapters/kubernetes/kube-config.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { createSqliteMessageQueue } from '#shared/adapters/sqlite/message-queue.ts';
import { createObservability } from '#shared/runtime/observability.ts';

const [kubeconfigPath, context = '', wds = '', file = ''] = process.argv.slice(2);
const database = openSqliteDatabase(file);
const { logger } = createObservability({
  service: 'starfold',
  logLevel: 'WARN',
  stream: process.stderr,
});
const source = { type: 'wec', name: context, wds } as const;

startForwarder({
  api: createKubernetesApi(loadKubeConfig(kubeconfigPath, context), {
    context,
    requestTimeoutMs: 5_000,
    fieldManager: 'starfold',
  }),
  queue: createSqliteMessageQueue(database, {
    name: 'events',
    fifo: false,
    visibilityTimeoutSeconds: 60,
    maxReceiveCount: 200,
    clock: Date.now,
  }),
  source: { ...source, resources: [{ group: 'apps', version: 'v1', resource: 'deployments' }] },
  epoch: await nextEpoch(createSqliteItemStore(database), source, Date.now()),
  clock: Date.now,
  random: () => 0.5,
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
  logger: {
    info: () => undefined,
    warn: (message, fields) => logger.warn(message, { ...fields }),
    error: (message, fields) => logger.error(message, { ...fields }),
  },
  onState: ({ complete }) => {
    if (complete) process.send?.('ready');
  },
});
process.on('disconnect', () => process.exit());
