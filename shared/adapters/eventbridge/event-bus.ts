import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutEventsCommand,
  type PutEventsRequestEntry,
  type PutEventsResultEntry,
} from '@aws-sdk/client-eventbridge';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { messageOf, ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import { failedEntry, failedRequest, largeEvent, NO_ENTRY, refusedRequest } from './messages.ts';

/** The IAM actions of the receiver, on the event bus. */
export const EVENT_BUS_ACTIONS = ['events:PutEvents'] as const;

/** `source` of the events on the bus. The CloudEvent's own source may be longer than the 256 characters that are allowed. */
export const EVENT_BUS_SOURCE = 'dev.starfold';

/** Short, because an invocation has to end within its own timeout even if AWS does not answer. */
const CLIENT_CONFIG: EventBridgeClientConfig = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 4000, throwOnRequestTimeout: true },
};

/** An event bus of EventBridge. */
export interface EventBusOptions {
  /** The name of the receiver in errors. */
  readonly name: string;
  /** The ARN of the event bus. */
  readonly bus: string;
  /** Overrides of the client's configuration, for tests. */
  readonly client?: EventBridgeClientConfig;
}

/** The limit of an entry (Amazon EventBridge User Guide, "Calculating PutEvents event entry size"). */
const MAX_ENTRY_BYTES = 256 * 1024;
/** What `Time` counts (the same section). */
const TIME_BYTES = 14;

/** Codes of a failed entry that say nothing about it (Amazon EventBridge API Reference, "PutEventsResultEntry"). */
const TEMPORARY = /throttl|internal|unavailable|timeout/i;
/** Codes of a failed request that an operator must mend. Any other error may be another one later, also expired credentials. */
const REFUSED =
  /^(AccessDenied|ResourceNotFound|ValidationException|ValidationError|NotAuthorized)/;

function entryOf(bus: string, event: JsonObject): PutEventsRequestEntry {
  return {
    EventBusName: bus,
    Source: EVENT_BUS_SOURCE,
    DetailType: String(event['type']),
    Time: new Date(String(event['time'])),
    Detail: stringifyJson(event),
  };
}

function bytesOf({ Source = '', DetailType = '', Detail = '' }: PutEventsRequestEntry): number {
  return TIME_BYTES + Buffer.byteLength(Source + DetailType + Detail);
}

/** @throws ReceiverUnavailableError or ReceiverRefusedError if the entry failed */
function checkEntry(name: string, { ErrorCode, ErrorMessage = '' }: PutEventsResultEntry): void {
  if (ErrorCode === undefined) return;
  const fault = failedEntry(ErrorCode, ErrorMessage);
  if (TEMPORARY.test(ErrorCode)) throw new ReceiverUnavailableError({ receiver: name, fault });
  throw new ReceiverRefusedError(name, fault);
}

/** The error of a request that failed as a whole. */
function requestError({ name, bus }: EventBusOptions, error: unknown): Error {
  const code = error instanceof Error ? error.name : '';
  const message = messageOf(error);
  if (REFUSED.test(code))
    return new ReceiverRefusedError(name, refusedRequest(message, bus, EVENT_BUS_ACTIONS));
  return new ReceiverUnavailableError(
    { receiver: name, fault: failedRequest(message) },
    { cause: error },
  );
}

/**
 * Creates the receiver of an event bus. Each event is one entry: `source` is {@link EVENT_BUS_SOURCE}, `detail-type` is the type of
 * the CloudEvent, and `detail` is the whole CloudEvent. EventBridge gives each entry an id of its own, so `detail.id` identifies a
 * repeated event.
 */
export function createEventBus(options: EventBusOptions): EventReceiver {
  const { name, bus } = options;
  const client = new EventBridgeClient({ ...CLIENT_CONFIG, ...options.client });
  return {
    async deliver(event) {
      const entry = entryOf(bus, event);
      const bytes = bytesOf(entry);
      if (bytes > MAX_ENTRY_BYTES)
        throw new ReceiverRefusedError(name, largeEvent(bytes, MAX_ENTRY_BYTES));
      let entries: readonly PutEventsResultEntry[] | undefined;
      try {
        ({ Entries: entries } = await client.send(new PutEventsCommand({ Entries: [entry] })));
      } catch (error) {
        throw requestError(options, error);
      }
      const [result] = entries ?? [];
      // A request that succeeds may have an entry that failed.
      checkEntry(name, result ?? { ErrorCode: 'InternalFailure', ErrorMessage: NO_ENTRY });
    },
  };
}
