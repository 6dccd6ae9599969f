import type { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import middy from '@middy/core';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { AppError, EndsProcessError } from '#shared/errors.ts';
import { DeadlineError, isDoneInTime } from './deadline.ts';
import type { LogFields } from './subject-fields.ts';

/** In the log, with the error. */
export const NOT_HANDLED = 'messages could not be handled';

/** A message that the function did not try to handle. */
export interface UntriedMessage {
  readonly itemIdentifier: string;
  /** The seconds after which it may be received again. */
  readonly seconds: number;
}

/** The messages that a function could not handle. */
export interface BatchResponse extends SQSBatchResponse {
  /** Those of them that it did not try. Absent if the function does not distinguish them. */
  readonly untried?: readonly UntriedMessage[];
  /**
   * Those of them that may end the process: they were being handled when the function had to answer, or have ended the process
   * before. Absent if the function does not distinguish them.
   */
  readonly suspects?: readonly string[];
}

/** A Lambda function that receives messages of a queue and returns the messages that it could not handle. */
export type SqsHandler = (event: SQSEvent, context: Context) => Promise<BatchResponse>;

/** What every function needs besides its ports. */
export interface Observability {
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** The messages of one group in a batch. */
interface Group<Message> {
  readonly messages: Message[];
  readonly messageIds: string[];
  readonly fields: LogFields;
  /** Whether a message has been received before. */
  redelivered: boolean;
}

/** A group of messages, for the decision whether it may end the process. */
export interface Delivery {
  readonly group: string;
  /** Whether one of its messages has been received before. */
  readonly redelivered: boolean;
}

/** The groups of a batch that may end the process. They are handled one after the other, after all other groups. */
export interface Suspects<Message> {
  /** In the order in which they are handled. */
  readonly groups: readonly string[];
  /** Replaces {@link BatchRules.handle}. */
  readonly handle: (group: string, messages: readonly Message[]) => Promise<void>;
  /** Called if the function answers while one of them is being handled: the group is slow, but has not ended the process. */
  readonly leave: () => Promise<void>;
}

/** How a function handles a batch. */
export interface BatchRules<Message> {
  /** Throws if the body is not a message of this function. */
  readonly parse: (body: string) => Message;
  /** Messages of one group are handled together. Different groups are handled separately. */
  readonly groupOf: (message: Message) => string;
  /** The fields of the log that name the subject of a message's group. */
  readonly fieldsOf: (message: Message) => LogFields;
  /** Throws if the group could not be handled. Then all its messages are delivered again. */
  readonly handle: (messages: readonly Message[]) => Promise<void>;
  /**
   * The seconds after which a group that failed with this error may be received again, if the error says that nothing was tried.
   * Only for a function whose poller reads {@link BatchResponse.untried}.
   */
  readonly untried?: (error: unknown) => number | undefined;
  /** Finds the groups of a batch that may end the process. Default: there are none. */
  readonly suspects?: (deliveries: readonly Delivery[]) => Promise<Suspects<Message>>;
  /** Whether the poller reads {@link BatchResponse.suspects}. Default: it does not. */
  readonly namesSuspects?: boolean;
}

function describe(error: unknown): { readonly code: string; readonly retryable: boolean } {
  return error instanceof AppError
    ? { code: error.code, retryable: error.retryable }
    : { code: 'unexpected', retryable: true };
}

/** Reports a failure to operators: in the log, with its messages, and as a metric. */
export function reportFailure(
  { logger, metrics }: Observability,
  error: unknown,
  failed: LogFields & { readonly group: string; readonly messageIds: readonly string[] },
): void {
  const { code, retryable } = describe(error);
  metrics.addMetric(retryable ? 'RetryableFailures' : 'TerminalFailures', MetricUnit.Count, 1);
  logger.error(NOT_HANDLED, {
    ...failed,
    code,
    retryable,
    error: error instanceof Error ? error : new Error(String(error)),
  });
}

interface Failures {
  readonly messageIds: string[];
  readonly untried: UntriedMessage[];
  readonly suspects: string[];
  add(error: unknown, failed: Parameters<typeof reportFailure>[2]): void;
}

function mayEndProcess(error: unknown): boolean {
  return error instanceof DeadlineError || error instanceof EndsProcessError;
}

function createFailures<Message>(
  { untried: untriedSeconds }: BatchRules<Message>,
  observability: Observability,
): Failures {
  const messageIds: string[] = [];
  const untried: UntriedMessage[] = [];
  const suspects: string[] = [];
  return {
    messageIds,
    untried,
    suspects,
    add(error, failed) {
      messageIds.push(...failed.messageIds);
      if (mayEndProcess(error)) suspects.push(...failed.messageIds);
      const seconds = untriedSeconds?.(error);
      // What keeps them from being tried was reported when it was found, and there may be thousands.
      if (seconds === undefined) reportFailure(observability, error, failed);
      else
        untried.push(...failed.messageIds.map((itemIdentifier) => ({ itemIdentifier, seconds })));
    },
  };
}

/** Divides the messages into groups. A message that cannot be read has failed. */
function grouped<Message>(
  rules: BatchRules<Message>,
  records: readonly SQSRecord[],
  failures: Failures,
): Map<string, Group<Message>> {
  const groups = new Map<string, Group<Message>>();
  for (const { body, messageId, attributes } of records) {
    try {
      const message = rules.parse(body);
      const name = rules.groupOf(message);
      const fields = rules.fieldsOf(message);
      const group = groups.get(name) ?? {
        messages: [],
        messageIds: [],
        fields,
        redelivered: false,
      };
      group.messages.push(message);
      group.messageIds.push(messageId);
      group.redelivered ||= Number(attributes.ApproximateReceiveCount) > 1;
      groups.set(name, group);
    } catch (error) {
      failures.add(error, { group: '', messageIds: [messageId] });
    }
  }
  return groups;
}

type Open<Message> = Map<string, Group<Message>>;

const NOBODY: Suspects<unknown> = {
  groups: [],
  handle: () => Promise.resolve(),
  leave: () => Promise.resolve(),
};

function suspectsOf<Message>(
  { suspects }: BatchRules<Message>,
  open: Open<Message>,
): Promise<Suspects<Message>> | Suspects<Message> {
  const deliveries = [...open].map(([group, { redelivered }]) => ({ group, redelivered }));
  return suspects === undefined ? NOBODY : suspects(deliveries);
}

async function runGroups<Message>(
  rules: BatchRules<Message>,
  event: SQSEvent,
  { context, observability }: { context: Context; observability: Observability },
): Promise<Failures> {
  const failures = createFailures(rules, observability);
  /** The groups that are not done. After they have failed for that reason, their later outcome is ignored. */
  const open: Open<Message> = grouped(rules, event.Records, failures);
  const fail = (name: string, error: unknown): void => {
    const group = open.get(name);
    if (group === undefined) return;
    open.delete(name);
    const { fields, messageIds } = group;
    failures.add(error, { ...fields, group: name, messageIds });
  };
  const failOpen = (error: unknown): void => {
    for (const name of [...open.keys()]) fail(name, error);
  };
  const run = async (name: string, handle: BatchRules<Message>['handle']): Promise<void> => {
    const group = open.get(name);
    if (group === undefined) return;
    try {
      await handle(group.messages);
      open.delete(name);
    } catch (error) {
      fail(name, error);
    }
  };
  let suspects: Suspects<Message> = NOBODY;
  const work = async (): Promise<void> => {
    suspects = await suspectsOf(rules, open);
    const separate = new Set(suspects.groups);
    const others = [...open.keys()].filter((name) => !separate.has(name));
    await Promise.all(others.map((name) => run(name, rules.handle)));
    for (const name of separate) await run(name, (messages) => suspects.handle(name, messages));
  };
  if (!(await isDoneInTime(work().catch(failOpen), context))) {
    failOpen(new DeadlineError());
    await suspects.leave();
  }
  return failures;
}

/**
 * Creates the Lambda handler of a queue's function. Groups are handled concurrently. A group succeeds or fails as a whole, so
 * no message of a FIFO queue counts as handled if an earlier message failed (AWS Lambda, "Reporting batch item failures for
 * Lambda functions with an Amazon SQS trigger", FIFO queues). However, a message that cannot be read only fails itself:
 * messages just say "look again", in any order, and later messages would go to the dead-letter queue with it. Groups that are
 * not done when the function has to answer have failed. Groups that may end the process come last, one after the other.
 */
export function createSqsHandler<Message>(
  rules: BatchRules<Message>,
  observability: Observability,
): SqsHandler {
  return withMiddleware(async (event, context) => {
    const { messageIds, untried, suspects } = await runGroups(rules, event, {
      context,
      observability,
    });
    return {
      batchItemFailures: messageIds.map((itemIdentifier) => ({ itemIdentifier })),
      ...(rules.untried === undefined ? {} : { untried }),
      ...(rules.namesSuspects === true ? { suspects } : {}),
    };
  }, observability);
}

/** Wraps a handler in the middleware of every function. */
export function withMiddleware<Event, Result>(
  handler: (event: Event, context: Context) => Promise<Result>,
  { logger, metrics }: Observability,
): (event: Event, context: Context) => Promise<Result> {
  // Powertools' own middleware logs a warning for every invocation without metrics.
  const publish = (): void => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
  return middy<Event, Result>({ timeoutEarlyInMillis: 0 })
    .use(injectLambdaContext(logger))
    .use({ after: publish, onError: publish })
    .handler(handler);
}
