import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { AppError, messageOf } from '#shared/errors.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { ObservabilitySettings } from '#shared/runtime/observability.ts';

/** What a worker asks of the main thread, which alone has the database open. */
export interface PortCalls {
  readonly 'store.get': ItemStore['get'];
  readonly 'store.query': ItemStore['query'];
  readonly 'store.put': ItemStore['put'];
  readonly 'store.delete': ItemStore['delete'];
  readonly 'dirty.send': MessageSender['send'];
  readonly 'hints.send': MessageSender['send'];
}

/** Names a call. */
export type PortCall = keyof PortCalls;

/** What a worker is told when it begins. */
export interface WorkerSetup {
  readonly observability: ObservabilitySettings;
}

/** An error on its way between threads. */
export interface ErrorText {
  readonly name: string;
  readonly message: string;
  /** Of an error that Starfold names. */
  readonly named?: { readonly code: string; readonly retryable: boolean };
}

/** What the main thread says to a worker: an invocation, or the answer to a call. */
export type ToWorker =
  | {
      readonly type: 'invoke';
      readonly event: SQSEvent;
      readonly functionName: string;
      readonly requestId: string;
    }
  | { readonly type: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly type: 'failure'; readonly id: number; readonly error: ErrorText };

/** What a worker says: that it has begun, a call, a line of the log or of metrics, or how its invocation has ended. */
export type FromWorker =
  | { readonly type: 'ready' }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly call: PortCall;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'handled'; readonly response: SQSBatchResponse }
  | { readonly type: 'failed'; readonly error: ErrorText };

/** An error that Starfold names, as another thread met it. */
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

/** An error as text: its class is another one in another thread. */
export function errorText(error: unknown): ErrorText {
  const name = error instanceof Error ? error.name : 'Error';
  const text = { name, message: messageOf(error) };
  if (!(error instanceof AppError)) return text;
  return { ...text, named: { code: error.code, retryable: error.retryable } };
}

/** The error that a text speaks of: one that Starfold names keeps its code, and whether trying again helps. */
export function errorOf(text: ErrorText): Error {
  if (text.named !== undefined) return new RemoteError(text, text.named);
  return Object.assign(new Error(text.message), { name: text.name });
}
