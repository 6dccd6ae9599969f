import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { readEnv } from '#shared/env.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';

const env = readEnv('aggregateWorkload');
const observability = createObservability({
  service: 'aggregate-workload',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const telemetry = createTelemetry(observability);
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});
const client = createSqsClient();
const queue = (queueUrl: string) => createSqsMessageQueue({ client, queueUrl, fifo: true });
const dirty = queue(env.DIRTY_QUEUE_URL);

const aggregateWorkload = createAggregateWorkload(
  {
    store,
    ...rememberState(store),
    schemas: createBuiltInSchemas(),
    dirty,
    ...(env.NOTIFICATIONS_QUEUE_URL === undefined
      ? {}
      : { notifications: queue(env.NOTIFICATIONS_QUEUE_URL) }),
    hints: queue(env.HINTS_QUEUE_URL),
    clock: Date.now,
    telemetry,
  },
  observability,
);

/** Lambda's entry point. */
export const handler = withRetry(aggregateWorkload, {
  queue: dirty,
  seconds: exponentialRetry,
  telemetry,
});
