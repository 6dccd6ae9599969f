import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { SQSRecord } from 'aws-lambda';
import {
  type Observability,
  reportFailure,
  type SqsHandler,
  withMiddleware,
} from '#functions/sqs/batch.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { decodeBody } from '#shared/events/codec.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { RecordDeps } from './consequences.ts';
import { recordEvents } from './use-case.ts';

/** What the function needs: what recording needs, and where events go that nobody can read. */
export interface RecordEventsDeps extends RecordDeps {
  readonly deadLetters: MessageQueue;
}

interface Decoded {
  readonly messageId: string;
  readonly events: readonly ForwarderEvent[];
  readonly rejected: readonly JsonValue[];
}

function decode(record: SQSRecord, { logger, metrics }: Observability): Decoded {
  const { events, errors } = decodeBody(record.body);
  const rejected = errors.map((error): JsonValue => {
    logger.error('event refused', { messageId: record.messageId, reason: error.message });
    metrics.addMetric('RefusedEvents', MetricUnit.Count, 1);
    return { reason: error.message, event: error.event ?? record.body };
  });
  return { messageId: record.messageId, events, rejected };
}

/** Messages together if that works, else each by itself, so that one cannot hold up the others. */
async function recordApart(
  deps: RecordEventsDeps,
  decoded: readonly Decoded[],
  observability: Observability,
): Promise<readonly string[]> {
  try {
    await recordEvents(
      deps,
      decoded.flatMap(({ events }) => events),
    );
    return [];
  } catch (error) {
    if (decoded.length === 1) {
      const messageIds = decoded.map(({ messageId }) => messageId);
      reportFailure(observability, error, { group: '', messageIds });
      return messageIds;
    }
  }
  const failed: string[] = [];
  for (const one of decoded) failed.push(...(await recordApart(deps, [one], observability)));
  return failed;
}

/**
 * The function behind the queue of events. An event that cannot be read goes to the dead-letter queue with the reason;
 * the others of its batch are recorded.
 */
export function createRecordEvents(
  deps: RecordEventsDeps,
  observability: Observability,
): SqsHandler {
  return withMiddleware(async ({ Records }) => {
    const decoded = Records.map((record) => decode(record, observability));
    const letters = decoded.filter(({ rejected }) => rejected.length > 0);
    if (letters.length > 0)
      await deps.deadLetters.send(
        letters.map(({ rejected }) => ({ body: stringifyJson(rejected) })),
      );
    const failed = await recordApart(deps, decoded, observability);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  }, observability);
}
