import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { AppError } from '#shared/errors.ts';

/** A Lambda function that is fed by a queue and answers which messages it could not handle. */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/** What every function needs besides its ports. */
export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** One message of a batch, parsed. */
export interface Delivery<Message> {
  readonly messageId: string;
  readonly message: Message;
}

/** How a function handles a batch. */
export interface BatchRules<Message> {
  /** Throws when the body is no message of this function. */
  readonly parse: (body: string) => Message;
  /** Messages of one group are handled together, groups apart from each other. */
  readonly groupOf: (message: Message) => string;
  /** Throws when the group could not be handled; then all its messages are delivered again. */
  readonly handle: (messages: readonly Message[]) => Promise<void>;
}

function describe(error: unknown): { readonly code: string; readonly retryable: boolean } {
  return error instanceof AppError
    ? { code: error.code, retryable: error.retryable }
    : { code: 'unexpected', retryable: true };
}

/** Tells a failure where an operator looks: in the log, with the messages it concerns, and as a metric. */
export function reportFailure(
  { logger, metrics }: Observability,
  error: unknown,
  failed: { readonly group: string; readonly messageIds: readonly string[] },
): void {
  const { code, retryable } = describe(error);
  metrics.addMetric(retryable ? 'RetryableFailures' : 'TerminalFailures', MetricUnit.Count, 1);
  logger.error('messages could not be handled', {
    ...failed,
    code,
    retryable,
    error: error instanceof Error ? error : new Error(String(error)),
  });
}

async function runGroups<Message>(
  rules: BatchRules<Message>,
  records: readonly SQSRecord[],
  observability: Observability,
): Promise<readonly string[]> {
  const failed: string[] = [];
  const groups = new Map<string, Delivery<Message>[]>();
  for (const { body, messageId } of records) {
    try {
      const message = rules.parse(body);
      const group = rules.groupOf(message);
      const deliveries = groups.get(group) ?? [];
      deliveries.push({ messageId, message });
      groups.set(group, deliveries);
    } catch (error) {
      failed.push(messageId);
      reportFailure(observability, error, { group: '', messageIds: [messageId] });
    }
  }
  const run = async ([group, deliveries]: [string, Delivery<Message>[]]): Promise<void> => {
    try {
      await rules.handle(deliveries.map(({ message }) => message));
    } catch (error) {
      const messageIds = deliveries.map(({ messageId }) => messageId);
      failed.push(...messageIds);
      reportFailure(observability, error, { group, messageIds });
    }
  };
  await Promise.all([...groups].map(run));
  return failed;
}

/**
 * The Lambda handler of a queue's function: groups run side by side; a group is handled whole or fails whole, so the
 * order within it is kept; a message that cannot be read fails alone (and ends in the dead-letter queue).
 */
export function createSqsHandler<Message>(
  rules: BatchRules<Message>,
  observability: Observability,
): SqsHandler {
  return withMiddleware(async (event) => {
    const failed = await runGroups(rules, event.Records, observability);
    return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
  }, observability);
}

/** Wraps a handler in the middleware that every function has. */
export function withMiddleware<Event, Result>(
  handler: (event: Event, context: Context) => Promise<Result>,
  { logger, metrics }: Observability,
): (event: Event, context: Context) => Promise<Result> {
  // Powertools' own middleware warns of every invocation that has nothing to count.
  const publish = (): void => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger))
    .use({ after: publish, onError: publish })
    .handler(handler);
}
