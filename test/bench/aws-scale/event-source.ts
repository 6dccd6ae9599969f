import type { Context } from 'aws-lambda';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import type { ReceivedMessage } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { type DeployedFunction, MODEL } from '#test/bench/cost/deployment.ts';
import type { EventClock } from '#test/bench/cost/event-clock.ts';
import type { LambdaFunction } from '#test/bench/cost/lambda-function.ts';
import { AWS } from './assumptions.ts';
import type { Environment } from './environment.ts';
import type { QueueCalls } from './queue-calls.ts';

const MAX_RECEIVED = 10;
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
const LONGEST_BODY_BYTES = 64 * 1024;
const MINUTE_MS = 60_000;

/**
 * How many batches Lambda handles at a time: some at once, and more each minute while messages wait, up to a maximum (Lambda
 * Developer Guide, "Configuring scaling behavior for SQS event source mappings").
 */
export class ConcurrencyRamp {
  readonly #most: number;
  #busySince: number | undefined;

  constructor(maximumConcurrency: number) {
    this.#most = maximumConcurrency;
  }

  /** No message waits any more. */
  rest(): void {
    this.#busySince = undefined;
  }

  /** Messages wait: so many batches may be handled at a time. */
  limit(nowMs: number): number {
    this.#busySince ??= nowMs;
    const added = Math.floor(((nowMs - this.#busySince) * AWS.pollersPerMinute) / MINUTE_MS);
    return Math.min(this.#most, AWS.pollers + added);
  }
}

/** A process of a function. */
export interface Process {
  readonly handler: SqsHandler;
  readonly environment: Environment;
}

/** A function with the queue that feeds it. */
export interface Fed {
  readonly queue: QueueCalls;
  readonly deployed: DeployedFunction;
  readonly timeoutMs: number;
  readonly lambda: LambdaFunction;
  readonly start: () => Process;
}

function bytesOf(messages: readonly ReceivedMessage[]): number {
  return messages.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}

/** Lambda's event source mapping, with the environments of the function, over virtual time. */
export class EventSourceModel {
  readonly #fed: Fed;
  readonly #clock: EventClock;
  readonly #ramp: ConcurrencyRamp;
  readonly #idle: Process[] = [];
  #pollers = 0;
  #stopped = false;
  /** Since the last reset. */
  counts = { invocations: 0, coldStarts: 0, failedMessages: 0, late: 0, most: 0 };

  constructor(fed: Fed, clock: EventClock) {
    this.#fed = fed;
    this.#clock = clock;
    this.#ramp = new ConcurrencyRamp(fed.deployed.concurrency);
  }

  start(): void {
    const pollers = Math.min(AWS.pollers, this.#fed.deployed.concurrency);
    for (let poller = 0; poller < pollers; poller += 1) void this.#poll(true);
  }

  /** Ends each poller when its receive returns. */
  stop(): void {
    this.#stopped = true;
  }

  resetCounts(): void {
    this.counts = { invocations: 0, coldStarts: 0, failedMessages: 0, late: 0, most: 0 };
  }

  async #poll(isLasting: boolean): Promise<void> {
    this.#pollers += 1;
    this.counts.most = Math.max(this.counts.most, this.#pollers);
    while (!this.#stopped) {
      const batch = await this.#gather();
      if (batch.length > 0) await this.#handle(batch);
      else if (!isLasting) break;
    }
    this.#pollers -= 1;
  }

  async #gather(): Promise<readonly ReceivedMessage[]> {
    const { queue, deployed } = this.#fed;
    const { batchSize, windowMs } = deployed;
    const batch = [...(await queue.receive(Math.min(MAX_RECEIVED, batchSize), MODEL.longPollMs))];
    const deadline = this.#clock.now() + windowMs;
    let bytes = bytesOf(batch);
    while (batch.length > 0 && batch.length < batchSize) {
      const left = deadline - this.#clock.now();
      if (left <= 0 || bytes >= MAX_PAYLOAD_BYTES - MAX_RECEIVED * LONGEST_BODY_BYTES) break;
      const more = await queue.receive(Math.min(MAX_RECEIVED, batchSize - batch.length), left);
      batch.push(...more);
      bytes += bytesOf(more);
    }
    if (queue.model.size === queue.model.inFlight) this.#ramp.rest();
    else if (this.#pollers < this.#ramp.limit(this.#clock.now())) void this.#poll(false);
    return batch;
  }

  async #handle(batch: readonly ReceivedMessage[]): Promise<void> {
    const { queue, lambda } = this.#fed;
    this.counts.invocations += 1;
    const process = this.#idle.pop() ?? (await this.#coldStart());
    const failed = await lambda.invoke(() => this.#invoke(process, batch));
    this.#idle.push(process);
    this.counts.failedMessages += failed.size;
    const done = batch.filter(({ messageId }) => !failed.has(messageId));
    if (done.length > 0) await queue.delete(done);
  }

  async #invoke(
    { handler, environment }: Process,
    batch: readonly ReceivedMessage[],
  ): Promise<ReadonlySet<string>> {
    const { queue, lambda, timeoutMs } = this.#fed;
    const began = this.#clock.now();
    const context: Context = {
      ...localContext(lambda.name, batch[0]?.messageId ?? ''),
      getRemainingTimeInMillis: () => began + timeoutMs - this.#clock.now(),
    };
    await environment.call(0, bytesOf(batch));
    const { batchItemFailures } = await handler(sqsEvent(queue.name, batch), context);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    if (this.#clock.now() - began <= timeoutMs) return failed;
    // Lambda has ended it: what it answered does not count.
    this.counts.late += 1;
    return new Set(batch.map(({ messageId }) => messageId));
  }

  async #coldStart(): Promise<Process> {
    this.counts.coldStarts += 1;
    await this.#clock.sleep(AWS.coldStartMs);
    return this.#fed.start();
  }
}
