import * as z from 'zod/mini';
import { contentHash } from '#shared/content-hash.ts';
import { isObject, type JsonObject } from '#shared/core/json.ts';
import { type Topic, topicSource, topicText } from '#shared/core/notification/topic.ts';
import type { OutgoingMessage } from '#shared/ports/message-queue.ts';
import { queueGroup } from './dirty.ts';
import { groupName } from './group-name.ts';
import { messageCodec } from './message-codec.ts';

const topic = z.union([
  z.object({
    type: z.enum(['verdict', 'refusals']),
    workload: z.object({
      wds: z.string(),
      group: z.string(),
      resource: z.string(),
      namespace: z.string(),
      name: z.string(),
    }),
  }),
  z.object({ type: z.literal('silence'), wec: z.string() }),
]);

const notificationMessage = z.union([
  z.object({ type: z.literal('change'), topic, before: z.string() }),
  z.object({
    type: z.literal('delivery'),
    topic,
    receiver: z.string(),
    revision: z.number(),
    event: z.custom<JsonObject>(isObject),
    refused: z.optional(z.string()),
  }),
]);

/** The state of a topic may have changed. */
export interface ChangeMessage {
  readonly type: 'change';
  readonly topic: Topic;
  /** The status before. It is only used if nobody was ever notified of the topic. */
  readonly before: string;
}

/** A receiver is to get an event. */
export interface DeliveryMessage {
  readonly type: 'delivery';
  readonly topic: Topic;
  /** The name of the receiver. */
  readonly receiver: string;
  /** The number of the change. */
  readonly revision: number;
  /** The CloudEvent. */
  readonly event: JsonObject;
  /** In a dead letter: what the receiver answered. It did not accept the event, and would not if it got the event again. */
  readonly refused?: string;
}

/** Work for send-notifications. */
export type NotificationMessage = ChangeMessage | DeliveryMessage;

/** The group of a message: changes of one topic, and deliveries to one receiver about one topic, are handled in order. */
export function notificationGroup(message: NotificationMessage): string {
  const text = topicText(message.topic);
  return message.type === 'change' ? `change ${text}` : `to ${message.receiver}: ${text}`;
}

/** A receiver, or what has changed: each has turns of its own. */
function tenantOf(message: NotificationMessage): string {
  return message.type === 'change'
    ? topicSource(message.topic).slice(1)
    : `receiver/${message.receiver}`;
}

const NOTIFICATION = messageCodec<NotificationMessage>('notification', notificationMessage);

/** Encodes a message. `cause` is a text that stays the same if a message is sent again for the same cause. */
export function encodeNotification(message: NotificationMessage, cause: string): OutgoingMessage {
  const group = notificationGroup(message);
  return {
    body: NOTIFICATION.encode({ group, ...message }),
    group: queueGroup(group),
    tenant: groupName(tenantOf(message)),
    deduplicationId: contentHash(`${group} ${cause}`),
  };
}

/**
 * Reads a message of {@link encodeNotification}.
 *
 * @throws NewerMessageError if a newer release wrote it; Error if the body is another text.
 */
export function parseNotification(body: string): NotificationMessage {
  return NOTIFICATION.decode(body);
}
