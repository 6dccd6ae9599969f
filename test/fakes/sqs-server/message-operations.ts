import { createHash } from 'node:crypto';
import type {
  BatchResultErrorEntry,
  ChangeMessageVisibilityBatchRequest,
  ChangeMessageVisibilityRequest,
  DeleteMessageBatchRequest,
  DeleteMessageRequest,
  ReceiveMessageRequest,
  SendMessageBatchRequest,
  SendMessageBatchRequestEntry,
  SendMessageRequest,
} from '@aws-sdk/client-sqs';
import {
  MAX_MESSAGE_BYTES,
  type OutgoingMessage,
  type ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import { type Caller, invalid, md5, SqsRefusal } from './protocol.ts';
import type { Queues, ServedQueue } from './queues.ts';

type SendEntry = Omit<SendMessageBatchRequestEntry, 'Id'>;

const MAX_ENTRIES = 10;
const MAX_VISIBILITY_SECONDS = 43_200;
const REFUSED_CHARACTER = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const FIFO_ID = /^[!-~]{1,128}$/;
const RECEIPT_HANDLE = /^[\w-]+\/\d+$/;

/** Runs one operation for each entry; what it throws is the result of that entry alone. */
function inBatch<Entry extends { readonly Id: string | undefined }>(
  entries: readonly Entry[],
  run: (entry: Entry) => Readonly<Record<string, unknown>>,
) {
  if (entries.length === 0) throw new SqsRefusal('EmptyBatchRequest', 'There are no entries.');
  if (entries.length > MAX_ENTRIES)
    throw new SqsRefusal('TooManyEntriesInBatchRequest', `At most ${MAX_ENTRIES} entries.`);
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length)
    throw new SqsRefusal('BatchEntryIdsNotDistinct', 'Two entries have one Id.');
  const Successful: Readonly<Record<string, unknown>>[] = [];
  const Failed: BatchResultErrorEntry[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof SqsRefusal)) throw error;
      const { code, message, status } = error;
      Failed.push({ Id: entry.Id, Code: code, Message: message, SenderFault: status < 500 });
    }
  }
  return { Successful, Failed };
}

function checkEntry({ fifo }: ServedQueue, entry: SendEntry): void {
  const { MessageBody = '', MessageGroupId, DelaySeconds = 0, MessageAttributes } = entry;
  if (MessageBody === '')
    throw new SqsRefusal('MissingParameter', 'The request must contain MessageBody.');
  if (REFUSED_CHARACTER.test(MessageBody))
    throw new SqsRefusal('InvalidMessageContents', 'Invalid characters in MessageBody.');
  if (Buffer.byteLength(MessageBody) > MAX_MESSAGE_BYTES)
    throw invalid(`Message must be shorter than ${MAX_MESSAGE_BYTES} bytes.`);
  if (!(DelaySeconds >= 0 && DelaySeconds <= 900)) throw invalid('DelaySeconds is from 0 to 900.');
  if (fifo && MessageGroupId === undefined)
    throw new SqsRefusal('MissingParameter', 'The request must contain MessageGroupId.');
  if (fifo && entry.DelaySeconds !== undefined)
    throw invalid('DelaySeconds is not valid for this queue type.');
  if (MessageAttributes !== undefined) throw invalid('This server keeps no message attributes.');
}

function deduplicationIdOf(queue: ServedQueue, entry: SendEntry): string | undefined {
  if (entry.MessageDeduplicationId !== undefined || !queue.fifo)
    return entry.MessageDeduplicationId;
  if (queue.attributes['ContentBasedDeduplication'] !== 'true')
    throw invalid('ContentBasedDeduplication is off and MessageDeduplicationId is missing.');
  return createHash('sha256')
    .update(entry.MessageBody ?? '')
    .digest('hex');
}

function toMessage(queue: ServedQueue, entry: SendEntry): OutgoingMessage {
  checkEntry(queue, entry);
  const { MessageBody = '', MessageGroupId: group } = entry;
  const deduplicationId = deduplicationIdOf(queue, entry);
  if ([group, deduplicationId].some((id) => id !== undefined && !FIFO_ID.test(id)))
    throw invalid('MessageGroupId and MessageDeduplicationId have 1 to 128 visible characters.');
  return {
    body: MessageBody,
    delaySeconds: entry.DelaySeconds ?? Number(queue.attributes['DelaySeconds']),
    ...(group === undefined ? {} : { group }),
    ...(deduplicationId === undefined ? {} : { deduplicationId }),
  };
}

