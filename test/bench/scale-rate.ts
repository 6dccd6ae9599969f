import { createHistogram } from 'node:perf_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { packageFile } from '#local/package-file.ts';
import { AggregationPool } from '#local/stack/aggregation-pool.ts';
import { AGGREGATION_LIMITS, AGGREGATION_WORKER } from '#local/stack/functions.ts';
import { startPoller } from '#local/stack/poller.ts';
import { QUEUES } from '#local/stack/queues.ts';
import { parseDirty } from '#shared/messages/dirty.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { cpuMs } from './cpu.ts';
import type { UseCaseWorld } from './use-case-world.ts';

const RATE = 1_000;
const RATE_SECONDS = 60;
/** The events that are recorded together. */
const BATCH = 10;
/** Threads of aggregation start and compile their code during the first changes, which come at a lower rate and do not count. */
const WARM_UP = { rate: 500, seconds: 10 };

/** Milliseconds from the intended time of a change to the messages for the writer, at a constant rate. */
export interface RateMeasured {
  readonly rate: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** Changes that were aggregated while the load lasted, a second. */
  readonly handled: number;
  /** Milliseconds of CPU for each of them, of all threads. */
  readonly cpu: number;
}

/** What is measured: a world on a file, and the changes that it gets. */
export interface RateWorld {
  readonly file: string;
  readonly world: UseCaseWorld;
  /** `record` records so many changes together. It returns the name of the workload object of each. */
  readonly changes: { record(count: number): Promise<readonly string[]> };
}

/** The changes of a load that are due after a time. Earlier ones do not count. */
class Waiting {
  readonly #from: number;
  readonly #since = new Map<string, number[]>();
  readonly #latencies = createHistogram();
  /** How many were added, and how many of them have been aggregated. */
  added = 0;
  done = 0;

  constructor(from: number) {
    this.#from = from;
  }

  add(workload: string, at: number): void {
    if (at <= this.#from) return;
    this.added += 1;
    const since = this.#since.get(workload);
    if (since === undefined) this.#since.set(workload, [at]);
    else since.push(at);
  }

  /** Returns when the changes of a workload object were due that an aggregation which begins now includes. */
  take(workload: string): readonly number[] {
    const since = this.#since.get(workload) ?? [];
    this.#since.delete(workload);
    return since;
  }

  /** Counts changes that were aggregated. */
  aggregated(since: readonly number[]): void {
    this.done += since.length;
    this.#count(since);
  }

  /** Counts the changes that still wait as if they were aggregated now. */
  end(): void {
    for (const workload of [...this.#since.keys()]) this.#count(this.take(workload));
  }

  quantile(share: number): number {
    return this.#latencies.percentile(100 * share);
  }

  #count(since: readonly number[]): void {
    const now = performance.now();
    for (const at of since) this.#latencies.record(Math.max(1, Math.round(now - at)));
  }
}

/** Aggregates what is dirty in threads, as the embedded stack does. */
class Aggregation {
  readonly #pool: AggregationPool;
  readonly #pollers: readonly { stop(): Promise<void> }[];
  #error: unknown;

  constructor({ world, file }: RateWorld, waiting: Waiting) {
    const { store, dirty, hints } = world;
    this.#pool = new AggregationPool({
      ...{ file, entry: packageFile(AGGREGATION_WORKER), limits: AGGREGATION_LIMITS },
      calls: {
        'store.put': (puts) => store.put(puts),
        'store.delete': (deletes) => store.delete(deletes),
        'dirty.send': (messages) => dirty.send(messages),
        'hints.send': (messages) => hints.send(messages),
        'notifications.send': () => Promise.reject(new Error('no rule concerns verdicts')),
      },
      notifiesOfVerdicts: false,
      observability: { logLevel: 'WARN', metrics: 'off' },
      onLine: (line) => process.stderr.write(`${line}\n`),
    });
    const poller = (name: 'dirty' | 'hints', handler: SqsHandler) =>
      startPoller({
        ...{ name, handler, queue: world[name], concurrency: QUEUES[name].concurrency },
        retrySeconds: exponentialRetry,
        onError: (error) => {
          this.#error ??= error;
        },
        sleep: (ms, signal) => sleep(ms, undefined, { signal }),
      });
    // The messages for the writer are received and deleted, as the stack does.
    const written = async () => ({ batchItemFailures: [] });
    this.#pollers = [poller('dirty', this.#counted(waiting)), poller('hints', written)];
  }

