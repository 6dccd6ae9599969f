import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { exponentialRetry, withRetry } from '#shared/runtime/retry.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { registerSender } from '#shared/state/senders.ts';
import { TableSizes } from '#test/bench/cost/billed-store.ts';
import { PRINCIPAL, QUEUES, type QueueName } from '#test/bench/cost/cloud.ts';
import { readDeployment } from '#test/bench/cost/deployment.ts';
import { EventClock } from '#test/bench/cost/event-clock.ts';
import { Forwarder } from '#test/bench/cost/forwarder.ts';
import { createHandler, FEEDS } from '#test/bench/cost/functions.ts';
import { LambdaFunction } from '#test/bench/cost/lambda-function.ts';
import { type Bill, Meter } from '#test/bench/cost/meter.ts';
import { givenObjects, WDS, wecNames, workloadNames } from '#test/bench/cost/objects.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { readQueues, readTimeouts } from './deployed-queues.ts';
import { Environment } from './environment.ts';
import { EventSourceModel, type Fed, type Process } from './event-source.ts';
import { APART_MS, Filling } from './filling.ts';
import { COLLECTORS, counted, shownChanges } from './objects.ts';
import { QueueCalls } from './queue-calls.ts';
import { createRandom } from './seeded.ts';
import { ShownChanges } from './shown-changes.ts';
import { slowWds, type WdsLimits } from './slow-wds.ts';
import { createTable, type TableWorld } from './table-model.ts';
import { Partitions, type WarmThroughput } from './throughput.ts';

const START_MS = Date.UTC(2026, 0, 1);
const SEED = 18;
const FILL_ROWS = 5_000;
const FILL_MEMORY_MB = 1_024;
const MOST_REST_MS = 2 * 3_600_000;
/** How often a scenario reports its progress, in its own time. */
const PROGRESS_MS = 10_000;

/** How many objects there are, each on all of these WECs. */
export interface ScaleSize {
  readonly workloads: number;
  readonly wecs: number;
}

/** What is simulated. */
export interface ScaleOptions extends ScaleSize {
  /** Of the table. */
  readonly warmThroughput: WarmThroughput;
}

/** What one scenario led to. */
export interface Played {
  readonly changes: number;
  /** Milliseconds from a change to the WDS. */
  readonly latencies: readonly number[];
  /** Changes that the WDS does not show at the end; 0 unless something is wrong. */
  readonly open: number;
  /** From the beginning until nothing was left to do, seconds. */
  readonly seconds: number;
  readonly isAtRest: boolean;
  readonly queues: Readonly<
    Record<QueueName, { backlog: number; inFlight: number; blocked: SqsBlocked; dead: number }>
  >;
  readonly functions: Readonly<Record<QueueName, EventSourceModel['counts']>>;
  /** Throttled requests by kind. */
  readonly throttled: ReadonlyMap<string, number>;
  readonly splits: number;
  readonly failedCalls: number;
  readonly wdsWrites: number;
  readonly bill: Bill;
}

type SqsBlocked = QueueCalls['model']['blocked'];

/** A source has told everything. Until all have, nothing is written for an object. */
function endSnapshot({ sendBuffer, source }: Forwarder): void {
  sendBuffer.putSnapshot(source, { epoch: 1, sequence: 0 });
}

/** The functions over simulated AWS, a WDS and all forwarders, in virtual time. */
export class ScaleWorld {
  readonly clock = new EventClock(START_MS);
  readonly workloads: readonly string[];
  readonly wecs: readonly string[];
  readonly #warmThroughput: WarmThroughput;
  readonly #random = createRandom(SEED);
  readonly #meter = new Meter();
  readonly #database = openSqliteDatabase(':memory:');
  readonly #queues: Readonly<Record<QueueName, QueueCalls>>;
  readonly #deadLetters: QueueCalls;
  readonly #table: TableWorld;
  readonly #cluster = createMemoryCluster(() => this.#newId('uid'));
  readonly #limits: WdsLimits;
  readonly #wdsForwarder: Forwarder;
  readonly #wecForwarders: ReadonlyMap<string, Forwarder>;
  readonly #shown = new ShownChanges();
  /** How often each row has changed. */
  readonly #changes = new Map<string, number>();
  #counter = 0;
  #ids = 0;

