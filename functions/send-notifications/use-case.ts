import { contentHash } from '#shared/content-hash.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { changeEvent } from '#shared/core/notification/change-event.ts';
import { isSameState, topicText } from '#shared/core/notification/topic.ts';
import { ReceiverRefusedError } from '#shared/errors.ts';
import {
  type ChangeMessage,
  type DeliveryMessage,
  encodeNotification,
  type NotificationMessage,
} from '#shared/messages/notification.ts';
import { deliver } from '#shared/outbox/deliver.ts';
import { type Notified, putNotified, readNotified } from '#shared/state/notified.ts';
import { retryContention } from '#shared/state/retry-contention.ts';
import { chooseReceivers } from './choose-receivers.ts';
import type { SendNotificationsDeps } from './deps.ts';
import { NO_LONGER_CONFIGURED, NOT_ACCEPTED } from './messages.ts';
import { presentState } from './present-state.ts';

/** An event with its id, which says nothing else than the event. So an event that is made again is a repeated one. */
function identified(event: JsonObject): JsonObject {
  return { id: contentHash(stringifyJson(event)), ...event };
}

/** What is to be noted of the present state. Undefined if nobody has to be notified. */
async function nextNote(
  deps: SendNotificationsDeps,
  { topic, before }: ChangeMessage,
  noted: Notified | undefined,
): Promise<Notified | undefined> {
  const state = await presentState(deps.store, topic);
  const known = noted?.state ?? { status: before };
  if (state === undefined || isSameState(known, state)) return undefined;
  const nowMs = deps.clock();
  // It grows although the state was lost, because it is not less than the time.
  const revision = Math.max((noted?.revision ?? 0) + 1, nowMs);
  const event = identified(
    changeEvent({ topic, previous: known.status, state, sequence: revision, nowMs }),
  );
  const { receivers, once } = chooseReceivers(deps, event, noted?.once ?? {});
  const sentTo = Object.fromEntries(receivers.map((receiver) => [receiver, revision]));
  const unsent = receivers.length === 0 ? {} : { unsent: { event, receivers } };
  return { revision, state, ...unsent, sentTo: { ...noted?.sentTo, ...sentTo }, once };
}

function deliveries(
  { topic }: ChangeMessage,
  { revision, unsent }: Notified,
): readonly DeliveryMessage[] {
  if (unsent === undefined) return [];
  const { event, receivers } = unsent;
  return receivers.map((receiver) => ({ type: 'delivery', topic, receiver, revision, event }));
}

/**
 * Notes one change and sends its messages, or only sends those of a change that was noted before.
 *
 * @returns true if there was no change
 */
async function step(deps: SendNotificationsDeps, message: ChangeMessage): Promise<boolean> {
  const { store, notifications } = deps;
  const { topic } = message;
  const noted = await readNotified(store, topic);
  const found = noted?.unsent === undefined ? await nextNote(deps, message, noted) : { ...noted };
  if (found === undefined) return true;
  const { unsent, ...sent } = found;
  await deliver<DeliveryMessage>({
    async note() {
      const isNoted =
        noted?.unsent !== undefined ||
        (await putNotified(store, topic, { before: noted, next: found }));
      return isNoted ? deliveries(message, found) : 'outdated';
    },
    async send(messages) {
      if (messages.length === 0) return;
      await notifications.send(
        messages.map((one) => encodeNotification(one, `revision ${one.revision}`)),
      );
    },
    async markSent() {
      if (unsent !== undefined) await putNotified(store, topic, { before: found, next: sent });
      return undefined;
    },
  });
  return false;
}

/**
 * Notifies receivers of the changes of a topic until its state is the one that they were notified of. Steps between may be
 * skipped, the last state never is: the state is read after each change was noted, and the message is acknowledged only then.
 */
function notifyOfChange(deps: SendNotificationsDeps, message: ChangeMessage): Promise<void> {
  return retryContention(`notifications of ${topicText(message.topic)}`, () => step(deps, message));
}

/** Whether a later event about the topic was sent to the same receiver. */
async function isOutdated(
  { store }: SendNotificationsDeps,
  { topic, receiver, revision }: DeliveryMessage,
): Promise<boolean> {
  const noted = await readNotified(store, topic);
  return (noted?.sentTo[receiver] ?? 0) > revision;
}

/**
 * Hands an event over to a receiver, unless a later one was sent to it. What the receiver does not accept becomes a dead letter.
 *
 * @throws ReceiverUnavailableError or ReceiverFailedError if it has to be tried again; ReceiverHeldError if it was not tried
 */
async function deliverEvent(deps: SendNotificationsDeps, message: DeliveryMessage): Promise<void> {
  const { receiver, event } = message;
  const target = deps.receivers.get(receiver);
  const fields = { receiver, id: String(event['id']), subject: String(event['subject']) };
  if (target === undefined) {
    deps.telemetry.warn(NO_LONGER_CONFIGURED, fields);
    return;
  }
  if (await isOutdated(deps, message)) return;
  try {
    await target.deliver(event);
    deps.telemetry.count('Notifications');
  } catch (error) {
    if (!(error instanceof ReceiverRefusedError)) throw error;
    const { body, group, tenant } = encodeNotification({ ...message, refused: error.message }, '');
    await deps.deadLetters.send([{ body, ...(group && { group }), ...(tenant && { tenant }) }]);
    deps.telemetry.count('NotificationsRefused');
    deps.telemetry.warn(NOT_ACCEPTED, { ...fields, error: error.message });
  }
}

/**
 * Handles the messages of one group: notifies of changes, or hands events over (docs/architecture.md, section 5,
 * "Notifications"). The changes of one topic are one piece of work. Events are handed over one after the other.
 */
export async function sendNotifications(
  deps: SendNotificationsDeps,
  messages: readonly NotificationMessage[],
): Promise<void> {
  const change = messages.find((message) => message.type === 'change');
  if (change !== undefined) await notifyOfChange(deps, change);
  for (const message of messages)
    if (message.type === 'delivery') await deliverEvent(deps, message);
}
