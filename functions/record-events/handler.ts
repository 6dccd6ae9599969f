import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { createSenderCheck } from '#functions/record-events/sender-check.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { readEnv } from '#shared/env.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { createSpecStore } from '#shared/state/specs.ts';

const env = readEnv('recordEvents');
const observability = createObservability({
  service: 'record-events',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const telemetry = createTelemetry(observability);
const store = createDynamoDbItemStore({
  client: createDynamoDbClient(),
  tableName: env.TABLE_NAME,
});
const client = createSqsClient();
const queue = (queueUrl: string, fifo: boolean) =>
  createSqsMessageQueue({ client, queueUrl, fifo });
const clock = Date.now;

const recordEvents = createRecordEvents(
  {
    store,
    specs: createSpecStore(store),
    dirty: queue(env.DIRTY_QUEUE_URL, true),
    hints: queue(env.HINTS_QUEUE_URL, true),
    deadLetters: queue(env.EVENTS_DLQ_URL, false),
    senders: createSenderCheck({ store, clock, redrivers: [env.REDRIVER_PRINCIPAL] }),
    clock,
    telemetry,
    objectsPerWec: env.OBJECTS_PER_WEC,
  },
  observability,
);

/** Lambda's entry point. */
export const handler = withRetry(recordEvents, {
  queue: queue(env.EVENTS_QUEUE_URL, false),
  seconds: exponentialRetry,
  telemetry,
});
