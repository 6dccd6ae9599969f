import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { returnedObject } from '#functions/event-forwarder/returned-object.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import type { Observability, SqsHandler } from '#functions/sqs/batch.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { pollOnce } from '#infra/local/poller.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { EventContent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { encodeBody, encodeEvent } from '#shared/events/codec.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { createDestinationStore } from '#shared/state/membership.ts';
import { createSharder } from '#shared/state/shards.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';
import { SimulatedForwarder } from './forwarder-model.ts';
import { steppedApi, steppedQueue, steppedStore } from './ports.ts';
import { type Actor, Scheduler } from './scheduler.ts';

export const WDS = 'wds1';
/** Loaded before any history begins: reading files would take its turns at random. */
export const SCHEMAS = createBuiltInSchemas();
await SCHEMAS.find({ group: 'apps', version: 'v1', resource: 'deployments' });

const VISIBILITY_SECONDS = 30;
// Redelivery is what the simulation is about; what moves to a dead-letter queue would be lost to it.
const MAX_RECEIVES = 1_000_000;

interface Stage {
  readonly name: (typeof STAGES)[number];
  readonly queue: MessageQueue;
}

/** What is fed from queues. */
export const STAGES = ['record-events', 'aggregate-workload', 'write-results'] as const;
const MAX_ROUNDS = 5_000;
const ROUND_MS = 2_000;

interface Queues {
  readonly events: MessageQueue;
  readonly dirty: MessageQueue;
  readonly hints: MessageQueue;
  readonly deadLetters: MessageQueue;
}

const OBSERVABILITY: Observability = {
  logger: new Logger({ serviceName: 'simulation', logLevel: 'SILENT' }),
  metrics: new Metrics({ namespace: 'simulation', singleMetric: false }),
};

export interface WorldOptions {
  /** Workloads with more destinations than that are folded in shards. */
  readonly unsharded?: number;
  /** One workload object alone, so that everything meets at it. */
  readonly narrow?: boolean;
}

/** The simulated world: clusters, queues, a store, and the real functions between them. */
export class World {
  readonly scheduler: Scheduler;
  readonly wds: MemoryCluster;
  readonly wecs = new Map<string, MemoryCluster>();
  readonly forwarders: SimulatedForwarder[] = [];
  readonly store: ItemStore = createMemoryItemStore();
  readonly queues: Queues;
  readonly #running = new Set<Actor>();
  readonly #failures: unknown[] = [];
  #uids = 0;
  #messages = 0;

  readonly narrow: boolean;
  readonly #unsharded: number;

  constructor(seed: number, wecs: readonly string[], options: WorldOptions = {}) {
    this.narrow = options.narrow ?? false;
    this.#unsharded = options.unsharded ?? 128;
    this.scheduler = new Scheduler(seed);
    const uid = (): string => {
      this.#uids += 1;
      return `uid-${this.#uids}`;
    };
    this.queues = {
      events: this.#queue(false),
      dirty: this.#queue(true),
      hints: this.#queue(true),
      deadLetters: this.#queue(false),
    };
    this.wds = createMemoryCluster(uid);
    this.#follow('wds', WDS, this.wds);
    for (const name of wecs) {
      const cluster = createMemoryCluster(uid);
      this.wecs.set(name, cluster);
      this.#follow('wec', name, cluster);
    }
  }

