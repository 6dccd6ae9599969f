import { topicText } from '#shared/core/notification/topic.ts';
import { notificationGroup, parseNotification } from '#shared/messages/notification.ts';
import { createSqsHandler, type Observability, type SqsHandler } from '#shared/runtime/batch.ts';
import type { SendNotificationsDeps } from './deps.ts';
import { ReceiverHeldError } from './guarded-receiver.ts';
import { sendNotifications } from './use-case.ts';

/** The seconds after which an event that was not tried may be. */
function untried(error: unknown): number | undefined {
  return error instanceof ReceiverHeldError ? error.seconds : undefined;
}

/**
 * The function behind the queue of notifications.
 *
 * @param options.givesBack whether the poller of the queue gives back what was not tried. Lambda's does not
 */
export function createSendNotifications(
  deps: SendNotificationsDeps,
  observability: Observability,
  { givesBack = false }: { readonly givesBack?: boolean } = {},
): SqsHandler {
  return createSqsHandler(
    {
      ...(givesBack ? { untried } : {}),
      parse: parseNotification,
      groupOf: notificationGroup,
      fieldsOf: ({ topic }) => ({ topic: topicText(topic) }),
      handle: (messages) => sendNotifications(deps, messages),
    },
    observability,
  );
}
