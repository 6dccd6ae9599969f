import { topicText } from '#shared/core/notification/topic.ts';
import { notificationGroup, parseNotification } from '#shared/messages/notification.ts';
import { createSqsHandler, type Observability, type SqsHandler } from '#shared/runtime/batch.ts';
import type { SendNotificationsDeps } from './deps.ts';
import { sendNotifications } from './use-case.ts';

/** The function behind the queue of notifications. */
export function createSendNotifications(
  deps: SendNotificationsDeps,
  observability: Observability,
): SqsHandler {
  return createSqsHandler(
    {
      parse: parseNotification,
      groupOf: notificationGroup,
      fieldsOf: ({ topic }) => ({ topic: topicText(topic) }),
      handle: (messages) => sendNotifications(deps, messages),
    },
    observability,
  );
}
