import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { reportHeld } from '#functions/sweep-stale/report-held.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { trustLocalSender } from '#local/stack/local-senders.ts';
import { pollOnce } from '#local/stack/poller.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { EventContent, EventSource, ReturnedObject } from '#shared/core/event.ts';
import { type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { type WorkloadRef, workloadKey } from '#shared/core/workload.ts';
import { ApiInvalidError, ApiNotFoundError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi, ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { Observability, SqsHandler } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryCluster, type MemoryCluster } from './memory-cluster.ts';
import { createMemoryItemStore } from './memory-item-store.ts';
import { createMemoryMessageQueue, type MemoryMessageQueue } from './memory-message-queue.ts';
import { createMemoryTelemetry } from './memory-telemetry.ts';

const WDS: EventSource = { type: 'wds', name: 'wds1' };
const MAX_ROUNDS = 2_000;
/** Less than etcd takes, so that the echo of every object fits into a message. */
const MAX_OBJECT_CHARACTERS = 1_000_000;
const DEDUPLICATION_MS = 301_000;

/**
 * The functions from event to WDS over stores and queues in memory, one after the other: for tests of what they do, not
 * of how they meet.
 */
export class Pipeline {
  readonly wds: MemoryCluster;
  readonly store: ItemStore;
  /** Calls of the WDS's API server that write, in order: `status deployments/web`. */
  readonly writes: string[] = [];
  /** Rows that were read from the store. */
  rowsRead = 0;
  /** What the functions counted and logged. */
  readonly telemetry = createMemoryTelemetry();
  /** Errors that functions logged or threw. */
  readonly failures: unknown[] = [];
  /** Called before each write; throws what the API server shall answer. */
  refuse: (verb: string, ref: ObjectRef) => void = () => undefined;
  readonly #queues: Record<'events' | 'dirty' | 'hints' | 'deadLetters', MemoryMessageQueue>;
  readonly #handlers: readonly (readonly [MemoryMessageQueue, SqsHandler])[];
  #now = Date.UTC(2026, 0, 1);
  #ids = 0;
  #sequence = 0;

  /**
   * @param unsharded workloads with more destinations than that are folded in shards
   * @param inner where everything is stored
   */
  constructor(unsharded?: number, inner = createMemoryItemStore()) {
    this.wds = createMemoryCluster(() => this.#id('uid'));
    this.wds.onChange = ({ type, ref, object }) =>
      this.#reportWds(ref, type === 'DELETED' ? undefined : object, type === 'ADDED');
    this.store = this.#counting(inner);
    const queues = {
      events: this.#queue(false),
      dirty: this.#queue(true),
      hints: this.#queue(true),
      deadLetters: this.#queue(false),
    };
    this.#queues = queues;
    const observability = this.#observability();
    const { store, telemetry } = this;
    const specs = createSpecStore(store);
    const senders = trustLocalSender;
    const common = { ...queues, store, specs, senders, telemetry, clock: () => this.#now };
    const api = this.#api();
    this.#handlers = [
      [queues.events, createRecordEvents(common, observability)],
      [
        queues.dirty,
        createAggregateWorkload(
          {
            ...common,
            ...rememberState(store, unsharded),
            schemas: createBuiltInSchemas(),
          },
          observability,
        ),
      ],
      [
        queues.hints,
        createWriteResults({ ...common, wds: () => api, fleet: noFleet }, observability),
      ],
    ];
  }

  /** A WEC says something of an object; `undefined`: it has it no more. */
  tell(wec: string, workload: WorkloadRef, returned: ReturnedObject | undefined): void {
    const { wds, ...subject } = workload;
    const said = returned === undefined ? {} : { returned };
    this.#say(
      { type: 'wec', name: wec },
      { type: 'wec-object', wds, subject, first: true, ...said },
    );
  }

  /** The forwarder of a WEC sends a heartbeat. */
  beat(wec: string, forwarderVersion?: string): void {
    const told = forwarderVersion === undefined ? {} : { forwarderVersion };
    this.#say({ type: 'wec', name: wec }, { type: 'heartbeat', ...told });
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  /** Looks for WECs that have fallen silent or speak again, after a time. */
  async sweepStale(afterMs: number): Promise<void> {
    this.#now += afterMs;
    const { store } = this;
    await sweepStale({ store, dirty: this.#queues.dirty, clock: () => this.#now });
  }

  /** A forwarder sends a batch of events. */
  receive(body: string): void {
    void this.#queues.events.send([{ body }]);
  }

  /** A source has told everything that stands in it. */
  snapshot(source: EventSource = WDS): void {
    this.#say(source, { type: 'snapshot', since: { epoch: 1, sequence: 0 } });
  }

  /** Tells again what stands in the WDS, as a listing does. */
  relist(): void {
    for (const { ref, object } of this.wds.objects()) this.#reportWds(ref, object, true);
  }

  /** Looks for Bindings that have been held for long, as sweep-stale does. */
  sweepHeld(): Promise<void> {
    return reportHeld({ store: this.store, hints: this.#queues.hints, clock: () => this.#now });
  }

  /** Lets the functions work until nothing is left to do. */
  async settle(): Promise<void> {
    this.#now += DEDUPLICATION_MS;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      let moved = false;
      for (const [queue, handler] of this.#handlers) {
        const onError = (error: unknown): void => void this.failures.push(error);
        const poll = { name: 'queue', queue, handler, retrySeconds: () => 1_000, onError };
        moved = (await pollOnce(poll, 0)) || moved;
      }
      if (!moved) return;
    }
    throw new Error('the pipeline does not come to rest');
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  #queue(fifo: boolean): MemoryMessageQueue {
    return createMemoryMessageQueue({
      fifo,
      visibilityTimeoutSeconds: 60,
      maxReceiveCount: 5,
      clock: () => this.#now,
      createMessageId: () => this.#id('message'),
    });
  }

  #observability(): Observability {
    const made = createObservability({ service: 'test', logLevel: 'SILENT' });
    made.metrics.publishStoredMetrics = () => {
      made.metrics.clearMetrics();
      return made.metrics;
    };
    made.logger.error = (_message, ...extra) => void this.failures.push(extra[0]);
    return made;
  }

  #reportWds(ref: ObjectRef, object: JsonObject | undefined, first: boolean): void {
    const { version: _version, ...subject } = ref;
    const seen = object === undefined ? {} : { object };
    this.#say(WDS, { type: 'wds-object', subject, first, ...seen });
  }

  #say(source: EventSource, content: EventContent): void {
    this.#sequence += 1;
    const version = { epoch: 1, sequence: this.#sequence };
    const event = encodeEvent({ source, version, time: '2026-01-01T00:00:00Z', content });
    void this.#queues.events.send([{ body: encodeBatch([event]) }]);
  }

  #counting(store: ItemStore): ItemStore {
    return {
      ...store,
      query: async (query) => {
        const page = await store.query(query);
        this.rowsRead += page.items.filter(({ sk }) => sk.startsWith('R#')).length;
        return page;
      },
    };
  }

  #api(): ObjectApi {
    const { api } = this.wds;
    const writing = (verb: string, ref: ObjectRef, object: JsonObject = {}): void => {
      this.writes.push(`${verb} ${ref.resource}/${ref.name}`);
      this.refuse(verb, ref);
      if (stringifyJson(object).length > MAX_OBJECT_CHARACTERS)
        throw new ApiInvalidError(verb, 'etcdserver: request is too large');
    };
    return {
      get: api.get,
      create: async (ref, object) => {
        writing('create', ref, object);
        const namespace = { ...ref, group: '', resource: 'namespaces', namespace: '' };
        const isReport = ref.namespace === 'kubestellar-report';
        if (isReport && (await api.get({ ...namespace, name: ref.namespace })) === undefined)
          throw new ApiNotFoundError('create', `namespaces "${ref.namespace}" not found`);
        return api.create(ref, object);
      },
      replace: async (ref, object) => {
        writing('replace', ref, object);
        return api.replace(ref, object);
      },
      replaceStatus: async (ref, change) => {
        writing('status', ref);
        return api.replaceStatus(ref, change);
      },
      patchLabels: async (ref, change) => {
        writing('labels', ref);
        return api.patchLabels(ref, change);
      },
      delete: async (ref, precondition) => {
        writing('delete', ref);
        return api.delete(ref, precondition);
      },
    };
  }
}

/** What stands in the store below a workload, by the beginning of its sort keys. */
export async function storedBelow(
  store: ItemStore,
  workload: WorkloadRef,
  prefix: string,
): Promise<number> {
  const pk = `W#${workloadKey(workload)}`;
  const { items } = await store.query({ pk, from: prefix, to: `${prefix}\u{10ffff}` });
  return items.length;
}