  #queue(fifo: boolean): MessageQueue {
    return createMemoryMessageQueue({
      fifo,
      visibilityTimeoutSeconds: VISIBILITY_SECONDS,
      maxReceiveCount: MAX_RECEIVES,
      clock: () => this.scheduler.now,
      createMessageId: () => {
        this.#messages += 1;
        return `message-${this.#messages}`;
      },
    });
  }

  #follow(type: 'wec' | 'wds', name: string, cluster: MemoryCluster): void {
    const content = (
      { version: _version, ...subject }: ObjectRef,
      object: JsonObject | undefined,
      first: boolean,
    ): EventContent =>
      type === 'wds'
        ? {
            type: 'wds-object',
            subject,
            first,
            ...(object === undefined ? {} : { object }),
          }
        : {
            type: 'wec-object',
            wds: WDS,
            subject,
            first,
            ...(object === undefined ? {} : { returned: returnedObject(object) }),
          };
    const forwarder = new SimulatedForwarder(this.scheduler, {
      queue: this.queues.events,
      encode: (events) => encodeBody(events.map(encodeEvent)),
      view: {
        source: { type, name },
        list: () => cluster.objects().map(({ ref, object }) => content(ref, object, true)),
      },
    });
    cluster.onChange = (change) =>
      forwarder.say(
        content(
          change.ref,
          change.type === 'DELETED' ? undefined : change.object,
          change.type === 'ADDED',
        ),
      );
    this.forwarders.push(forwarder);
  }

  #handler(stage: Stage['name'], actor: Actor): SqsHandler {
    const { scheduler, queues } = this;
    const store = steppedStore(scheduler, actor, this.store);
    const stepped = (queue: MessageQueue): MessageQueue => steppedQueue(scheduler, actor, queue);
    const common = {
      store,
      specs: createSpecStore(store),
      dirty: stepped(queues.dirty),
      hints: stepped(queues.hints),
      clock: () => scheduler.now,
    };
    switch (stage) {
      case 'record-events':
        return createRecordEvents(
          { ...common, deadLetters: stepped(queues.deadLetters) },
          OBSERVABILITY,
        );
      case 'aggregate-workload':
        return createAggregateWorkload(
          {
            ...common,
            destinations: createDestinationStore(store),
            schemas: SCHEMAS,
            shard: createSharder(this.#unsharded),
          },
          OBSERVABILITY,
        );
      case 'write-results':
        return createWriteResults(
          { ...common, wds: () => steppedApi(scheduler, actor, this.wds.api) },
          OBSERVABILITY,
        );
    }
  }

  /** Starts one invocation of a stage: it receives a batch, handles it and acknowledges it, step by step. */
  invoke(name: Stage['name']): void {
    const queueOf = {
      'record-events': this.queues.events,
      'aggregate-workload': this.queues.dirty,
      'write-results': this.queues.hints,
    } as const;
    const actor = this.#begin(name);
    const queue = steppedQueue(this.scheduler, actor, queueOf[name]);
    const handler = this.#handler(name, actor);
    const onError = (error: unknown): void => {
      this.#failures.push(error);
    };
    this.#end(actor, pollOnce({ name, queue, handler, retrySeconds: () => 1, onError }, 0));
  }

  /** Starts one sweep for WECs that have fallen silent or speak again. */
  sweepStale(): void {
    const actor = this.#begin('sweep-stale');
    const { scheduler } = this;
    const clock = (): number => scheduler.now;
    const store = steppedStore(scheduler, actor, this.store);
    const dirty = steppedQueue(scheduler, actor, this.queues.dirty);
    this.#end(actor, sweepStale({ store, dirty, clock }));
  }

  #begin(name: string): Actor {
    const actor = { name, alive: true };
    this.#running.add(actor);
    return actor;
  }

  #end(actor: Actor, invocation: Promise<unknown>): void {
    void invocation
      .catch((error: unknown) => this.#failures.push(error))
      .then(() => this.#running.delete(actor));
  }

  /** The forwarders of the WECs that run, or of those that do not. */
  wecForwarders(running: boolean): readonly SimulatedForwarder[] {
    return this.forwarders.filter(
      (forwarder) => forwarder.source.type === 'wec' && forwarder.running === running,
    );
  }

  /** Lets time pass for the forwarders too. */
  pass(ms: number): void {
    this.scheduler.pass(ms);
    for (const forwarder of this.forwarders) forwarder.tick();
  }

  /** The invocations that are at work. */
  get running(): readonly Actor[] {
    return [...this.#running];
  }

  /** Kills an invocation wherever it is. Its messages become visible again when their time is over. */
  crash(actor: Actor): void {
    this.scheduler.kill(actor);
    this.#running.delete(actor);
  }

  /** What invocations threw beyond their handlers: there should be nothing. */
  get failures(): readonly unknown[] {
    return this.#failures;
  }

  /** How many messages wait or are in flight. */
  async backlog(): Promise<number> {
    let count = 0;
    for (const queue of [this.queues.events, this.queues.dirty, this.queues.hints]) {
      const { visible, inFlight, delayed } = await (
        queue as ReturnType<typeof createMemoryMessageQueue>
      ).counts();
      count += visible + inFlight + delayed;
    }
    return count;
  }

  async #drain(): Promise<void> {
    let moved = true;
    while (moved) moved = await this.scheduler.advance();
  }

  /** Lets every forwarder run, and everything without further crashes, until nothing is left to do. */
  async quiesce(): Promise<void> {
    for (const forwarder of this.forwarders) if (!forwarder.running) forwarder.start();
    await this.rest();
  }

  /** Runs without further crashes until nothing is left to do: a forwarder that is down stays down. */
  async rest(): Promise<void> {
    await this.#settle();
    for (const forwarder of this.forwarders) forwarder.beat();
    await this.#settle();
    this.sweepStale();
    await this.#settle();
  }

  async #settle(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await this.#drain();
      if ((await this.backlog()) === 0 && this.running.length === 0) return;
      for (const stage of STAGES) this.invoke(stage);
      await this.#drain();
      this.scheduler.pass(ROUND_MS);
    }
    throw new Error('the pipeline does not come to rest');
  }
}
