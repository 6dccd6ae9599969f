import { localContext, sqsEvent } from '#local/stack/poller.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import type { BilledQueue } from './billed-queue.ts';
import { type DeployedFunction, MODEL } from './deployment.ts';
import type { EventClock } from './event-clock.ts';
import type { LambdaFunction } from './lambda-function.ts';

/** ReceiveMessage returns at most ten messages. */
const MAX_RECEIVED = 10;
/** The payload of an invocation. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;

/** One function with the queue that feeds it. */
export interface FedFunction {
  readonly queue: BilledQueue;
  readonly deployed: DeployedFunction;
  readonly lambda: LambdaFunction;
  readonly environments: Environments;
}

/** The execution environments of a function: each is one process with what it remembers; the one used last is warmest. */
export class Environments {
  readonly #start: () => SqsHandler;
  readonly #idle: SqsHandler[] = [];

  constructor(start: () => SqsHandler) {
    this.#start = start;
  }

  /** Lends one that is idle, or a new one. */
  async use<T>(run: (handler: SqsHandler) => Promise<T>): Promise<T> {
    const handler = this.#idle.pop() ?? this.#start();
    try {
      return await run(handler);
    } finally {
      this.#idle.push(handler);
    }
  }
}

/**
 * Lambda's event source mapping (Lambda Developer Guide, "Configuring scaling behavior for SQS event source mappings"):
 * it begins with five pollers, each of which gathers a batch, invokes the function, waits for it and deletes what was
 * handled; while full batches leave messages behind it adds pollers up to the maximum concurrency. How a poller
 * gathers is not documented: here each does so for itself, with one ReceiveMessage after the other.
 */
export class PollerModel {
  readonly #fed: FedFunction;
  readonly #clock: EventClock;
  #pollers = 0;
  #stopped = false;

  constructor(fed: FedFunction, clock: EventClock) {
    this.#fed = fed;
    this.#clock = clock;
  }

  start(): void {
    this.#stopped = false;
    const pollers = Math.min(MODEL.pollers, this.#fed.deployed.concurrency);
    for (let poller = 0; poller < pollers; poller += 1) void this.#poll(true);
  }

  /** Ends each poller when its receive returns. */
  stop(): void {
    this.#stopped = true;
  }

  async #poll(lasting: boolean): Promise<void> {
    this.#pollers += 1;
    while (!this.#stopped) {
      const batch = await this.#gather();
      if (batch.length > 0) await this.#handle(batch);
      else if (!lasting) break;
    }
    this.#pollers -= 1;
  }

  async #gather(): Promise<readonly ReceivedMessage[]> {
    const { queue, deployed } = this.#fed;
    const batch = [...(await queue.receive(MAX_RECEIVED, MODEL.longPollMs))];
    const deadline = this.#clock.now() + deployed.windowMs;
    let bytes = bytesOf(batch);
    while (batch.length > 0 && batch.length < deployed.batchSize) {
      const left = deadline - this.#clock.now();
      if (left <= 0 || bytes >= MAX_PAYLOAD_BYTES - MAX_RECEIVED * 64 * 1024) break;
      const max = Math.min(MAX_RECEIVED, deployed.batchSize - batch.length);
      const more = await queue.receive(max, left);
      batch.push(...more);
      bytes += bytesOf(more);
    }
    return batch;
  }

  async #handle(batch: readonly ReceivedMessage[]): Promise<void> {
    const { queue, deployed, lambda, environments } = this.#fed;
    const isFull = batch.length === deployed.batchSize;
    if (isFull && this.#pollers < deployed.concurrency) void this.#poll(false);
    lambda.compute(bytesOf(batch));
    const context = localContext(lambda.name, batch[0]?.messageId ?? '');
    const event = sqsEvent(queue.name, batch);
    const { batchItemFailures } = await environments.use((handler) =>
      lambda.invoke(() => handler(event, context)),
    );
    if (batchItemFailures.length > 0)
      throw new Error(`${lambda.name} failed for ${batchItemFailures.length} messages`);
    await queue.delete(batch);
  }
}

function bytesOf(messages: readonly ReceivedMessage[]): number {
  return messages.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}
