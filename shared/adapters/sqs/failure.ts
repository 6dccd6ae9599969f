import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { QueueUnavailableError } from '#shared/errors.ts';

/** What is done to which queue, as messages name it. */
export interface SqsOperation {
  /** Of the API: `SendMessageBatch`. */
  readonly name: string;
  /** IAM actions that it needs. */
  readonly actions: readonly string[];
  readonly queueUrl: string;
}

/** Why SQS did not do something. */
export interface SqsFailure {
  /** SQS's own: `QueueDoesNotExist`. */
  readonly code: string;
  readonly message: string;
  /** SQS puts it down to the request: it would fail again. */
  readonly senderFault: boolean;
}

/** Codes of the query protocol, which emulators and the entries of a batch may have. */
const CODE_PREFIX = /^AWS\.SimpleQueueService\./;
const THROTTLED = /thrott|^OverLimit$|^RequestLimitExceeded$|^TooManyRequests/i;
const MAX_MESSAGE_CHARACTERS = 500;

type Remedy = (operation: SqsOperation) => string;

/** In the order of asking: a KMS error may speak of denied access too. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: Remedy])[] = [
  [
    /^KMS/i,
    () =>
      "check that the queue's KMS key is enabled and that the role may use it (kms:GenerateDataKey, kms:Decrypt)",
  ],
  [
    /QueueDoesNotExist|NonExistentQueue/,
    ({ queueUrl }) => `deploy the queue, or correct its URL ${queueUrl}`,
  ],
  [/AccessDenied/, ({ actions }) => `allow ${actions.join(', ')} on the queue to the role`],
  [
    /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSecurity|Credentials/,
    () => 'renew the credentials of the process',
  ],
  [
    /SignatureDoesNotMatch|InvalidSignature|RequestExpired/,
    () => 'check the secret access key and the clock of the machine',
  ],
];

function remedyOf(operation: SqsOperation, code: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(code))?.[1](operation);
}

/** Whether the same request may succeed soon, without anyone doing anything. */
export function isPassing({ code, senderFault }: SqsFailure): boolean {
  return !senderFault || THROTTLED.test(code);
}

/** Whether someone must put something right besides the request: rights, credentials, keys. */
export function hasRemedy(operation: SqsOperation, { code }: SqsFailure): boolean {
  return remedyOf(operation, code) !== undefined;
}

/** Reads what SQS says of an entry of a batch. */
export function failureOfEntry(entry: BatchResultErrorEntry): SqsFailure {
  const { Code = 'Unknown', Message = '', SenderFault = false } = entry;
  return { code: Code.replace(CODE_PREFIX, ''), message: Message, senderFault: SenderFault };
}

/** Reads an error of the SDK; those of the network may have a code and no message. */
function failureOfError(error: unknown): SqsFailure {
  if (!(error instanceof Error)) return { code: String(error), message: '', senderFault: false };
  const { code } = error as NodeJS.ErrnoException; // Only system errors have a code.
  return { code: code ?? error.name, message: error.message, senderFault: false };
}

/** The error for an operation that SQS did not do: it names operation, queue, reason and, where there is one, remedy. */
export function unavailable(
  operation: SqsOperation,
  { code, message }: SqsFailure,
  cause?: unknown,
): QueueUnavailableError {
  const queue = operation.queueUrl.split('/').at(-1);
  const reason = [`${operation.name} on ${queue}`, code, message.slice(0, MAX_MESSAGE_CHARACTERS)];
  const remedy = remedyOf(operation, code);
  const text = reason.filter((part) => part !== '').join(': ');
  return new QueueUnavailableError(remedy === undefined ? text : `${text}; ${remedy}`, { cause });
}

/** As {@link unavailable}, for an error that the SDK threw. */
export function unavailableBy(operation: SqsOperation, error: unknown): QueueUnavailableError {
  return unavailable(operation, failureOfError(error), error);
}
