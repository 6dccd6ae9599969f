import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';

/**
 * Does what Lambda's event source mapping does: receives messages, invokes the function, deletes the handled messages.
 */
export interface PollerOptions {
  readonly name: string;
  readonly queue: MessageQueue;
  readonly handler: SqsHandler;
  /** Concurrent invocations. */
  readonly concurrency: number;
  /** The number of seconds after which a failed message becomes visible again, by its receive count. */
  readonly retrySeconds: (receiveCount: number) => number;
  /** Called if an invocation or a queue failed completely. The poller continues. */
  readonly onError: (error: unknown) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

const BATCH_SIZE = 10;
const WAIT_SECONDS = 20;
const PAUSE_AFTER_ERROR_MS = 200;
/** How long an invocation may last. */
export const INVOCATION_MS = 30_000;

function record(message: ReceivedMessage, queue: string): SQSRecord {
  const fifo = message.group === undefined ? {} : { MessageGroupId: message.group };
  const deduplication =
    message.deduplicationId === undefined
      ? {}
      : { MessageDeduplicationId: message.deduplicationId };
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: message.senderId,
      ApproximateFirstReceiveTimestamp: String(message.sentAt),
      ...fifo,
      ...deduplication,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:local:000000000000:${queue}`,
    awsRegion: 'local',
  };
}

/** The SQS event for some messages, in the form that Lambda makes. */
export function sqsEvent(queue: string, messages: readonly ReceivedMessage[]): SQSEvent {
  return { Records: messages.map((message) => record(message, queue)) };
}

/** The context of a local invocation. */
export function localContext(functionName: string, awsRequestId: string): Context {
  return {
    functionName,
    awsRequestId,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => INVOCATION_MS,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** One receive, one invocation, one clean-up. Returns false if nothing was received. */
export async function pollOnce(
  options: Omit<PollerOptions, 'concurrency' | 'sleep'>,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { queue, handler, name, onError } = options;
  const messages = await queue.receive({ max: BATCH_SIZE, waitSeconds }, signal);
  if (messages.length === 0) return false;
  const ids = new Set(messages.map(({ messageId }) => messageId));
  let failed: ReadonlySet<string> = ids;
  try {
    const context = localContext(name, messages[0]?.messageId ?? '');
    const { batchItemFailures } = await handler(sqsEvent(name, messages), context);
    failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  } catch (error) {
    onError(error);
  }
  const done = messages.filter(({ messageId }) => !failed.has(messageId));
  if (done.length > 0) await queue.delete(done.map(({ receiptHandle }) => receiptHandle));
  for (const { messageId, receiptHandle, receiveCount } of messages)
    if (failed.has(messageId))
      await queue.changeVisibility([receiptHandle], options.retrySeconds(receiveCount));
  return true;
}

/** Feeds a function from a queue until it is stopped. `stop` waits for running invocations. */
export function startPoller(options: PollerOptions): { stop(): Promise<void> } {
  const abort = new AbortController();
  const loop = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await pollOnce(options, WAIT_SECONDS, abort.signal);
      } catch (error) {
        if (abort.signal.aborted) return;
        options.onError(error);
        await options.sleep(PAUSE_AFTER_ERROR_MS, abort.signal);
      }
    }
  };
  const loops = Promise.all(Array.from({ length: options.concurrency }, loop));
  return {
    async stop() {
      abort.abort();
      await loops;
    },
  };
}
