import { createObservability } from '#functions/sqs/observability.ts';
import { exponentialRetry, withRetry } from '#functions/sqs/retry.ts';
import { createTelemetry } from '#functions/sqs/telemetry.ts';
import { createInvocation } from '#functions/write-results/invocation.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import {
  createFreshWdsConnections,
  createWdsConnections,
  WDS_IDLE_TIMEOUT_MS,
  WDS_REQUEST_TIMEOUT_MS,
} from '#functions/write-results/wds-connections.ts';
import type { WdsConnectionsDeps } from '#functions/write-results/wds-session.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { loadKubeConfigText } from '#shared/adapters/kubernetes/kube-config-text.ts';
import { createKubernetesApi } from '#shared/adapters/kubernetes/kubernetes-api.ts';
import { parseKubeconfigPlaces } from '#shared/adapters/parameters/kubeconfig-places.ts';
import { createKubeconfigSource } from '#shared/adapters/parameters/kubeconfig-source.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { readEnv } from '#shared/env.ts';

const env = readEnv('writeResults');
const observability = createObservability({
  service: 'write-results',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const telemetry = createTelemetry(observability);
const client = createSqsClient();
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});
const source = createKubeconfigSource(parseKubeconfigPlaces(env.WDS_KUBECONFIGS), {
  region: env.AWS_REGION,
});
const connections: WdsConnectionsDeps = {
  source,
  connect: (kubeconfig, place) =>
    createKubernetesApi(loadKubeConfigText(kubeconfig, place), {
      fieldManager: 'starfold',
      requestTimeoutMs: WDS_REQUEST_TIMEOUT_MS,
      idleTimeoutMs: WDS_IDLE_TIMEOUT_MS,
    }),
  clock: Date.now,
};

const writeResults = createWriteResults(
  {
    store,
    dirty: createSqsMessageQueue({ client, queueUrl: env.DIRTY_QUEUE_URL, fifo: true }),
    wds: createWdsConnections(connections),
    clock: Date.now,
    telemetry,
  },
  observability,
);

/** Lambda's entry point. */
export const handler = createInvocation(
  withRetry(writeResults, {
    queue: createSqsMessageQueue({ client, queueUrl: env.HINTS_QUEUE_URL, fifo: true }),
    seconds: exponentialRetry,
    telemetry,
  }),
  () => ({
    store,
    wdses: [...source.places.keys()],
    wds: createFreshWdsConnections(connections),
  }),
  observability,
);
