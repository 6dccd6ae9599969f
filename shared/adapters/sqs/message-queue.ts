import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { checkMax, checkMessages } from '#shared/adapters/message-limits.ts';
import { MessageRefusedError } from '#shared/errors.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import { type BatchOperation, type BatchRunnerOptions, createBatchRunner } from './batch-runner.ts';
import type { Task } from './batches.ts';
import { hasRemedy, isPassing, type SqsFailure, unavailable, unavailableBy } from './failure.ts';
import { inAllowedCharacters } from './message-text.ts';

/** A queue of SQS, and its use. */
export interface SqsQueueOptions extends BatchRunnerOptions {
  /** A client of `createSqsClient`. */
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** A FIFO queue must have the `DeduplicationScope` `messageGroup`. */
  readonly fifo: boolean;
  /** Creates the deduplication identifiers of messages that have none. Default: random UUIDs. */
  readonly createId?: () => string;
}

/** IAM actions that each method of the adapter needs on its queue (Service Authorization Reference, "Amazon SQS"). */
export const SQS_ACTIONS = {
  send: ['sqs:SendMessage'],
  receive: ['sqs:ReceiveMessage'],
  delete: ['sqs:DeleteMessage'],
  changeVisibility: ['sqs:ChangeMessageVisibility'],
} as const satisfies Readonly<Record<keyof MessageQueue, readonly string[]>>;

const MAX_WAIT_SECONDS = 20;
const MAX_VISIBILITY_SECONDS = 12 * 60 * 60;
/** The receipt is no longer valid: the message is visible again, was received again, or is deleted. */
const OUTDATED = new Set(['ReceiptHandleIsInvalid', 'InvalidParameterValue', 'MessageNotInflight']);

function sending(options: SqsQueueOptions): MessageQueue['send'] {
  const { client, queueUrl, fifo, createId = randomUUID } = options;
  const run = createBatchRunner(options);
  const operation: BatchOperation<Omit<SendMessageBatchRequestEntry, 'Id'>> = {
    name: 'SendMessageBatch',
    actions: SQS_ACTIONS.send,
    queueUrl,
    request: (entries, requestOptions) =>
      client.send(
        new SendMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...entries] }),
        requestOptions,
      ),
    settles: (failure, { entry }) => {
      if (isPassing(failure)) return false;
      if (hasRemedy(operation, failure)) throw unavailable(operation, failure);
      throw new MessageRefusedError(entry.MessageGroupId, `${failure.code}: ${failure.message}`);
    },
  };
  const toTask = (message: OutgoingMessage): Task<Omit<SendMessageBatchRequestEntry, 'Id'>> => {
    const { body, group, deduplicationId, delaySeconds } = message;
    return {
      bytes: Buffer.byteLength(body),
      // In a standard queue, the order within a group does not matter.
      group: fifo ? group : undefined,
      entry: {
        MessageBody: body,
        ...(group === undefined ? {} : { MessageGroupId: group }),
        // Chosen once. If an answer is lost, SQS recognizes the message of the next attempt.
        ...(fifo ? { MessageDeduplicationId: deduplicationId ?? createId() } : {}),
        ...(delaySeconds === undefined ? {} : { DelaySeconds: Math.ceil(delaySeconds) }),
      },
    };
  };
  return async (messages, signal) => {
    const allowed = messages.map(inAllowedCharacters);
    checkMessages(allowed, fifo);
    await run(allowed.map(toTask), operation, signal);
  };
}

function received(message: Message): ReceivedMessage {
  const { MessageId = '', ReceiptHandle = '', Body = '', Attributes = {} } = message;
  const { MessageGroupId, MessageDeduplicationId, SenderId = '' } = Attributes;
  return {
    messageId: MessageId,
    receiptHandle: ReceiptHandle,
    body: Body,
    ...(MessageGroupId === undefined ? {} : { group: MessageGroupId }),
    ...(MessageDeduplicationId === undefined ? {} : { deduplicationId: MessageDeduplicationId }),
    senderId: SenderId,
    receiveCount: Number(Attributes.ApproximateReceiveCount),
    sentAt: Number(Attributes.SentTimestamp),
  };
}

