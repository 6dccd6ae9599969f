import type { SQSEvent } from 'aws-lambda';
import { AppError, messageOf } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { BatchResponse } from '#shared/runtime/batch.ts';
import type { ObservabilitySettings } from '#shared/runtime/observability.ts';

/**
 * The calls of a worker to the main thread, which is the only thread that writes the database. So no thread waits for the lock of
 * another one. A worker reads the database itself.
 */
export interface PortCalls {
  readonly 'store.put': ItemStore['put'];
  readonly 'store.delete': ItemStore['delete'];
  readonly 'dirty.send': MessageSender['send'];
  readonly 'hints.send': MessageSender['send'];
  readonly 'notifications.send': MessageSender['send'];
}

/** The name of a call. */
export type PortCall = keyof PortCalls;

/** The data that a worker receives when it starts. */
export interface WorkerSetup {
  /** The file with the store. */
  readonly file: string;
  readonly observability: ObservabilitySettings;
  /** Whether a rule concerns the verdicts on workload objects. */
  readonly notifiesOfVerdicts: boolean;
}

/** An error that is passed between threads. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  /** Set for an error with a Starfold error code. */
  readonly named?: { readonly code: string; readonly retryable: boolean };
}

/** A message of the main thread to a worker: an invocation, or the answer to a call. */
export type ToWorker =
  | {
      readonly type: 'invoke';
      readonly event: SQSEvent;
      readonly functionName: string;
      readonly requestId: string;
    }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: ErrorText };

/**
 * A message of a worker: that it has started, a call, a line of the log or of metrics, or how its invocation has ended.
 */
export type FromWorker =
  | { readonly type: 'ready' }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly call: PortCall;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'handled'; readonly response: BatchResponse }
  | { readonly type: 'failed'; readonly error: ErrorText };

/** An error with a Starfold error code that occurred in another thread. */
class RemoteError extends AppError {
  override readonly name: string;
  readonly code: string;
  readonly retryable: boolean;
  constructor({ name, message }: ErrorText, named: NonNullable<ErrorText['named']>) {
    super(message);
    this.name = name;
    this.code = named.code;
    this.retryable = named.retryable;
  }
}

/** An error as text, because its class differs in another thread. */
export function errorText(error: unknown): ErrorText {
  const name = error instanceof Error ? error.name : 'Error';
  const text = { name, message: messageOf(error) };
  if (!(error instanceof AppError)) return text;
  return { ...text, named: { code: error.code, retryable: error.retryable } };
}

/** The error that a text describes. An error with a Starfold error code keeps its code, and whether a retry helps. */
export function errorOf(text: ErrorText): Error {
  if (text.named !== undefined) return new RemoteError(text, text.named);
  return Object.assign(new Error(text.message), { name: text.name });
}
