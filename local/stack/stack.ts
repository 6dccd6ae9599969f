import { randomUUID } from 'node:crypto';
import { packageFile } from '#local/package-file.ts';
import { openSqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import { createSqliteItemStore } from '#shared/adapters/sqlite/item-store.ts';
import { dropSqliteJournal, openSqliteJournal } from '#shared/adapters/sqlite/journal.ts';
import { sleep } from '#shared/concurrency.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { WorkloadCount } from '#shared/core/health/workload-counts.ts';
import { sourceGroup } from '#shared/messages/group-name.ts';
import type { ChangeJournal } from '#shared/ports/change-journal.ts';
import type { ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { QueryRunner } from '#shared/ports/query-runner.ts';
import type { StatusSource } from '#shared/ports/status-source.ts';
import { collectAtRest } from '#shared/runtime/idle-memory.ts';
import { FLEET_JOURNALED_KEYS } from '#shared/state/fleet/fleet-changes.ts';
import { createFleetSource, type FleetSource } from '#shared/state/fleet/fleet-source.ts';
import { readSetAside } from '#shared/state/set-aside.ts';
import { stateId } from '#shared/state/state-id.ts';
import { JOURNALED_KEYS } from '#shared/state/status-source/changes.ts';
import { createStatusSource } from '#shared/state/status-source/status-source.ts';
import { countWorkloads } from '#shared/state/workload-counts.ts';
import { type CheckpointThread, startCheckpoints } from './checkpoint-thread.ts';
import { ClusterFollowers } from './cluster-followers.ts';
import { LocalFunctions } from './functions.ts';
import { HandledMessages } from './handled-messages.ts';
import { httpSender } from './local-senders.ts';
import { type QueryLimits, QueryThreads } from './query-threads.ts';
import { openQueues } from './queues.ts';
import { silentSince } from './silent-since.ts';
import type { StackOptions } from './stack-options.ts';
import { type WrittenClusters, writtenClusters } from './written-clusters.ts';

/** The running stack. */
export interface Stack {
  /** The number of messages that are waiting, in flight or delayed, by queue. */
  backlog(): Promise<Readonly<Record<string, number>>>;
  /** How many dead letters of events were not kept, by source. Such a source has as many letters as are kept. */
  lettersLeftOut(): Promise<ReadonlyMap<string, number>>;
  /** When each silent WEC was last heard (RFC 3339), by WEC. */
  silentSince(): Promise<ReadonlyMap<string, string>>;
  /** How many subjects are set aside, because aggregating them has ended the process. */
  countSetAside(): Promise<number>;
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
  /** Evaluates queries about the same, in threads of its own. */
  queryRunner(wds: string): QueryRunner;
  /** The BundleDeployments of a management cluster of Fleet. They can be watched if the stack is `fleetWatchable`. */
  fleetSource(upstream: string): FleetSource;
  /** Stops forwarders and functions, and closes the file. Acknowledged data is kept. */
  stop(): Promise<void>;
}

const CLEANING_MS = 10 * 60_000;
/** JavaScript, because Node reads no TypeScript in an installed package. */
const QUERY_WORKER = 'local/stack/query-worker.js';
/**
 * A query that pays for all of its steps takes some 8 seconds of a processor. On a busy machine it takes several times as long, through
 * no fault of its user. An API server waits a minute for an APIService. The heap is half of that
 * of an aggregation, because an answer has at most some MB, and two threads must fit beside the aggregations.
 */
const QUERY_LIMITS: QueryLimits = {
  ...{ memoryMb: 256, queryMs: 45_000, leaveMs: 1_000 },
  idleMs: 3 * 60_000,
};

class RunningStack implements Stack {
  readonly #options: StackOptions;
  readonly #database;
  readonly #store;
  readonly #journal: ChangeJournal | undefined;
  readonly #queues;
  readonly #clusters: WrittenClusters;
  readonly #functions: LocalFunctions;
  readonly #followers: ClusterFollowers;
  readonly #stopping = new AbortController();
  stateId = '';
  #cleaning: Promise<void> = Promise.resolve();
  #checkpoints: CheckpointThread | undefined;
  #endCollecting: (() => void) | undefined;
  readonly #queries: QueryThreads[] = [];

  constructor(options: StackOptions) {
    this.#options = options;
    this.#database = openSqliteDatabase(options.file);
    this.#store = createSqliteItemStore(this.#database);
    this.#journal = this.#openJournal();
    this.#queues = openQueues(this.#database);
    this.#clusters = writtenClusters(options);
    const common = { options, store: this.#store, clusters: this.#clusters };
    const handled = new HandledMessages(sleep);
    const { events } = this.#queues;
    this.#functions = new LocalFunctions({ ...common, queues: this.#queues, handled });
    this.#followers = new ClusterFollowers({ ...common, events: handled.sent(events) });
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

  async start(): Promise<void> {
    this.#functions.warm();
    this.stateId = await stateId(this.#store, randomUUID());
    this.#clusters.look();
    this.#functions.start();
    this.#cleaning = this.#removeExpired();
    this.#checkpoints = startCheckpoints(this.#options.file);
    this.#endCollecting = collectAtRest();
    await this.#followers.start();
  }

  /** Does what DynamoDB's time to live does. */
  async #removeExpired(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#store.removeExpired(Math.floor(Date.now() / 1000));
      await sleep(CLEANING_MS, signal);
    }
  }

  get wdsReads(): ResourceApi | undefined {
    return this.#followers.wdsReads;
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

  async countSetAside(): Promise<number> {
    return (await readSetAside(this.#store)).length;
  }

  statusSource(wds: string): StatusSource {
    const journal = this.#journal;
    const common = { store: this.#store, wds, clock: Date.now };
    return createStatusSource(journal === undefined ? common : { ...common, journal });
  }

  queryRunner(wds: string): QueryRunner {
    const { file, queries = {}, observability } = this.#options;
    const { entry = packageFile(QUERY_WORKER), ...limits } = queries;
    const threads = new QueryThreads({
      ...{ entry, file, wds, limits: { ...QUERY_LIMITS, ...limits } },
      onEnded: (user, { message: error }) =>
        observability.logger.warn('a query was ended', { user, error }),
    });
    this.#queries.push(threads);
    return threads;
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
    await Promise.all(this.#queries.map((threads) => threads.stop()));
    await this.#followers.stop();
    await this.#functions.stop();
    this.#database.close();
    this.#endCollecting?.();
    await this.#checkpoints?.stop();
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
