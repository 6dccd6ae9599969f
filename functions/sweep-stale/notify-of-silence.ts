import { REPORTING, SILENT } from '#shared/core/notification/topic.ts';
import { encodeNotification } from '#shared/messages/notification.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Silence } from '#shared/state/silence.ts';

/** Sends the messages that WECs have become silent or report again. */
export async function notifyOfSilence(
  notifications: MessageSender | undefined,
  held: readonly Silence[],
): Promise<void> {
  if (notifications === undefined || held.length === 0) return;
  await notifications.send(
    held.map(({ name, heartbeat, silent }) => {
      const before = silent ? REPORTING : SILENT;
      const topic = { type: 'silence', wec: name } as const;
      return encodeNotification({ type: 'change', topic, before }, `${heartbeat} ${silent}`);
    }),
  );
}
