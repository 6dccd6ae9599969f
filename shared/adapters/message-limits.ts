import { MessageTooLargeError } from '#shared/errors.ts';
import { MAX_MESSAGE_BYTES, type OutgoingMessage } from '#shared/ports/message-queue.ts';

// What SQS accepts as MessageGroupId and MessageDeduplicationId: letters, digits and punctuation of ASCII.
const ID = /^[!-~]{1,128}$/;
const MAX_DELAY_SECONDS = 900;
const MAX_RECEIVED = 10;

function isId(id: string | undefined): boolean {
  return id === undefined || ID.test(id);
}

function fifoMisuse(message: OutgoingMessage): string | undefined {
  const { group, tenant, deduplicationId, delaySeconds } = message;
  if (group === undefined) return 'a message to a FIFO queue needs a group';
  if (delaySeconds !== undefined) return 'a FIFO queue cannot delay a message';
  return [group, tenant, deduplicationId].every(isId)
    ? undefined
    : 'group, tenant and deduplicationId have 1 to 128 characters of ASCII, without spaces';
}

function standardMisuse(message: OutgoingMessage): string | undefined {
  const { group, tenant, deduplicationId, delaySeconds = 0 } = message;
  if (tenant !== undefined || deduplicationId !== undefined)
    return 'a message to a standard queue has neither tenant nor deduplicationId';
  if (!isId(group)) return 'a group has 1 to 128 characters of ASCII, without spaces';
  return delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS
    ? undefined
    : `delaySeconds is from 0 to ${MAX_DELAY_SECONDS}`;
}

/**
 * Checks messages against the limits of SQS (Developer Guide, "Amazon SQS message quotas"), so that SQS accepts every message
 * that an embedded queue accepts.
 *
 * @throws MessageTooLargeError with the group; RangeError for a message that this kind of queue never accepts, which is a bug
 * of the caller.
 */
export function checkMessages(messages: readonly OutgoingMessage[], fifo: boolean): void {
  for (const message of messages) {
    const bytes = Buffer.byteLength(message.body);
    if (bytes > MAX_MESSAGE_BYTES) throw new MessageTooLargeError(message.group, bytes);
    const reason = fifo ? fifoMisuse(message) : standardMisuse(message);
    if (message.body === '') throw new RangeError('a message needs a body');
    if (reason !== undefined) throw new RangeError(reason);
  }
}

/** @throws RangeError if SQS would not deliver this many messages at once. */
export function checkMax(max: number): void {
  if (!Number.isInteger(max) || max < 1 || max > MAX_RECEIVED)
    throw new RangeError(`max is from 1 to ${MAX_RECEIVED}`);
}