function receiving({ client, queueUrl }: SqsQueueOptions): MessageQueue['receive'] {
  const operation = { name: 'ReceiveMessage', actions: SQS_ACTIONS.receive, queueUrl };
  return async ({ max, waitSeconds }, signal) => {
    checkMax(max);
    if (signal?.aborted) return [];
    const command = new ReceiveMessageCommand({
      QueueUrl: queueUrl,
      MaxNumberOfMessages: max,
      WaitTimeSeconds: Math.min(Math.ceil(waitSeconds), MAX_WAIT_SECONDS),
      MessageSystemAttributeNames: [
        'SenderId',
        'SentTimestamp',
        'ApproximateReceiveCount',
        'MessageGroupId',
        'MessageDeduplicationId',
      ],
    });
    try {
      const { Messages = [] } = await client.send(
        command,
        signal === undefined ? {} : { abortSignal: signal },
      );
      return Messages.map(received);
    } catch (error) {
      if (signal?.aborted) return [];
      throw unavailableBy(operation, error);
    }
  };
}

/** Applies an operation to receipts. Receipts that are no longer valid count as done. */
function receiptChanger(options: SqsQueueOptions) {
  const run = createBatchRunner(options);
  return <Entry>(
    entries: readonly Entry[],
    operation: Omit<BatchOperation<Entry>, 'settles'>,
    signal: AbortSignal | undefined,
  ): Promise<void> => {
    const settles = (failure: SqsFailure): boolean => {
      if (OUTDATED.has(failure.code)) return true;
      if (isPassing(failure)) return false;
      throw unavailable(operation, failure);
    };
    const tasks = entries.map((entry) => ({ entry, bytes: 0, group: undefined }));
    return run(tasks, { ...operation, settles }, signal);
  };
}

/**
 * Creates a queue of SQS. Where the port leaves the behaviour open:
 * - A receive waits for 20 seconds at most.
 * - Groups of a standard queue are SQS's fair queues (Developer Guide, "How Amazon SQS fair queues work"): a group with more
 *   than 10 % of the messages in flight, and at least 30 of them, comes after the others. The tenant of a message of a FIFO
 *   queue is ignored.
 * - If a message of a FIFO queue has no deduplication identifier, it is received with a generated one.
 * - A JSON body may be received in another spelling of the same JSON ({@link inAllowedCharacters}).
 * - If a call throws, a part of it may have been done; of a group, always the first messages.
 *
 * Its methods throw QueueUnavailableError, whose message names the operation, the queue and, if there is one, the remedy.
 * `send` also throws MessageTooLargeError, and MessageRefusedError for a message that SQS will never accept.
 */
export function createSqsMessageQueue(options: SqsQueueOptions): MessageQueue {
  const { client, queueUrl } = options;
  const change = receiptChanger(options);
  return {
    send: sending(options),
    receive: receiving(options),
    delete: (receiptHandles, signal) =>
      change(
        receiptHandles.map((ReceiptHandle) => ({ ReceiptHandle })),
        {
          name: 'DeleteMessageBatch',
          actions: SQS_ACTIONS.delete,
          queueUrl,
          request: (entries, requestOptions) =>
            client.send(
              new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries: [...entries] }),
              requestOptions,
            ),
        },
        signal,
      ),
    changeVisibility: async (receiptHandles, seconds, signal) => {
      // SQS would give the same answer as for an outdated receipt handle.
      if (!(seconds >= 0 && seconds <= MAX_VISIBILITY_SECONDS))
        throw new RangeError(`seconds are from 0 to ${MAX_VISIBILITY_SECONDS}`);
      const VisibilityTimeout = Math.ceil(seconds);
      await change(
        receiptHandles.map((ReceiptHandle) => ({ ReceiptHandle, VisibilityTimeout })),
        {
          name: 'ChangeMessageVisibilityBatch',
          actions: SQS_ACTIONS.changeVisibility,
          queueUrl,
          request: (entries, requestOptions) =>
            client.send(
              new ChangeMessageVisibilityBatchCommand({
                QueueUrl: queueUrl,
                Entries: [...entries],
              }),
              requestOptions,
            ),
        },
        signal,
      );
    },
  };
}
