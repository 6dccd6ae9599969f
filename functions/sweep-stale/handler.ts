import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { readEnv } from '#shared/env.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';

const env = readEnv('sweepStale');
const observability = createObservability({
  service: 'sweep-stale',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const client = createSqsClient();
const queue = (queueUrl: string, fifo: boolean) =>
  createSqsMessageQueue({ client, queueUrl, fifo });
const dirty = queue(env.DIRTY_QUEUE_URL, true);
const hints = queue(env.HINTS_QUEUE_URL, true);
/** Present if somebody is notified. */
const { NOTIFICATIONS_QUEUE_URL: notificationsUrl, NOTIFICATIONS_DLQ_URL: refusedUrl } = env;
const notifications = notificationsUrl === undefined ? undefined : queue(notificationsUrl, true);

/** Lambda's entry point. */
export const handler = createSweepStale(
  {
    store: createDynamoDbItemStore({ client: createDynamoDbClient(), tableName: env.TABLE_NAME }),
    dirty,
    hints,
    ...(notifications === undefined ? {} : { notifications }),
    routes: [
      {
        name: 'events',
        deadLetters: queue(env.EVENTS_DLQ_URL, false),
        queue: queue(env.EVENTS_QUEUE_URL, false),
      },
      { name: 'dirty', deadLetters: queue(env.DIRTY_DLQ_URL, true), queue: dirty },
      {
        name: 'hints',
        deadLetters: queue(env.HINTS_DLQ_URL, true),
        queue: hints,
      },
      ...(notifications === undefined || refusedUrl === undefined
        ? []
        : [
            {
              name: 'notifications' as const,
              deadLetters: queue(refusedUrl, true),
              queue: notifications,
            },
          ]),
    ],
    principal: env.REDRIVER_PRINCIPAL,
    countedWdses: env.COUNTED_WDSES,
    clock: Date.now,
    telemetry: createTelemetry(observability),
  },
  observability,
);
