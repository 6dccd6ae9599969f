import type { SQSEvent, SQSRecord } from 'aws-lambda';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { SqsHandler } from './batch.ts';

/** In the log: the retries of messages could not be delayed otherwise. */
export const AWAITING_TIMEOUT = 'messages that failed wait for their visibility timeout';

/** When failed messages are retried. */
export interface Retry {
  /** The queue that feeds the function. */
  readonly queue: Pick<MessageQueue, 'changeVisibility'>;
  /** The seconds until the retry, by how often a message has been received. */
  readonly seconds: (receiveCount: number) => number;
  readonly telemetry: Pick<Telemetry, 'warn'>;
}

const LONGEST_RETRY_SECONDS = 60;

/** 1, 2, 4 ... up to 60 seconds. */
export function exponentialRetry(receiveCount: number): number {
  return Math.min(2 ** (receiveCount - 1), LONGEST_RETRY_SECONDS);
}

async function shorten(
  { queue, seconds, telemetry }: Retry,
  records: readonly SQSRecord[],
): Promise<void> {
  const bySeconds = Map.groupBy(records, ({ attributes }) =>
    seconds(Number(attributes.ApproximateReceiveCount)),
  );
  for (const [after, failed] of bySeconds)
    try {
      await queue.changeVisibility(
        failed.map(({ receiptHandle }) => receiptHandle),
        after,
      );
    } catch (error) {
      // They are delivered again after their visibility timeout.
      telemetry.warn(AWAITING_TIMEOUT, {
        messageIds: failed.map(({ messageId }) => messageId),
        reason: String(error),
      });
    }
}

/**
 * Makes failed messages visible again after a growing delay, instead of after the visibility timeout of the queue. That timeout
 * is a minute, because it has to cover the longest invocations.
 */
export function withRetry(handler: SqsHandler, retry: Retry): SqsHandler {
  return async (event: SQSEvent, context) => {
    let failed: ReadonlySet<string> | undefined;
    try {
      const response = await handler(event, context);
      failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      return response;
    } finally {
      // If the function threw, the whole batch failed.
      const records = event.Records.filter(({ messageId }) => failed?.has(messageId) ?? true);
      await shorten(retry, records);
    }
  };
}
