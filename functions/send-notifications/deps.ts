import type { Rule } from '#shared/core/notification/rules.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';

/** What sending notifications needs from outside. */
export interface SendNotificationsDeps {
  readonly store: ItemStore;
  /** The queue of this function, for deliveries. */
  readonly notifications: MessageSender;
  /** The dead-letter queue of that queue, for what a receiver does not accept. */
  readonly deadLetters: MessageSender;
  readonly rules: readonly Rule[];
  /** By name. */
  readonly receivers: ReadonlyMap<string, EventReceiver>;
  readonly telemetry: Telemetry;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}
