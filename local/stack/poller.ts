import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler, UntriedMessage } from '#shared/runtime/batch.ts';
import {
  AnsweredMessages,
  dividedBySuspicion,
  type Messages,
  type SuspectRules,
} from './suspects.ts';
import { type PolledQueue, Trials } from './trials.ts';

/**
 * Does what Lambda's event source mapping does: receives messages, invokes the function, deletes the handled messages.
 */
export interface PollerOptions {
  readonly name: string;
  readonly queue: PolledQueue;
  readonly handler: SqsHandler;
  /** Concurrent invocations. The trial of a suspect is one more. */
  readonly concurrency: number;
  /** The number of seconds after which a failed message becomes visible again, by its receive count. */
  readonly retrySeconds: (receiveCount: number) => number;
  /** If absent, no group is suspect. */
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

type PollOptions = Omit<PollerOptions, 'concurrency' | 'sleep' | 'suspects'>;

/** In few calls, because an invocation may have had hundreds of messages. */
async function retry({ queue, retrySeconds }: PollOptions, messages: Messages): Promise<void> {
  const bySeconds = Map.groupBy(messages, ({ receiveCount }) => retrySeconds(receiveCount));
  for (const [seconds, its] of bySeconds)
    await queue.changeVisibility(
      its.map(({ receiptHandle }) => receiptHandle),
      seconds,
    );
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

/** One invocation, one clean-up. A function that throws has not answered. */
async function invoke(
  options: PollOptions,
  messages: Messages,
  answered?: AnsweredMessages,
): Promise<void> {
  const { queue, handler, name, onError } = options;
  answered?.forget(messages);
  let failed: ReadonlySet<string> = new Set(messages.map(({ messageId }) => messageId));
  let untried: readonly UntriedMessage[] = [];
  try {
    const context = localContext(name, messages[0]?.messageId ?? '');
    const response = await handler(sqsEvent(name, messages), context);
    failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    untried = response.untried ?? [];
    const suspects = new Set(response.suspects);
    answered?.add(
      messages.filter((one) => failed.has(one.messageId) && !suspects.has(one.messageId)),
    );
  } catch (error) {
    onError(error);
  }
  const done = messages.filter(({ messageId }) => !failed.has(messageId));
  if (done.length > 0) await queue.delete(done.map(({ receiptHandle }) => receiptHandle));
  const left = messages.filter(({ messageId }) => failed.has(messageId));
  await retry(options, await giveBack(options, left, untried));
}

/** Creates the trials of a poller, if it has rules about suspects. */
export function trialsOf(
  options: Omit<PollerOptions, 'concurrency' | 'sleep'>,
): Trials | undefined {
  const { queue, suspects: rules, onError } = options;
  const answered = new AnsweredMessages();
  const invokeAlone = (messages: Messages): Promise<void> => invoke(options, messages, answered);
  return rules && new Trials({ queue, rules, answered, invoke: invokeAlone, onError });
}

/**
 * One receive, one invocation, one clean-up. Suspects are not in that invocation: they are given to the trials, which try them
 * after this poll. Returns false if nothing was received.
 *
 * @param trials of {@link trialsOf}. If absent, no group is suspect.
 */
export async function pollOnce(
  options: PollOptions,
  waitSeconds: number,
  { signal, trials }: { readonly signal?: AbortSignal; readonly trials?: Trials | undefined } = {},
): Promise<boolean> {
  const { queue } = options;
  // They are read first: if that fails, nothing has been received that nobody handles.
  const known = await trials?.rules.groups();
  const messages = await queue.receive({ max: BATCH_SIZE, waitSeconds }, signal);
  if (messages.length === 0) return false;
  if (trials === undefined || known === undefined) {
    await invoke(options, messages);
    return true;
  }
  const { answered, rules } = trials;
  const { tenantOf } = rules;
  const { others, suspects } = dividedBySuspicion(messages, { known, answered, tenantOf });
  await trials.add(suspects);
  if (others.length > 0) await invoke(options, others, answered);
  return true;
}

/** Feeds a function from a queue until it is stopped. `stop` waits for running invocations. */
export function startPoller(options: PollerOptions): { stop(): Promise<void> } {
  const abort = new AbortController();
  const trials = trialsOf(options);
  const loop = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await pollOnce(options, WAIT_SECONDS, { signal: abort.signal, trials });
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
      await Promise.all([trials?.stop(), loops]);
    },
  };
}
