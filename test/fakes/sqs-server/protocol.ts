import { createHash } from 'node:crypto';

/** Who asks, and for how long. */
export interface Caller {
  /** The access key id that the request is signed with stands for the principal. */
  readonly senderId: string;
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal;
}

/** What the query protocol calls the errors that it calls otherwise. */
const QUERY_CODES: Readonly<Record<string, string>> = {
  QueueDoesNotExist: 'AWS.SimpleQueueService.NonExistentQueue',
  QueueNameExists: 'QueueAlreadyExists',
  EmptyBatchRequest: 'AWS.SimpleQueueService.EmptyBatchRequest',
  TooManyEntriesInBatchRequest: 'AWS.SimpleQueueService.TooManyEntriesInBatchRequest',
  BatchEntryIdsNotDistinct: 'AWS.SimpleQueueService.BatchEntryIdsNotDistinct',
  BatchRequestTooLong: 'AWS.SimpleQueueService.BatchRequestTooLong',
  MessageNotInflight: 'AWS.SimpleQueueService.MessageNotInflight',
};

/** An answer of SQS that is no success. */
export class SqsRefusal extends Error {
  override readonly name = 'SqsRefusal';
  readonly code: string;
  readonly status: number;
  constructor(code: string, message: string, status = 400) {
    super(message);
    this.code = code;
    this.status = status;
  }

  /** As the header `x-amzn-query-error` has it, by which the SDK knows the error's older name. */
  get queryError(): string {
    return `${QUERY_CODES[this.code] ?? this.code};${this.status < 500 ? 'Sender' : 'Receiver'}`;
  }

  /** The body of the answer, AWS JSON 1.0. */
  get body(): unknown {
    return { __type: `com.amazonaws.sqs#${this.code}`, message: this.message };
  }
}

/** The refusal of a parameter. */
export function invalid(reason: string): SqsRefusal {
  return new SqsRefusal('InvalidParameterValue', reason);
}

/** Hexadecimal, as `MD5OfMessageBody`. */
export function md5(text: string): string {
  return createHash('md5').update(text).digest('hex');
}