  constructor({ warmThroughput, ...size }: ScaleOptions) {
    const { clock } = this;
    this.#warmThroughput = warmThroughput;
    this.workloads = workloadNames(size.workloads);
    this.wecs = wecNames(size.wecs);
    const queues = readQueues();
    const queue = (name: QueueName): QueueCalls => this.#queue(name, queues[name]);
    this.#queues = { events: queue('events'), dirty: queue('dirty'), hints: queue('hints') };
    this.#deadLetters = this.#queue('dead-letters', { ...queues.events, maxReceiveCount: 1_000 });
    this.#table = {
      ...{ inner: createSqliteItemStore(this.#database), clock, meter: this.#meter },
      ...{ sizes: new TableSizes(), random: this.#random, failedCalls: 0 },
      partitions: new Partitions(START_MS, warmThroughput),
      onPut: (item) => this.#shown.put(item),
    };
    this.#limits = {
      clock,
      random: this.#random,
      writesPerSecond: undefined,
      writes: 0,
      freeAtMs: 0,
    };
    const { events } = this.#queues;
    const unbilled = {
      send: async (messages: Parameters<QueueCalls['accept']>[0]) => events.accept(messages),
    };
    const world = { clock, sender: (name: string) => events.sender(name), unbilled };
    this.#wdsForwarder = new Forwarder({ type: 'wds', name: WDS }, world);
    this.#wecForwarders = new Map(
      this.wecs.map((name) => [name, new Forwarder({ type: 'wec', name }, world)]),
    );
    this.#cluster.onChange = ({ type, ref, object }) => {
      const { version: _version, ...subject } = ref;
      const seen = type === 'DELETED' ? {} : { object };
      const content = { type: 'wds-object', subject, first: type === 'ADDED', ...seen } as const;
      this.#wdsForwarder.put(`${ref.resource}/${ref.namespace}/${ref.name}`, content);
      const shown = shownChanges(ref, object);
      if (shown !== undefined) this.#shown.shown(shown.workload, shown.changes, clock.now());
    };
  }

  /** A number from 0 to less than 1, the next of a fixed row of them. */
  chance(): number {
    return this.#random();
  }

  /** A WEC's status of a workload changes; its forwarder has it to send. */
  change(wec: string, workload: string): void {
    const changes = (this.#changes.get(`${workload} ${wec}`) ?? 0) + 1;
    this.#changes.set(`${workload} ${wec}`, changes);
    this.#shown.said(wec, workload, { changes, atMs: this.clock.now() });
    this.#say(wec, workload, false);
  }

  /** A WEC's forwarder has everything to send again, and then the end of its snapshot. */
  snapshot(wec: string): void {
    const forwarder = this.#wecForwarders.get(wec);
    if (forwarder === undefined) return;
    const since = forwarder.sendBuffer.version;
    for (const workload of this.workloads) this.#say(wec, workload, true);
    forwarder.sendBuffer.putSnapshot(forwarder.source, since);
  }

  /** A WEC's forwarder has a heartbeat to send. */
  beat(wec: string): void {
    const forwarder = this.#wecForwarders.get(wec);
    forwarder?.sendBuffer.putHeartbeat(forwarder.source);
  }

  /** Puts everything where it stands when all WECs have spoken and the WDS says so, without time, limits and bill. */
  async fill(): Promise<void> {
    for (const { ref, object } of givenObjects(this.workloads, this.wecs, COLLECTORS))
      this.#cluster.restore(ref, object);
    for (const { source } of this.#forwarders())
      await registerSender(this.#table.inner, { source, principal: PRINCIPAL });
    const filling = new Filling({
      ...{ clock: this.clock, queues: this.#queues, deadLetters: this.#deadLetters },
      ...{ table: this.#table, wds: this.#cluster.api },
      observability: (name) => this.#lambda(name, FILL_MEMORY_MB).observability,
    });
    endSnapshot(this.#wdsForwarder);
    await filling.settle(this.#forwarders());
    const chunk = Math.max(1, Math.floor(FILL_ROWS / this.workloads.length));
    for (let from = 0; from < this.wecs.length; from += chunk) {
      for (const wec of this.wecs.slice(from, from + chunk)) await this.#tellAll(wec);
      await filling.recordOnly();
    }
    const [first = ''] = this.wecs;
    for (const workload of this.workloads) this.change(first, workload);
    await filling.settle(this.#forwarders());
    if (this.#shown.open > 0) throw new Error(`${this.#shown.open} changes are not shown`);
  }

  /**
   * Plays a load on new functions and a new table with this content, until nothing is left to do.
   *
   * @param act the load; it sleeps by the world's clock
   */
  async play(
    act: () => Promise<void>,
    writesPerSecond: number | undefined = undefined,
  ): Promise<Played> {
    const { clock } = this;
    await clock.run(APART_MS);
    this.#limits.writesPerSecond = writesPerSecond;
    this.#limits.writes = 0;
    this.#table.partitions = new Partitions(clock.now(), this.#warmThroughput);
    this.#table.failedCalls = 0;
    this.#shown.latencies = [];
    this.#meter.reset();
    for (const name of QUEUES) this.#queues[name].model.resetPeaks();
    const before = this.#counter;
    const began = clock.now();
    const sources = this.#sources();
    for (const name of QUEUES) sources[name].start();
    const stopSending = this.#forwarders().map((forwarder) => forwarder.start());
    const progress = new AbortController();
    void this.#reportProgress(began, progress.signal);
    await clock.drive(act());
    const isAtRest = await this.#rest();
    progress.abort();
    const seconds = (clock.now() - began) / 1_000;
    const bill = this.#meter.bill();
    for (const name of QUEUES) sources[name].stop();
    for (const stop of stopSending) stop();
    await clock.run(APART_MS);
    const of = <T>(get: (name: QueueName) => T): Record<QueueName, T> => ({
      ...{ events: get('events'), dirty: get('dirty'), hints: get('hints') },
    });
    return {
      ...{ changes: this.#counter - before, seconds, isAtRest, bill, open: this.#shown.open },
      latencies: this.#shown.latencies,
      queues: of((name) => {
        const { peak, blocked, deadLetters: dead } = this.#queues[name].model;
        return { ...peak, blocked, dead };
      }),
      functions: of((name) => sources[name].counts),
      throttled: this.#table.partitions.throttled,
      splits: this.#table.partitions.splits,
      failedCalls: this.#table.failedCalls,
      wdsWrites: this.#limits.writes,
    };
  }

  close(): void {
    this.#database.close();
  }

  #newId(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  #queue(name: string, options: ReturnType<typeof readQueues>[QueueName]): QueueCalls {
    const world = {
      ...{ clock: this.clock, meter: this.#meter, random: this.#random },
      newId: (kind: string) => this.#newId(kind),
    };
    return new QueueCalls({ name, ...options, senderId: `${PRINCIPAL}:forwarder` }, world);
  }

  #forwarders(): readonly Forwarder[] {
    return [this.#wdsForwarder, ...this.#wecForwarders.values()];
  }

  /** Sends everything that a WEC has, at once and unbilled. */
  async #tellAll(wec: string): Promise<void> {
    const forwarder = this.#wecForwarders.get(wec);
    if (forwarder === undefined) return;
    for (const workload of this.workloads) this.#say(wec, workload, true);
    endSnapshot(forwarder);
    await forwarder.flush();
  }

  #say(wec: string, workload: string, first: boolean): void {
    const changes = this.#changes.get(`${workload} ${wec}`) ?? 0;
    this.#counter += first ? 0 : 1;
    const about = { nowMs: this.clock.now(), first, counter: this.#counter };
    this.#wecForwarders.get(wec)?.put(workload, counted(workload, changes, about));
  }

  #sources(): Readonly<Record<QueueName, EventSourceModel>> {
    const timeouts = readTimeouts();
    const { functions } = readDeployment();
    const source = (name: QueueName): EventSourceModel => {
      const deployed = functions[FEEDS[name]];
      const lambda = this.#lambda(name, deployed.memoryMb);
      const start = (): Process => this.#process(name, lambda, deployed.memoryMb);
      const timeoutMs = timeouts[FEEDS[name]];
      const fed: Fed = { queue: this.#queues[name], deployed, timeoutMs, lambda, start };
      return new EventSourceModel(fed, this.clock);
    };
    return { events: source('events'), dirty: source('dirty'), hints: source('hints') };
  }

  #lambda(name: QueueName, memoryMb: number): LambdaFunction {
    const what = { name: FEEDS[name], memoryMb };
    return new LambdaFunction(what, { meter: this.#meter, clock: this.clock, metrics: new Set() });
  }

  #process(name: QueueName, lambda: LambdaFunction, memoryMb: number): Process {
    const environment = new Environment(memoryMb, this.clock);
    const telemetry = createTelemetry(lambda.observability);
    const sender = (queue: QueueCalls) => queue.sender(lambda.name, environment);
    const handler = createHandler(
      name,
      {
        store: createTable(this.#table, environment, lambda.name),
        dirty: sender(this.#queues.dirty),
        hints: sender(this.#queues.hints),
        deadLetters: sender(this.#deadLetters),
        ...{ telemetry, clock: this.clock.now, wds: slowWds(this.#cluster.api, this.#limits) },
      },
      lambda.observability,
    );
    const queue = sender(this.#queues[name]);
    const retried = withRetry(handler, { queue, seconds: exponentialRetry, telemetry });
    return { handler: retried as SqsHandler, environment };
  }

  /** Writes to stderr what waits, until the signal. At full size, a scenario takes longer than its own time. */
  async #reportProgress(began: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.clock.sleep(PROGRESS_MS, signal);
      if (signal.aborted) return;
      const seconds = Math.round((this.clock.now() - began) / 1_000);
      const waiting = QUEUES.map((name) => `${name} ${this.#queues[name].model.size}`).join(', ');
      const cpuSeconds = Math.round(process.cpuUsage().user / 1_000_000);
      process.stderr.write(
        `  ${seconds} s: ${waiting} messages; ${this.#shown.open} changes are not shown; ${cpuSeconds} s of CPU\n`,
      );
    }
  }

  async #rest(): Promise<boolean> {
    const end = this.clock.now() + MOST_REST_MS;
    while (this.clock.now() < end) {
      const isEmpty =
        QUEUES.every((name) => this.#queues[name].model.size === 0) &&
        this.#forwarders().every(({ sendBuffer }) => sendBuffer.size === 0);
      if (isEmpty) return true;
      await this.clock.run(1_000);
    }
    return false;
  }
}