function toRequest({ attributes }: ServedQueue, input: ReceiveMessageRequest) {
  const { MaxNumberOfMessages: max = 1, VisibilityTimeout } = input;
  const waitSeconds = input.WaitTimeSeconds ?? Number(attributes['ReceiveMessageWaitTimeSeconds']);
  if (!(max >= 1 && max <= 10)) throw invalid('MaxNumberOfMessages is from 1 to 10.');
  if (!(waitSeconds >= 0 && waitSeconds <= 20)) throw invalid('WaitTimeSeconds is from 0 to 20.');
  return {
    max,
    waitSeconds,
    ...(VisibilityTimeout === undefined ? {} : { visibilityTimeoutSeconds: VisibilityTimeout }),
  };
}

function toAnswer(message: ReceivedMessage, wanted: readonly string[]) {
  const attributes = {
    SenderId: message.senderId,
    SentTimestamp: String(message.sentAt),
    ApproximateReceiveCount: String(message.receiveCount),
    MessageGroupId: message.group,
    MessageDeduplicationId: message.deduplicationId,
  };
  return {
    MessageId: message.messageId,
    ReceiptHandle: message.receiptHandle,
    Body: message.body,
    MD5OfBody: md5(message.body),
    Attributes: Object.fromEntries(
      Object.entries(attributes).filter(
        ([name, value]) => value !== undefined && (wanted.includes('All') || wanted.includes(name)),
      ),
    ),
  };
}

function checkHandle(handle = ''): string {
  if (!RECEIPT_HANDLE.test(handle))
    throw new SqsRefusal('ReceiptHandleIsInvalid', 'The input receipt handle is invalid.');
  return handle;
}

/** The operations on messages, by their names in the API. */
export function createMessageOperations(queues: Queues) {
  let sequence = 0;

  const send = (queue: ServedQueue, entry: SendEntry, { senderId }: Caller) => {
    const message = toMessage(queue, entry);
    sequence += 1;
    return {
      MessageId: queue.messages.add(message, senderId),
      MD5OfMessageBody: md5(message.body),
      ...(queue.fifo ? { SequenceNumber: String(sequence).padStart(20, '0') } : {}),
    };
  };
  const remove = (queue: ServedQueue, handle: string | undefined) => {
    const isCurrent = queue.messages.remove(checkHandle(handle));
    // A standard queue says nothing of it.
    if (!isCurrent && queue.fifo) throw invalid('The receipt handle has expired.');
    return {};
  };
  const hide = (queue: ServedQueue, handle: string | undefined, seconds = 0) => {
    if (!(seconds >= 0 && seconds <= MAX_VISIBILITY_SECONDS))
      throw invalid(`VisibilityTimeout is from 0 to ${MAX_VISIBILITY_SECONDS}.`);
    if (!queue.messages.hide(checkHandle(handle), seconds))
      throw new SqsRefusal('MessageNotInflight', 'The message is not in flight.');
    return {};
  };

  return {
    SendMessage: (input: SendMessageRequest, caller: Caller) =>
      send(queues.byUrl(input.QueueUrl), input, caller),
    SendMessageBatch: ({ QueueUrl, Entries = [] }: SendMessageBatchRequest, caller: Caller) => {
      const queue = queues.byUrl(QueueUrl);
      const bytes = Entries.map(({ MessageBody = '' }) => Buffer.byteLength(MessageBody));
      if (bytes.reduce((sum, one) => sum + one, 0) > MAX_MESSAGE_BYTES)
        throw new SqsRefusal('BatchRequestTooLong', `At most ${MAX_MESSAGE_BYTES} bytes.`);
      return inBatch(Entries, (entry) => send(queue, entry, caller));
    },
    ReceiveMessage: async (input: ReceiveMessageRequest, { signal }: Caller) => {
      const queue = queues.byUrl(input.QueueUrl);
      const received = await queue.messages.receive(toRequest(queue, input), signal);
      const { MessageSystemAttributeNames = [], AttributeNames = [] } = input;
      const wanted = [...MessageSystemAttributeNames, ...AttributeNames];
      return { Messages: received.map((message) => toAnswer(message, wanted)) };
    },
    DeleteMessage: ({ QueueUrl, ReceiptHandle }: DeleteMessageRequest) => {
      remove(queues.byUrl(QueueUrl), ReceiptHandle);
    },
    DeleteMessageBatch: ({ QueueUrl, Entries = [] }: DeleteMessageBatchRequest) => {
      const queue = queues.byUrl(QueueUrl);
      return inBatch(Entries, ({ ReceiptHandle }) => remove(queue, ReceiptHandle));
    },
    ChangeMessageVisibility: (input: ChangeMessageVisibilityRequest) => {
      hide(queues.byUrl(input.QueueUrl), input.ReceiptHandle, input.VisibilityTimeout);
    },
    ChangeMessageVisibilityBatch: (input: ChangeMessageVisibilityBatchRequest) => {
      const queue = queues.byUrl(input.QueueUrl);
      return inBatch(input.Entries ?? [], ({ ReceiptHandle, VisibilityTimeout }) =>
        hide(queue, ReceiptHandle, VisibilityTimeout),
      );
    },
  };
}
