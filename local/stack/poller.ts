import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler, UntriedMessage } from '#shared/runtime/batch.ts';
import { dividedBySuspicion, type Messages, type SuspectRules } from './suspects.ts';

/** A queue that feeds a function. */
export interface PolledQueue extends MessageQueue {
  /**
   * Makes received messages visible again after a number of seconds, as if they had not been received. Without this method,
   * messages that were not tried count as failed.
   */
  giveBack?(receiptHandles: readonly string[], seconds: number): Promise<void>;
}

/**
 * Does what Lambda's event source mapping does: receives messages, invokes the function, deletes the handled messages.
 */
export interface PollerOptions {
  readonly name: string;
  readonly queue: PolledQueue;
  readonly handler: SqsHandler;
  /** Concurrent invocations. */
  readonly concurrency: number;
  /** The number of seconds after which a failed message becomes visible again, by its receive count. */
  readonly retrySeconds: (receiveCount: number) => number;
  /** If absent, all messages that are received together are given to one invocation. */
  readonly suspects?: SuspectRules;
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

type PollOptions = Omit<PollerOptions, 'concurrency' | 'sleep'>;

async function retry({ queue, retrySeconds }: PollOptions, messages: Messages): Promise<void> {
  for (const { receiptHandle, receiveCount } of messages)
    await queue.changeVisibility([receiptHandle], retrySeconds(receiveCount));
}

/** Gives back what was not tried. Returns the other messages. */
async function giveBack(
  { queue }: PollOptions,
  messages: Messages,
  untried: readonly UntriedMessage[],
): Promise<Messages> {
  if (queue.giveBack === undefined) return messages;
  const seconds = new Map(untried.map((one) => [one.itemIdentifier, one.seconds]));
  const groups = Map.groupBy(messages, ({ messageId }) => seconds.get(messageId));
  for (const [after, its] of groups)
    if (after !== undefined)
      await queue.giveBack(
        its.map(({ receiptHandle }) => receiptHandle),
        after,
      );
  return groups.get(undefined) ?? [];
}

/** One invocation, one clean-up. Returns false if the invocation did not answer. */
async function invoke(options: PollOptions, messages: Messages): Promise<boolean> {
  const { queue, handler, name, onError } = options;
  let failed: ReadonlySet<string> = new Set(messages.map(({ messageId }) => messageId));
  let untried: readonly UntriedMessage[] = [];
  let answered = false;
  try {
    const context = localContext(name, messages[0]?.messageId ?? '');
    const response = await handler(sqsEvent(name, messages), context);
    failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    untried = response.untried ?? [];
    answered = true;
  } catch (error) {
    onError(error);
  }
  const done = messages.filter(({ messageId }) => !failed.has(messageId));
  if (done.length > 0) await queue.delete(done.map(({ receiptHandle }) => receiptHandle));
  const left = messages.filter(({ messageId }) => failed.has(messageId));
  await retry(options, await giveBack(options, left, untried));
  return answered;
}

/** One invocation for each suspect. If one does not answer, those after it are tried later, and the poller can receive again. */
async function trySuspects(
  options: PollOptions,
  { visibilitySeconds }: SuspectRules,
  suspects: readonly Messages[],
): Promise<void> {
  for (const [at, its] of suspects.entries()) {
    // The invocations before this one have used some of the time in which no other poller receives these messages.
    const waiting = suspects.slice(at).flat();
    const handles = waiting.map(({ receiptHandle }) => receiptHandle);
    await options.queue.changeVisibility(handles, visibilitySeconds);
    if (await invoke(options, its)) continue;
    await retry(options, waiting.slice(its.length));
    return;
  }
}

/**
 * One receive, one invocation, one clean-up. If there are {@link SuspectRules}, one invocation for each suspect follows. Returns
 * false if nothing was received.
 */
export async function pollOnce(
  options: PollOptions,
  waitSeconds: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const { queue, suspects: rules } = options;
  // They are read first: if that fails, nothing has been received that nobody handles.
  const known = await rules?.groups();
  const messages = await queue.receive({ max: BATCH_SIZE, waitSeconds }, signal);
  if (messages.length === 0) return false;
  if (rules === undefined || known === undefined) {
    await invoke(options, messages);
    return true;
  }
  const { others, suspects } = dividedBySuspicion(messages, known);
  if (others.length > 0) await invoke(options, others);
  await trySuspects(options, rules, suspects);
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
