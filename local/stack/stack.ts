import { randomUUID } from 'node:crypto';
import { createSetAsideGroups } from '#functions/aggregate-workload/set-aside.ts';
import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type {
  ForwarderSource,
  ForwarderState,
} from '#functions/event-forwarder/forwarder-options.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { guardedReceiver } from '#functions/send-notifications/guarded-receiver.ts';
import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { unhurriedReceiver } from '#functions/send-notifications/unhurried-receiver.ts';
import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import { noFleet, type Upstream } from '#functions/write-results/deps.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import {
  type RunningResolver,
  startBindingResolver,
} from '#local/binding-resolver/binding-resolver.ts';
import { packageFile } from '#local/package-file.ts';
import packageJson from '#package.json' with { type: 'json' };
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { dropSqliteJournal, openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import {
  type Notifications,
  notifiedTopics,
} from '#shared/adapters/webhooks/notifications-document.ts';
import { createWebhook } from '#shared/adapters/webhooks/webhook.ts';
import { sleep } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { FleetMode } from '#shared/core/fleet/fleet-object.ts';
import type { TopicType } from '#shared/core/notification/topic.ts';
import type { WorkloadCount } from '#shared/core/workload-counts.ts';
import {
  createWriterMark,
  markedApi,
  type Writer,
  type WriterMark,
} from '#shared/doctor/writer-mark.ts';
import { type ClusterType, FLEET_CLUSTER, UnknownWdsError, WDS_CLUSTER } from '#shared/errors.ts';
import { queueGroup, tenantOfBody } from '#shared/messages/dirty.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import type { ChangeJournal } from '#shared/ports/change-journal.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { ObjectApi, Resource, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import type { Observability, SqsHandler } from '#shared/runtime/batch.ts';
import { lineWriter, observabilityOf, settingsOf } from '#shared/runtime/observability.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { FLEET_JOURNALED_KEYS } from '#shared/state/fleet/fleet-changes.ts';
import { createFleetSource, type FleetSource } from '#shared/state/fleet/fleet-source.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { stateId } from '#shared/state/state-id.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { countWorkloads } from '#shared/state/workload-counts.ts';
import { type OneFollower, oneFollower } from '#shared/watch/one-follower.ts';
import { sharedCluster } from '#shared/watch/shared-cluster.ts';
import { type AggregationLimits, AggregationPool } from './aggregation-pool.ts';
import { type BoundResources, followBoundResources } from './bound-resources.ts';
import { nextEpoch } from './epoch.ts';
import { followHub, hubEpochSource } from './followed-hub.ts';
import { forwarderLogger } from './forwarder-logger.ts';
import { httpSender, LOCAL_SENDER, trustLocalSender } from './local-senders.ts';
import { INVOCATION_MS, startPoller } from './poller.ts';
import { openQueues, QUEUES, type QueueName, redriveRoutes, VISIBILITY_SECONDS } from './queues.ts';
import { startSchedule } from './schedule.ts';
import { silentSince } from './silent-since.ts';
import type { SuspectRules } from './suspects.ts';

/** A cluster and its API. */
export interface StackCluster {
  readonly name: string;
  readonly api: ObjectApi & ResourceApi;
}

/** The options of the embedded stack. */
export interface StackOptions {
  /** The file with the store and the queues. */
  readonly file: string;
  /** If absent, there is no WDS, and there are no WECs. */
  readonly wds?: StackCluster;
  readonly wecs: readonly StackCluster[];
  /** A management cluster of Fleet, and what to do with the statuses there. */
  readonly fleet?: { readonly cluster: StackCluster; readonly mode: FleetMode };
  /**
   * Selects the objects of the WECs that came from the WDS. If both are absent, all objects of the resources that
   * Bindings name are selected.
   */
  readonly labelSelector?: string;
  readonly resources?: readonly Resource[];
  /**
   * The cluster with the ManagedClusters, whose labels BindingPolicies select and StatusCollectors read. If absent, they are in
   * the WDS, where they are only looked for if Bindings follow BindingPolicies.
   */
  readonly inventory?: StackCluster;
  /** Makes the Bindings follow the BindingPolicies. If absent, another component writes the Bindings. */
  readonly resolveBindings?: {
    /** Names of WECs that report by {@link Stack.takeEvents}. They count like `wecs` if there is no inventory. */
    readonly otherWecs?: readonly string[];
    /** Called with what the resolver is waiting for, or with `undefined` if it is not waiting. */
    readonly onState?: (waitsFor: string | undefined) => void;
  };
  /**
   * How often the stack checks for silent WECs, and how long a WEC may send no heartbeat. Default: 30 s and 5 minutes.
   */
  readonly silence?: { readonly sweepMs?: number; readonly limitMs?: number };
  /** Records what changes, so that the statuses can be watched. It costs a little for each change. Default: false. */
  readonly watchable?: boolean;
  /** Records changes of BundleDeployments in the same way. Default: false. */
  readonly fleetWatchable?: boolean;
  /** Who is notified of what. Default: nobody. */
  readonly notifications?: Notifications;
  /** The worker threads of aggregation: the module that they run, and their limits. */
  readonly aggregation?: Partial<AggregationLimits> & { readonly entry?: URL };
  readonly observability: Observability;
  /** The name of this installation in the clusters that it writes. */
  readonly writer: Writer;
  /** Called after each check with the other writer of a cluster, or with `undefined` if there is none. */
  readonly onWriter?: (cluster: string, problem: string | undefined) => void;
  /** Called when the state of a forwarder has changed. */
  readonly onForwarder?: (cluster: string, state: ForwarderState) => void;
}

/** The running stack. */
export interface Stack {
  /** The number of messages that are waiting, in flight or delayed, by queue. */
  backlog(): Promise<Readonly<Record<string, number>>>;
  /** How many dead letters of events were not kept, by source. Such a source has as many letters as are kept. */
  lettersLeftOut(): Promise<ReadonlyMap<string, number>>;
  /** When each silent WEC was last heard (RFC 3339), by WEC. */
  silentSince(): Promise<ReadonlyMap<string, string>>;
  /** Counts the workload objects of a WDS that a Binding names, by resource and verdict. It reads each of them. */
  countWorkloads(wds: string): Promise<readonly WorkloadCount[]>;
  /**
   * Accepts messages of a forwarder in another process. They are durable when it returns.
   *
   * @param source the source that the messages may report; reports on other sources are rejected
   * @throws QueueFullError if the maximum of that source is already waiting; QueueUnavailableError
   */
  takeEvents(source: EventSource, bodies: readonly string[]): Promise<void>;
  /** Identifies the state. It changes if the state was lost. */
  readonly stateId: string;
  /**
   * Reads the WDS as all parts of the stack do. A resource that is already followed causes no further list or watch.
   */
  readonly wdsReads: ResourceApi | undefined;
  /** What each WEC reports of the workload objects of a WDS. It can be watched if the stack is `watchable`. */
  statusSource(wds: string): StatusSource;
  /** The BundleDeployments of a management cluster of Fleet. They can be watched if the stack is `fleetWatchable`. */
  fleetSource(upstream: string): FleetSource;
  /** Stops forwarders and functions, and closes the file. Acknowledged data is kept. */
  stop(): Promise<void>;
}

/** For an ITS, nothing runs in this process. */
type OwnSource = Exclude<ForwarderSource, { readonly type: 'its' }>;

const CLEANING_MS = 10 * 60_000;
const SWEEP_MS = 30_000;
const REDRIVE_MS = 3_600_000;
/** JavaScript, because Node reads no TypeScript in an installed package. */
const WORKER = 'local/stack/aggregation-worker.js';
const AGGREGATION_LIMITS: AggregationLimits = { memoryMb: 512, invocationMs: INVOCATION_MS };

/** The source under which the epochs of a forwarder are counted. */
function epochSource({ type, name }: OwnSource): EventSource {
  return type === 'inventory' ? hubEpochSource(name) : { type, name };
}

class RunningStack implements Stack {
  readonly #options: StackOptions;
  readonly #database;
  readonly #store;
  readonly #journal: ChangeJournal | undefined;
  readonly #queues;
  /** What a rule concerns. */
  readonly #topics: ReadonlySet<TopicType>;
  readonly #aggregation: AggregationPool;
  readonly #pollers: { stop(): Promise<void> }[] = [];
  readonly #forwarders = new Map<string, Forwarder>();
  readonly #follower: OneFollower | undefined;
  /** The API that followers of each cluster use. */
  readonly #followed = new Map<StackCluster, ResourceApi>();
  readonly #stopping = new AbortController();
  readonly #marks: WriterMark[] = [];
  stateId = '';
  readonly #wdsApi: ObjectApi | undefined;
  readonly #fleetApi: ObjectApi | undefined;
  #bound: BoundResources | undefined;
  #resolver: RunningResolver | undefined;
  #cleaning: Promise<void> = Promise.resolve();

  constructor(options: StackOptions) {
    this.#options = options;
    this.#database = openSqliteDatabase(options.file);
    this.#store = createSqliteItemStore(this.#database);
    this.#journal = this.#openJournal();
    this.#queues = openQueues(this.#database);
    this.#topics = notifiedTopics(options.notifications?.rules ?? []);
    this.#aggregation = this.#openAggregation();
    const { wds, fleet } = options;
    this.#wdsApi = wds && this.#marked(wds, WDS_CLUSTER);
    this.#follower = wds && this.#followOnce(wds);
    this.#fleetApi =
      fleet?.mode === 'write' ? this.#marked(fleet.cluster, FLEET_CLUSTER) : fleet?.cluster.api;
  }

  #openJournal(): ChangeJournal | undefined {
    const { watchable = false, fleetWatchable = false } = this.#options;
    const keys = [
      ...(watchable ? JOURNALED_KEYS : []),
      ...(fleetWatchable ? FLEET_JOURNALED_KEYS : []),
    ];
    if (keys.length > 0) return openSqliteJournal(this.#database, { keys, nowMs: Date.now() });
    dropSqliteJournal(this.#database);
    return undefined;
  }

  #openAggregation(): AggregationPool {
    const { file, observability, aggregation } = this.#options;
    const { entry = packageFile(WORKER), ...limits } = aggregation ?? {};
    const { dirty, hints, notifications } = this.#queues;
    const store = this.#store;
    return new AggregationPool({
      entry,
      file,
      limits: { ...AGGREGATION_LIMITS, ...limits },
      calls: {
        'store.put': (puts) => store.put(puts),
        'store.delete': (deletes) => store.delete(deletes),
        'dirty.send': (messages) => dirty.send(messages),
        'hints.send': (messages) => hints.send(messages),
        'notifications.send': (messages) => notifications.send(messages),
      },
      notifiesOfVerdicts: this.#topics.has('verdict'),
      observability: settingsOf(observability),
      onLine: lineWriter(observability),
    });
  }

  /** An API that writes only while the cluster is marked for this installation. */
  #marked({ name, api }: StackCluster, { title }: ClusterType): ObjectApi {
    const { writer, onWriter } = this.#options;
    const mark = createWriterMark({
      cluster: `${title} ${name}`,
      api,
      self: writer,
      clock: Date.now,
      onLook: (taken) => onWriter?.(name, taken?.message),
    });
    this.#marks.push(mark);
    return markedApi(api, mark);
  }

  #handlers(): Readonly<Record<QueueName, SqsHandler>> {
    const { observability } = this.#options;
    const { dirty, hints } = this.#queues;
    const store = this.#store;
    const common = { store, specs: createSpecStore(store), dirty, hints, clock: Date.now };
    const of = (service: string) => observabilityOf(observability, service);
    const [record, write] = [of('record-events'), of('write-results')];
    return {
      events: createRecordEvents(
        {
          ...common,
          ...record,
          senders: trustLocalSender,
          deadLetters: this.#queues['events-dlq'],
        },
        record.observability,
      ),
      dirty: this.#aggregation.handler,
      hints: createWriteResults(
        {
          ...common,
          ...write,
          ...this.#notifying('refusals'),
          wds: (name) => this.#wds(name),
          fleet: (name) => this.#fleet(name),
        },
        write.observability,
      ),
      notifications: this.#notifier(),
    };
  }

  /** The queue for messages about changes of topics, if a rule concerns them. */
  #notifying(type: TopicType): { readonly notifications?: MessageSender } {
    return this.#topics.has(type) ? { notifications: this.#queues.notifications } : {};
  }

  #notifier(): SqsHandler {
    const { observability, notifications: { webhooks, rules } = { webhooks: [], rules: [] } } =
      this.#options;
    const of = observabilityOf(observability, 'send-notifications');
    const clock = Date.now;
    const receiver = (place: (typeof webhooks)[number]): readonly [string, EventReceiver] => [
      place.name,
      unhurriedReceiver(guardedReceiver(createWebhook({ ...place, clock }), clock), {
        name: place.name,
        sleep,
        clock,
      }),
    ];
    return createSendNotifications(
      {
        store: this.#store,
        notifications: this.#queues.notifications,
        deadLetters: this.#queues['notifications-dlq'],
        rules,
        receivers: new Map(webhooks.map(receiver)),
        clock,
        ...of,
      },
      of.observability,
      { givesBack: true },
    );
  }

  /** If anything is known about a WDS, a WDS was given. */
  #wds(name: string): ObjectApi {
    if (this.#wdsApi === undefined) throw new UnknownWdsError(name, []);
    return this.#wdsApi;
  }

  #fleet(name: string): Upstream {
    const { fleet } = this.#options;
    if (fleet?.cluster.name !== name || this.#fleetApi === undefined) return noFleet(name);
    return { api: this.#fleetApi, mode: fleet.mode };
  }

  async start(): Promise<void> {
    const { observability, wds, fleet } = this.#options;
    this.#aggregation.warm();
    this.stateId = await stateId(this.#store, randomUUID());
    const handlers = this.#handlers();
    // This reports another installation immediately. An error here is ignored, because the first write causes it again.
    for (const mark of this.#marks) void mark.ensure().catch(() => undefined);
    for (const name of Object.keys(QUEUES) as QueueName[])
      this.#pollers.push(
        startPoller({
          name,
          queue: this.#queues[name],
          handler: handlers[name],
          concurrency: QUEUES[name].concurrency,
          retrySeconds: exponentialRetry,
          ...(name === 'dirty' ? { suspects: this.#suspects() } : {}),
          onError: (error) => observability.logger.error(`queue ${name}`, { error: String(error) }),
          sleep,
        }),
      );
    this.#cleaning = this.#removeExpired();
    this.#sweepStale();
    if (fleet !== undefined)
      await this.#forward(fleet.cluster, { type: 'fleet', name: fleet.cluster.name });
    if (wds === undefined) return;
    await this.#forward(wds, { type: 'wds', name: wds.name });
    await this.#followInventory(wds);
    this.#resolveBindings(wds);
    await this.#startWecs(wds);
  }

  /** A subject that may end its thread is aggregated alone, and no two at a time. */
  #suspects(): SuspectRules {
    const setAside = createSetAsideGroups({ store: this.#store, clock: Date.now });
    return {
      groups: async () => new Set([...(await setAside())].map(queueGroup)),
      tenantOf: ({ body }) => tenantOfBody(body),
      visibilitySeconds: VISIBILITY_SECONDS,
      clock: Date.now,
    };
  }

  /** Does what DynamoDB's time to live does. */
  async #removeExpired(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#store.removeExpired(Math.floor(Date.now() / 1000));
      await sleep(CLEANING_MS, signal);
    }
  }

  /** The first run waits as long as the others. By then, the forwarders of the present WECs have sent a heartbeat. */
  #sweepStale(): void {
    const { observability, silence: { sweepMs = SWEEP_MS, ...limit } = {} } = this.#options;
    const sweep = observabilityOf(observability, 'sweep-stale');
    const deps = {
      store: this.#store,
      dirty: this.#queues.dirty,
      hints: this.#queues.hints,
      ...this.#notifying('silence'),
      routes: redriveRoutes(this.#queues),
      principal: LOCAL_SENDER,
      clock: Date.now,
      ...limit,
    };
    const handler = createSweepStale({ ...deps, ...sweep }, sweep.observability);
    const common = {
      name: 'sweep-stale',
      clock: Date.now,
      onError: (error: unknown) =>
        observability.logger.error('sweep-stale', { error: String(error) }),
      sleep,
    };
    this.#pollers.push(
      startSchedule({ ...common, handler, everyMs: sweepMs }),
      startSchedule({
        ...common,
        handler: (_event, context) => handler({ task: 'redrive' }, context),
        everyMs: REDRIVE_MS,
      }),
    );
  }

  /** Reports the labels of the ManagedClusters. */
  async #followInventory(wds: StackCluster): Promise<void> {
    const { resolveBindings, inventory: named } = this.#options;
    const inventory = named ?? (resolveBindings && wds);
    const deps = { store: this.#store, events: this.#queues.events, clock: Date.now };
    await followHub(deps, inventory?.name);
    if (inventory !== undefined)
      await this.#forward(inventory, {
        type: 'inventory',
        name: inventory.name,
        mayBeEmpty: named === undefined,
      });
  }

  #resolveBindings(wds: StackCluster): void {
    const { resolveBindings, inventory, wecs, observability } = this.#options;
    if (resolveBindings === undefined) return;
    const { otherWecs = [], onState } = resolveBindings;
    this.#resolver = startBindingResolver({
      wds: {
        ...this.#wds(wds.name),
        ...this.#following(wds),
      },
      ...(inventory === undefined ? {} : { inventory: this.#following(inventory) }),
      ...(onState === undefined ? {} : { onState }),
      clusters: [...new Set([...wecs.map(({ name }) => name), ...otherWecs])],
      clock: Date.now,
      sleep,
      random: Math.random,
      logger: forwarderLogger(observability),
    });
  }

  /** A WEC's forwarder needs to know which objects to send. Without a selection, it follows what the Bindings name. */
  async #startWecs(wds: StackCluster): Promise<void> {
    const { wecs, labelSelector, resources } = this.#options;
    const given = {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(resources === undefined ? {} : { resources }),
    };
    const selection = Object.keys(given).length === 0 ? { bound: this.#followBound(wds) } : given;
    await Promise.all(
      wecs.map((wec) =>
        this.#forward(wec, { type: 'wec', name: wec.name, wds: wds.name, ...selection }),
      ),
    );
  }

  #followBound(wds: StackCluster): BoundResources {
    this.#bound = followBoundResources(this.#following(wds), { sleep, random: Math.random });
    return this.#bound;
  }

  get wdsReads(): ResourceApi | undefined {
    return this.#follower?.api;
  }

  /** One follower for a cluster that several parts of this process follow. */
  #followOnce(cluster: StackCluster): OneFollower {
    const now = (): number => performance.now();
    const follower = oneFollower({ api: this.#following(cluster), now, sleep });
    this.#followed.set(cluster, follower.api);
    return follower;
  }

  /** A cluster as its followers see it. */
  #following(cluster: StackCluster): ResourceApi {
    const existing = this.#followed.get(cluster);
    if (existing !== undefined) return existing;
    const shared = sharedCluster(cluster.api, () => performance.now());
    this.#followed.set(cluster, shared);
    return shared;
  }

  async #forward(cluster: StackCluster, source: OwnSource): Promise<void> {
    const { observability, onForwarder } = this.#options;
    const { name } = cluster;
    const key = `${source.type}/${name}`;
    const forwarder = startForwarder({
      api: this.#following(cluster),
      ...(source.type === 'wds' ? { objectsAreHeld: true } : {}),
      queue: this.#queues.events,
      source,
      // Waiting saves nothing: while a batch is being sent, the next one is collected.
      config: { windowMs: 0 },
      epoch: await nextEpoch(this.#store, epochSource(source), Date.now()),
      version: packageJson.version,
      clock: Date.now,
      sleep,
      random: Math.random,
      logger: forwarderLogger(observability),
      onState: (state) => onForwarder?.(key, state),
    });
    this.#forwarders.set(key, forwarder);
  }

  async backlog(): Promise<Readonly<Record<string, number>>> {
    const counts: Record<string, number> = {};
    for (const [name, queue] of Object.entries(this.#queues)) {
      const { visible, inFlight, delayed } = await queue.counts();
      counts[name] = visible + inFlight + delayed;
    }
    return counts;
  }

  lettersLeftOut(): Promise<ReadonlyMap<string, number>> {
    return this.#queues['events-dlq'].leftOut();
  }

  async countWorkloads(wds: string): Promise<readonly WorkloadCount[]> {
    return (await countWorkloads(this.#store, wds)).counts;
  }

  silentSince(): Promise<ReadonlyMap<string, string>> {
    return silentSince(this.#store);
  }

  statusSource(wds: string): StatusSource {
    const journal = this.#journal;
    const common = { store: this.#store, wds, clock: Date.now };
    return createStatusSource(journal === undefined ? common : { ...common, journal });
  }

  fleetSource(upstream: string): FleetSource {
    const journal = this.#journal;
    const common = { store: this.#store, upstream, clock: Date.now };
    return createFleetSource(journal === undefined ? common : { ...common, journal });
  }

  takeEvents(source: EventSource, bodies: readonly string[]): Promise<void> {
    // The group of the token, never what the sender claims.
    const group = sourceGroup(source);
    const messages = bodies.map((body) => ({ body, group }));
    return this.#queues.events.sendAs(httpSender(source), messages);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#cleaning;
    await this.#resolver?.stop();
    await this.#bound?.stop();
    await Promise.all([...this.#forwarders.values()].map((forwarder) => forwarder.stop()));
    await this.#follower?.stop();
    await Promise.all(this.#pollers.map((poller) => poller.stop()));
    await this.#aggregation.stop();
    this.#database.close();
  }
}

/**
 * Starts the whole system in this process: forwarders, queues, functions and store, with one file. Clusters that are
 * down are retried without limit.
 *
 * @throws DatabaseFileError if the file cannot be used
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const stack = new RunningStack(options);
  await stack.start();
  return stack;
}
