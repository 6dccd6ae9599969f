import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { createSenderCheck } from '#functions/record-events/sender-check.ts';
import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { sweepFleet } from '#functions/sweep-stale/fleet.ts';
import { reportHeld } from '#functions/sweep-stale/report-held.ts';
import { retrySetAside } from '#functions/sweep-stale/retry-set-aside.ts';
import { settleSilentAfter } from '#functions/sweep-stale/silent-after.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { pollOnce } from '#local/stack/poller.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { EventContent, EventSource } from '#shared/core/event.ts';
import { fleetContent } from '#shared/core/fleet/fleet-content.ts';
import {
  AGGREGATED_RESOURCES,
  type FleetMode,
  type FleetResource,
} from '#shared/core/fleet-object.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { Labels } from '#shared/core/labels.ts';
import { returnedObject } from '#shared/core/status/returned-object.ts';
import { markedApi, type WriterMark } from '#shared/doctor/writer-mark.ts';
import { ApiInvalidError, NewerBodyError, UnknownWdsError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import type { ItemKey, ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { RANGE } from '#shared/state/keys.ts';
import { fleetOwnedHash } from '#shared/state/owned-hashes.ts';
import { registerSender } from '#shared/state/senders.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { type MakeBackend, memoryBackend } from './backend.ts';
import { SimulatedForwarder, type Told } from './forwarder-model.ts';
import { nextReleaseQueue, nextReleaseStore } from './next-release.ts';
import { CROWDED } from './objects.ts';
import { steppedApi, steppedQueue, steppedStore } from './ports.ts';
import { backlogOf, principalFor, type Queues, REDRIVER, redriveStepped } from './queues.ts';
import { Receivers, RULES, Verdicts } from './receivers.ts';
import { type Actor, Random, Scheduler } from './scheduler.ts';

export const WDS = 'wds1';
export const UPSTREAM = 'rancher';
export const HUB = 'hub';
/** Loaded before any history begins: reading files would take its turns at random. */
export const SCHEMAS = createBuiltInSchemas();
await SCHEMAS.find({ group: 'apps', version: 'v1', resource: 'deployments' });
await SCHEMAS.find({ group: 'batch', version: 'v1', resource: 'jobs' });

/** How often a message is delivered before it is a dead letter: often enough, hardly ever enough, once. */
const MAX_RECEIVES = [1_000_000, 3, 1] as const;

/** What is fed from a queue. */
export type StageName = keyof typeof FED_FROM;

/** What is fed from queues. */
export const STAGES = ['record-events', 'aggregate-workload', 'write-results'] as const;
const FED_FROM = {
  'record-events': 'events',
  'aggregate-workload': 'dirty',
  'write-results': 'hints',
  'send-notifications': 'notifications',
} as const;
const MAX_ROUNDS = 5_000;
const ROUND_MS = 2_000;
/** After that whatever is set aside is retried. No number of hours, because the minute decides which subjects are. */
const PAUSE_MS = 3_660_000;
/** After that what a redriving that died has received is visible again. */
const DEAD_LETTERS_MS = 31_000;

const OBSERVABILITY = createObservability({
  service: 'simulation',
  logLevel: 'SILENT',
  metrics: 'off',
});

/** What forwarders of each type say of an object; `undefined`: it is gone. */
const CONTENT: Readonly<
  Record<
    EventSource['type'],
    (ref: ObjectRef, object: JsonObject | undefined, first: boolean) => EventContent
  >
> = {
  wds: ({ version: _version, ...subject }, object, first) => ({
    type: 'wds-object',
    subject,
    first,
    ...(object === undefined ? {} : { object }),
  }),
  wec: ({ version: _version, ...subject }, object, first) => ({
    type: 'wec-object',
    wds: WDS,
    subject,
    first,
    ...(object === undefined ? {} : { returned: returnedObject(object) }),
  }),
  fleet: ({ version: _version, ...subject }, object, first) => {
    const said = { type: 'fleet-object', subject, first } as const;
    if (object === undefined) return said;
    const resource = subject.resource as FleetResource;
    const hasOwnedHash = AGGREGATED_RESOURCES.some((one) => one === resource);
    return {
      ...said,
      object: fleetContent(resource, object),
      ...(hasOwnedHash ? { ownedHash: fleetOwnedHash(object) } : {}),
    };
  },
};

/** How a forwarder tells of an object; `undefined`: it is gone. */
type Telling = (ref: ObjectRef, object: JsonObject | undefined, first: boolean) => Told;

/** What the forwarder of the hub says of a ManagedCluster. */
const ofManagedCluster: Telling = ({ name }, object) => {
  const labels = at(object, 'metadata', 'labels') as Labels; // as histories write them
  const known = object === undefined ? {} : { inventory: { labels, annotations: {} } };
  return { of: { type: 'wec', name }, content: { type: 'inventory', hub: HUB, ...known } };
};

/** A WDS that another world has, too, and the mark by which one of the two writes it. */
export interface SharedWds {
  /** The turns that all worlds take together. */
  readonly scheduler: Scheduler;
  readonly cluster: MemoryCluster;
  /** The cluster's, as this world writes it. */
  readonly api: ObjectApi;
  readonly mark: WriterMark;
}

export interface WorldOptions {
  /** Default: a WDS of its own, without a mark. */
  readonly shared?: SharedWds;
  /** Workloads with more destinations than that are folded in shards. */
  readonly unsharded?: number;
  /** An aggregation folds one shard and checks one StatusCollector at a time, and leaves the others to the next one. */
  readonly late?: boolean;
  /** One workload object alone, so that everything meets at it. */
  readonly narrow?: boolean;
  /** A Job alone, which users delete and create again. */
  readonly jobs?: boolean;
  /** There are more Bindings than count for an object. */
  readonly crowded?: boolean;
  /** The quota of a WEC. Default: that of deployments. */
  readonly objectsPerWec?: number;
  /**
   * A release is being deployed: until the world is to come to rest, each process is of this release or of the next one;
   * after that all are of the next one.
   */
  readonly rolling?: boolean;
  /** What is done about the statuses of a management cluster of Fleet; absent: there is none. */
  readonly fleet?: FleetMode;
  /** Receivers are notified of everything. */
  readonly notifications?: boolean;
  /** Default: in memory. */
  readonly backend?: MakeBackend;
  /** Default: as the seed has it. */
  readonly maxReceives?: number;
  /**
   * What users and controllers do comes from a seed of its own: the same, whatever else happens in the world. Default: from
   * the same one as all else.
   */
  readonly deeds?: number;
  /** WECs that Bindings name too, and of which this world has no cluster. */
  readonly foreignWecs?: readonly string[];
  /** The API servers of other WDSes, by name. */
  readonly otherWdses?: ReadonlyMap<string, ObjectApi>;
}

/** The simulated world: clusters, queues, a store, and the real functions between them. */
export class World {
  readonly scheduler: Scheduler;
  readonly wds: MemoryCluster;
  readonly wecs = new Map<string, MemoryCluster>();
  /** The hub, with the ManagedClusters of some WECs. */
  readonly hub: MemoryCluster;
  /** The labels that the forwarders of some WECs are given when they start. */
  readonly ownLabels = new Map<string, Labels>();
  /** The management cluster of Fleet; empty where there is none. */
  readonly upstream: MemoryCluster;
  readonly forwarders: SimulatedForwarder[] = [];
  readonly receivers: Receivers;
  readonly verdicts = new Verdicts();
  /** Which statuses of workload objects the API server of the WDS rejects. */
  rejects: (status: JsonValue) => boolean = () => false;
  readonly store: ItemStore;
  readonly queues: Queues;
  /** Where users and controllers have their decisions from. */
  deeds: Random;
  readonly #options: WorldOptions;
  readonly #uid = (): string => {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  };
  readonly #running = new Set<Actor>();
  readonly #failures: unknown[] = [];
  #uids = 0;
  #redriven = 0;
  /** Processes of the next release. */
  readonly #nextRelease = new WeakSet<Actor>();
  #isRolled = false;

  /** Partitions of workload objects that end every process that folds them. */
  readonly poisoned = new Set<string>();
  readonly narrow: boolean;
  readonly jobs: boolean;
  readonly crowded: boolean;
  constructor(seed: number, wecs: readonly string[], options: WorldOptions = {}) {
    this.narrow = options.narrow ?? false;
    this.jobs = options.jobs ?? false;
    this.crowded = options.crowded ?? false;
    this.scheduler = options.shared?.scheduler ?? new Scheduler(seed);
    this.deeds = options.deeds === undefined ? this.scheduler.random : new Random(options.deeds);
    this.#options = options;
    const { backend = memoryBackend } = options;
    const seeded = this.scheduler.random.pick(MAX_RECEIVES);
    const made = backend(this.scheduler, options.maxReceives ?? seeded);
    this.receivers = new Receivers(this.scheduler);
    this.store = options.notifications === true ? this.verdicts.noting(made.store) : made.store;
    this.queues = made.queues;
    this.wds = options.shared?.cluster ?? createMemoryCluster(this.#uid);
    this.#follow({ type: 'wds', name: WDS }, this.wds);
    for (const name of wecs) this.join(name);
    this.hub = createMemoryCluster(this.#uid);
    this.#follow({ type: 'wec', name: HUB }, this.hub, ofManagedCluster);
    this.upstream = createMemoryCluster(this.#uid);
    if (options.fleet !== undefined) this.#follow({ type: 'fleet', name: UPSTREAM }, this.upstream);
  }

  /** A WEC comes into the world; its forwarder does not run yet. */
  join(name: string): { readonly cluster: MemoryCluster; readonly forwarder: SimulatedForwarder } {
    const cluster = createMemoryCluster(this.#uid);
    this.wecs.set(name, cluster);
    return { cluster, forwarder: this.#follow({ type: 'wec', name }, cluster) };
  }

  /** The WECs that Bindings may name. */
  get destinations(): readonly string[] {
    return [...new Set([...this.wecs.keys(), ...(this.#options.foreignWecs ?? [])])];
  }

  /** What the forwarder of a WEC says of the labels that it was given. */
  #givenLabels({ type, name }: EventSource): readonly Told[] {
    const labels = type === 'wec' ? this.ownLabels.get(name) : undefined;
    if (labels === undefined) return [];
    return [{ content: { type: 'inventory', inventory: { labels, annotations: {} } } }];
  }

  #follow(
    source: EventSource,
    cluster: MemoryCluster,
    telling: Telling = (...of) => ({ content: CONTENT[source.type](...of) }),
  ): SimulatedForwarder {
    const forwarder = new SimulatedForwarder(this.scheduler, {
      queue: this.queues.events.sentBy(`${principalFor(source)}:forwarder`),
      encode: (events) => encodeBatch(events.map(encodeEvent)),
      view: {
        source,
        isHub: telling === ofManagedCluster,
        list: () => [
          ...this.#givenLabels(source),
          ...cluster.objects().map(({ ref, object }) => telling(ref, object, true)),
        ],
      },
    });
    const principal = principalFor(source);
    void registerSender(this.store, { source: forwarder.registration, principal });
    const { onChange } = cluster;
    cluster.onChange = (change) => {
      onChange(change);
      forwarder.say(
        telling(
          change.ref,
          change.type === 'DELETED' ? undefined : change.object,
          change.type === 'ADDED',
        ),
      );
    };
    this.forwarders.push(forwarder);
    return forwarder;
  }

  #handler(stage: StageName, actor: Actor): SqsHandler {
    const { scheduler, queues } = this;
    const { objectsPerWec } = this.#options;
    const store = this.#deadly(actor, this.#storeOf(actor));
    const stepped = (queue: MessageQueue): MessageQueue => steppedQueue(scheduler, actor, queue);
    const common = {
      store,
      specs: createSpecStore(store),
      dirty: this.#queueOf(actor, queues.dirty),
      hints: this.#queueOf(actor, queues.hints),
      ...this.#notifying(actor),
      telemetry: createMemoryTelemetry(),
      clock: () => scheduler.now,
    };
    switch (stage) {
      case 'record-events':
        return createRecordEvents(
          {
            ...common,
            ...(objectsPerWec === undefined ? {} : { objectsPerWec }),
            senders: createSenderCheck({ store, clock: common.clock, redrivers: [REDRIVER] }),
            deadLetters: stepped(queues['events-dlq']),
          },
          OBSERVABILITY,
        );
      case 'aggregate-workload':
        return createAggregateWorkload(
          {
            ...common,
            ...rememberState(store, this.#options.unsharded ?? 128),
            schemas: SCHEMAS,
            ...(this.#options.late === true ? { lateMs: -1, maxCheckCost: 0 } : {}),
            ...(this.crowded ? { maxBindings: CROWDED } : {}),
          },
          OBSERVABILITY,
        );
      case 'write-results':
        return createWriteResults(
          {
            ...common,
            wds: (name) => this.#wdsApi(name, actor),
            fleet: () => ({
              api: steppedApi(scheduler, actor, this.upstream.api),
              mode: this.#options.fleet ?? 'compare',
            }),
          },
          OBSERVABILITY,
        );
      case 'send-notifications':
        return createSendNotifications(
          {
            ...common,
            notifications: this.#queueOf(actor, queues.notifications),
            deadLetters: this.#queueOf(actor, queues['notifications-dlq']),
            rules: RULES,
            receivers: this.receivers.seenBy(actor),
          },
          OBSERVABILITY,
        );
    }
  }

  /** The stages of this world. */
  get stages(): readonly StageName[] {
    return this.#options.notifications === true ? [...STAGES, 'send-notifications'] : STAGES;
  }

  #notifying(actor: Actor): { readonly notifications?: MessageQueue } {
    if (this.#options.notifications !== true) return {};
    return { notifications: this.#queueOf(actor, this.queues.notifications) };
  }

  /** The store, as a process sees it that begins now. */
  get stored(): ItemStore {
    const isNext = this.#isRolled && this.#options.rolling === true;
    return isNext ? nextReleaseStore(this.store) : this.store;
  }

  /** Of which release a process is that begins now. */
  #isNextRelease(): boolean {
    if (this.#options.rolling !== true) return false;
    return this.#isRolled || this.scheduler.random.below(2) === 0;
  }

  /** The store as a process of its release sees it. */
  #storeOf(actor: Actor): ItemStore {
    const store = steppedStore(this.scheduler, actor, this.store);
    return this.#nextRelease.has(actor) ? nextReleaseStore(store) : store;
  }

  /** A queue between functions as a process of its release sees it. */
  #queueOf(actor: Actor, queue: MessageQueue): MessageQueue {
    const stepped = steppedQueue(this.scheduler, actor, queue);
    return this.#nextRelease.has(actor) ? nextReleaseQueue(stepped) : stepped;
  }

  #wdsApi(name: string, actor: Actor): ObjectApi {
    if (name !== WDS) {
      const { otherWdses = new Map<string, ObjectApi>() } = this.#options;
      const other = otherWdses.get(name);
      if (other === undefined) throw new UnknownWdsError(name, [WDS, ...otherWdses.keys()]);
      return steppedApi(this.scheduler, actor, other);
    }
    const own = this.#rejecting(this.#options.shared?.api ?? this.wds.api);
    const api = steppedApi(this.scheduler, actor, own);
    return this.#options.shared === undefined ? api : markedApi(api, this.#options.shared.mark);
  }

  /** An API server that rejects what {@link World.rejects} says. */
  #rejecting(api: ObjectApi): ObjectApi {
    return {
      ...api,
      replaceStatus: async (ref, change) => {
        if (ref.namespace === 'shop' && this.rejects(change.status))
          throw new ApiInvalidError('replaceStatus', 'it may not be');
        return api.replaceStatus(ref, change);
      },
    };
  }

  /**
   * The store of a process that dies when it folds what is poisoned: it reads rows, and when its fold reads or puts more, it is
   * heard of no more.
   */
  #deadly(actor: Actor, store: ItemStore): ItemStore {
    const folding = new Set<string>();
    const unlessFolded = <Result>(keys: readonly ItemKey[], call: () => Promise<Result>) => {
      const goesOn = keys.some(
        ({ pk, sk }) => folding.has(pk) && /^(R#|PART#|RESULT#|HEAD)/.test(sk),
      );
      if (!goesOn) return call();
      this.crash(actor);
      return new Promise<never>(() => undefined);
    };
    return {
      ...store,
      query: ({ pk, from = '', ...query }) =>
        unlessFolded([{ pk, sk: from }], async () => {
          const page = await store.query({ pk, from, ...query });
          if (from.startsWith(RANGE.row) && this.poisoned.has(pk)) folding.add(pk);
          return page;
        }),
      put: (puts) =>
        unlessFolded(
          puts.map(({ item }) => item),
          () => store.put(puts),
        ),
    };
  }

  /** Starts one invocation of a stage: it receives a batch, handles it and acknowledges it, step by step. */
  invoke(name: StageName): void {
    const actor = this.#begin(name);
    const fed = this.queues[FED_FROM[name]];
    const queue =
      name === 'record-events'
        ? steppedQueue(this.scheduler, actor, fed)
        : this.#queueOf(actor, fed);
    // Made when there is something to handle.
    const handler: SqsHandler = (event, context) => this.#handler(name, actor)(event, context);
    const onError = (error: unknown): void => {
      this.#failures.push(error);
    };
    this.#end(
      actor,
      pollOnce({ name, queue, handler, retrySeconds: exponentialRetry, onError }, 0),
    );
  }

  /** Starts one sweep for WECs and Clusters of Fleet that have fallen silent or speak again. */
  sweepStale(): void {
    const actor = this.#begin('sweep-stale');
    const { scheduler } = this;
    const clock = (): number => scheduler.now;
    const store = this.#storeOf(actor);
    const dirty = this.#queueOf(actor, this.queues.dirty);
    const hints = this.#queueOf(actor, this.queues.hints);
    const deps = { store, dirty, clock };
    this.#end(
      actor,
      sweepStale({ ...deps, ...this.#notifying(actor) }).then(async () => {
        const { error } = await sweepFleet(deps);
        await retrySetAside(deps);
        await reportHeld({ ...deps, hints });
        await settleSilentAfter(deps);
        if (error !== undefined) throw error;
      }),
    );
  }

  /** Starts one look at the dead letters. */
  redrive(): void {
    const actor = this.#begin('redrive');
    const { queues } = this;
    const names = this.stages.map((stage) => FED_FROM[stage]);
    const run = async (): Promise<void> => {
      this.#redriven += await redriveStepped(this.scheduler, { queues, names }, (queue, name) =>
        name === 'events'
          ? steppedQueue(this.scheduler, actor, queue)
          : this.#queueOf(actor, queue),
      );
    };
    this.#end(actor, run());
  }

  #begin(name: string): Actor {
    const actor = { name, alive: true };
    if (this.#isNextRelease()) this.#nextRelease.add(actor);
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
      ({ source, isHub, running: runs }) => source.type === 'wec' && !isHub && runs === running,
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
    if (this.#options.rolling !== true) return this.#failures;
    // Of what a schedule starts: it comes again, of the next release at last.
    return this.#failures.filter((failure) => !(failure instanceof NewerBodyError));
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
    this.#isRolled = true;
    await this.#settle();
    for (const forwarder of this.forwarders) forwarder.beat();
    await this.#settle();
    this.sweepStale();
    await this.#settle();
  }

  /** Until nothing is left to do, and nothing among the dead letters that could be done. */
  async #settle(): Promise<void> {
    do {
      await this.#settleQueues();
      this.pass(DEAD_LETTERS_MS);
      await this.#settleQueues();
      this.#redriven = 0;
      this.redrive();
      await this.#settleQueues();
    } while (this.#redriven > 0 || (await this.#tryAgain()));
  }

  /** Lets what is set aside be retried; false where there is nothing, or nothing that can be tried well. */
  async #tryAgain(): Promise<boolean> {
    const aside = await readSetAside(this.stored);
    if (aside.every(({ pk }) => this.poisoned.has(pk))) return false;
    this.pass(PAUSE_MS);
    this.sweepStale();
    return true;
  }

  async #settleQueues(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      await this.#drain();
      const { messages, visible } = await backlogOf(this.queues);
      if (messages === 0 && this.running.length === 0) return;
      for (const stage of this.stages) if (visible.has(FED_FROM[stage])) this.invoke(stage);
      await this.#drain();
      this.scheduler.pass(ROUND_MS);
    }
    throw new Error('the pipeline does not come to rest');
  }
}
