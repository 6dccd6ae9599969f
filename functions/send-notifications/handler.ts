import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { createDynamoDbClient } from '#shared/adapters/dynamodb/client.ts';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import { createEventBus } from '#shared/adapters/eventbridge/event-bus.ts';
import { createStoredDocument } from '#shared/adapters/parameters/stored-document.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import {
  parseNotifications,
  type WebhookPlace,
} from '#shared/adapters/webhooks/notifications-document.ts';
import { createWebhook } from '#shared/adapters/webhooks/webhook.ts';
import { readEnv } from '#shared/env.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { guardedReceiver } from './guarded-receiver.ts';
import { refreshedHandler } from './refreshed-handler.ts';

/** The name by which rules send events to the event bus of the settings. */
const EVENT_BUS = 'event-bus';

const env = readEnv('sendNotifications');
const observability = createObservability({
  service: 'send-notifications',
  stage: env.STAGE,
  logLevel: env.LOG_LEVEL,
});
const telemetry = createTelemetry(observability);
const client = createSqsClient();
const queue = (queueUrl: string) => createSqsMessageQueue({ client, queueUrl, fifo: true });
const notifications = queue(env.NOTIFICATIONS_QUEUE_URL);
const common = {
  store: createDynamoDbItemStore({ client: createDynamoDbClient(), tableName: env.TABLE_NAME }),
  notifications,
  deadLetters: queue(env.NOTIFICATIONS_DLQ_URL),
  telemetry,
  clock: Date.now,
};
const document = createStoredDocument('notifications', env.NOTIFICATIONS, {
  region: env.AWS_REGION,
});

function receiverOf(place: WebhookPlace): readonly [name: string, receiver: EventReceiver] {
  const webhook = createWebhook({ ...place, onlyRemote: true, clock: Date.now });
  return [place.name, guardedReceiver(webhook, Date.now)];
}

/** The event bus of the settings, by the name that rules give it. */
const buses: ReadonlyMap<string, EventReceiver> =
  env.EVENT_BUS === undefined
    ? new Map()
    : new Map([
        [
          EVENT_BUS,
          guardedReceiver(createEventBus({ name: EVENT_BUS, bus: env.EVENT_BUS }), Date.now),
        ],
      ]);

function open(text: string): SqsHandler {
  const { webhooks, rules } = parseNotifications(document.place, text, [...buses.keys()]);
  const receivers = new Map([...webhooks.map(receiverOf), ...buses]);
  return createSendNotifications({ ...common, rules, receivers }, observability);
}

/** Lambda's entry point. */
export const handler = withRetry(
  refreshedHandler({ read: () => document.read(), open, telemetry }),
  {
    queue: notifications,
    seconds: exponentialRetry,
    telemetry,
  },
);
