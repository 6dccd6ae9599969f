import type { BatchResultErrorEntry } from '@aws-sdk/client-sqs';
import { QueueUnavailableError } from '#shared/errors.ts';
import {
  allowActions,
  CHECK_CREDENTIALS,
  CHECK_KEY,
  deployQueue,
  RENEW_CREDENTIALS,
} from './messages.ts';

/** An operation on a queue, for messages. */
export interface SqsOperation {
  /** The name in the API: `SendMessageBatch`. */
  readonly name: string;
  /** The IAM actions that it needs. */
  readonly actions: readonly string[];
  readonly queueUrl: string;
}

/** Why SQS did not do something. */
export interface SqsFailure {
  /** The code of SQS: `QueueDoesNotExist`. */
  readonly code: string;
  readonly message: string;
  /** SQS attributes the failure to the request, which would fail again. */
  readonly senderFault: boolean;
}

/** The prefix of codes in the query protocol. Emulators and the entries of a batch may have it. */
const CODE_PREFIX = /^AWS\.SimpleQueueService\./;
const THROTTLED = /thrott|^OverLimit$|^RequestLimitExceeded$|^TooManyRequests/i;
const MAX_MESSAGE_CHARACTERS = 500;

type Remedy = (operation: SqsOperation) => string;

/** The first match counts. An error of KMS may also mention denied access. */
const REMEDIES: readonly (readonly [code: RegExp, remedy: Remedy])[] = [
  [/^KMS/i, () => CHECK_KEY],
  [/QueueDoesNotExist|NonExistentQueue/, ({ queueUrl }) => deployQueue(queueUrl)],
  [/AccessDenied/, ({ actions }) => allowActions(actions)],
  [
    /ExpiredToken|InvalidClientTokenId|UnrecognizedClient|InvalidSecurity|Credentials/,
    () => RENEW_CREDENTIALS,
  ],
  [/SignatureDoesNotMatch|InvalidSignature|RequestExpired/, () => CHECK_CREDENTIALS],
];

function remedyOf(operation: SqsOperation, code: string): string | undefined {
  return REMEDIES.find(([pattern]) => pattern.test(code))?.[1](operation);
}

/** Whether the same request may succeed soon without any change. */
export function isPassing({ code, senderFault }: SqsFailure): boolean {
  return !senderFault || THROTTLED.test(code);
}

/** Whether an operator must mend something besides the request: rights, credentials, keys. */
export function hasRemedy(operation: SqsOperation, { code }: SqsFailure): boolean {
  return remedyOf(operation, code) !== undefined;
}

/** Reads the failure of an entry of a batch. */
export function failureOfEntry(entry: BatchResultErrorEntry): SqsFailure {
  const { Code = 'Unknown', Message = '', SenderFault = false } = entry;
  return { code: Code.replace(CODE_PREFIX, ''), message: Message, senderFault: SenderFault };
}

/** Reads an error of the SDK. Network errors may have a code and no message. */
function failureOfError(error: unknown): SqsFailure {
  if (!(error instanceof Error)) return { code: String(error), message: '', senderFault: false };
  const { code } = error as NodeJS.ErrnoException; // Only system errors have a code.
  return { code: code ?? error.name, message: error.message, senderFault: false };
}

/**
 * The error of an operation that SQS did not do. It names the operation, the queue, the reason and, if there is one, the
 * remedy.
 */
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

/** Like {@link unavailable}, for an error that the SDK threw. */
export function unavailableBy(operation: SqsOperation, error: unknown): QueueUnavailableError {
  return unavailable(operation, failureOfError(error), error);
}
