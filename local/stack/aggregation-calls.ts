import type { SQSEvent } from 'aws-lambda';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { BatchResponse } from '#shared/runtime/batch.ts';
import type { ObservabilitySettings } from '#shared/runtime/observability.ts';
import type { ErrorText, FromThread } from './thread-messages.ts';

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

/** What a worker says besides how its invocations end: a call, or a line of the log or of metrics. */
export type SaidByWorker =
  | {
      readonly type: 'call';
      readonly id: number;
      readonly call: PortCall;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'line'; readonly text: string };

/** A message of a worker. */
export type FromWorker = FromThread<BatchResponse, SaidByWorker>;