  /** @throws what an aggregation has thrown */
  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#pollers.map((poller) => poller.stop()));
    await this.#pool.stop();
  }

  #counted(waiting: Waiting): SqsHandler {
    return async (event, context) => {
      // A message may be received before the call that has recorded its change has returned.
      await setImmediate();
      const since = event.Records.map(({ body }) => parseDirty(body)).flatMap((message) =>
        message.type === 'subject' && message.subject.type === 'workload'
          ? waiting.take(message.subject.workload.name)
          : [],
      );
      const response = await this.#pool.handler(event, context);
      if (response.batchItemFailures.length > 0)
        this.#error ??= new Error('an aggregation has failed');
      else waiting.aggregated(since);
      return response;
    };
  }
}

/** How many changes do not count, and how many there are. */
const FIRST = WARM_UP.rate * WARM_UP.seconds;
const LAST = FIRST + RATE * RATE_SECONDS;

/** When the changes are due, if the first ones are from a time on. */
class Schedule {
  readonly #began: number;
  /** The changes that are due later count. */
  readonly counted: number;

  constructor(began: number) {
    this.#began = began;
    this.counted = began + WARM_UP.seconds * 1_000;
  }

  /** @param change its number, from 1 on */
  dueAt(change: number): number {
    return change <= FIRST
      ? this.#began + (change * 1_000) / WARM_UP.rate
      : this.counted + ((change - FIRST) * 1_000) / RATE;
  }

  /** How many changes are due now. */
  due(): number {
    const now = performance.now();
    const due =
      now <= this.counted
        ? ((now - this.#began) * WARM_UP.rate) / 1_000
        : FIRST + ((now - this.counted) * RATE) / 1_000;
    return Math.min(Math.floor(due), LAST);
  }
}

/** Records each change when it is due. Returns the CPU time before the first one that counts, in milliseconds. */
async function recordInTime(
  changes: RateWorld['changes'],
  schedule: Schedule,
  { waiting, aggregation }: { readonly waiting: Waiting; readonly aggregation: Aggregation },
): Promise<number> {
  let cpuBefore = cpuMs();
  const end = schedule.dueAt(LAST);
  for (let sent = 0; performance.now() < end; ) {
    aggregation.check();
    if (sent <= FIRST) cpuBefore = cpuMs();
    const count = Math.min(schedule.due() - sent, BATCH);
    if (count === 0) await sleep(1);
    else
      for (const workload of await changes.record(count))
        waiting.add(workload, schedule.dueAt(++sent));
  }
  return cpuBefore;
}

/**
 * Open loop: a change waits from its intended time on, however far behind the handlers are. Recording runs in this thread, which is
 * also the only one that writes the file, and aggregation in threads of its own.
 *
 * @throws what an aggregation throws
 */
export async function measureRate(measured: RateWorld): Promise<RateMeasured> {
  const { changes } = measured;
  const schedule = new Schedule(performance.now());
  const waiting = new Waiting(schedule.counted);
  const aggregation = new Aggregation(measured, waiting);
  let cpuBefore: number;
  try {
    cpuBefore = await recordInTime(changes, schedule, { waiting, aggregation });
  } finally {
    await aggregation.stop();
  }
  aggregation.check();
  const handled = waiting.done / RATE_SECONDS;
  const cpu = (cpuMs() - cpuBefore) / waiting.done;
  // Those that are not recorded yet have waited as well.
  for (let missing = RATE * RATE_SECONDS - waiting.added; missing > 0; missing -= 1)
    waiting.add('', schedule.dueAt(LAST - missing + 1));
  waiting.end();
  const [p50, p99] = [waiting.quantile(0.5), waiting.quantile(0.99)];
  return { rate: RATE, seconds: RATE_SECONDS, p50, p99, handled, cpu };
}
