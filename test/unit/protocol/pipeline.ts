import { type AggregateDeps, rememberState } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { settleSilentAfter } from '#functions/sweep-stale/silent-after.ts';
import { type SweepStaleDeps, sweepStale } from '#functions/sweep-stale/use-case.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { EventContent, ForwarderEvent } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { MAX_OBJECT_BINDINGS } from '#shared/core/limits.ts';
import type { Subject } from '#shared/core/subject.ts';
import {
  type DirtyMessage,
  type HintMessage,
  parseDirty,
  parseHint,
} from '#shared/messages/dirty.ts';
import { type NotificationMessage, parseNotification } from '#shared/messages/notification.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { createMemoryCluster, type MemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

export const WDS = 'wds1';
const SCHEMAS = createBuiltInSchemas();
export const WEB: ObjectRef = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'shop',
  name: 'web',
};
export const MULTI: JsonObject = { wantMultiWECReportedState: true };
/** The Binding. */
export const BINDING: ObjectRef = {
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource: 'bindings',
  namespace: '',
  name: 'b',
};
export const WEB_SUBJECT: Extract<Subject, { type: 'workload' }> = {
  type: 'workload',
  workload: { wds: WDS, group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
};

/** A queue that keeps what is sent, each message once for each deduplication identifier, until it is taken. */
class Outbox {
  readonly #seen = new Set<string>();
  #bodies: string[] = [];

  readonly queue: MessageQueue = {
    send: async (messages) => {
      for (const { body, deduplicationId = '' } of messages) {
        if (this.#seen.has(deduplicationId)) continue;
        this.#seen.add(deduplicationId);
        this.#bodies.push(body);
      }
    },
    receive: () => Promise.reject(new Error('not here')),
    delete: () => Promise.reject(new Error('not here')),
    changeVisibility: () => Promise.reject(new Error('not here')),
  };

  take(): readonly string[] {
    const taken = this.#bodies;
    this.#bodies = [];
    return taken;
  }
}

/** The three functions over fakes, driven by hand: what happens between any two calls is up to the test. */
export class Pipeline {
  readonly store: ItemStore = createMemoryItemStore();
  readonly wds: MemoryCluster;
  readonly telemetry = createMemoryTelemetry();
  /** Milliseconds since the epoch. */
  now = 0;
  /** So many Bindings count for the Deployment. */
  maxBindings = MAX_OBJECT_BINDINGS;
  /** Rules concern every topic. */
  notifies = false;
  /** One process aggregates everything, with what it has cached. Otherwise each aggregation is a process of its own. */
  caches = false;
  #cached: ReturnType<typeof rememberState> | undefined;
  readonly #dirty = new Outbox();
  readonly #hints = new Outbox();
  readonly #notifications = new Outbox();
  readonly #unsharded: number;
  #uids = 0;
  #sequence = 0;

  constructor(unsharded = 128) {
    this.#unsharded = unsharded;
    this.wds = createMemoryCluster(() => {
      this.#uids += 1;
      return `uid-${this.#uids}`;
    });
  }

  aggregateDeps(store = this.store): AggregateDeps {
    return {
      store,
      ...this.#state(store),
      schemas: SCHEMAS,
      dirty: this.#dirty.queue,
      hints: this.#hints.queue,
      ...this.#notifying(),
      telemetry: this.telemetry,
      clock: () => this.now,
      maxBindings: this.maxBindings,
    };
  }

  #state(store: ItemStore): ReturnType<typeof rememberState> {
    if (!this.caches || store !== this.store) return rememberState(store, this.#unsharded);
    this.#cached ??= rememberState(store, this.#unsharded);
    return this.#cached;
  }

  #notifying(): { readonly notifications?: MessageQueue } {
    return this.notifies ? { notifications: this.#notifications.queue } : {};
  }

  takeNotifications(): readonly NotificationMessage[] {
    return this.#notifications.take().map(parseNotification);
  }

  /** The next event of a source. */
  event(source: ForwarderEvent['source'], content: EventContent, epoch = 1): ForwarderEvent {
    this.#sequence += 1;
    const version = { epoch, sequence: this.#sequence };
    return { source, version, time: '2026-01-01T00:00:00Z', content };
  }

  async record(...events: readonly ForwarderEvent[]): Promise<void> {
    await recordEvents(this.aggregateDeps(), events);
  }

  /** Puts an object into the WDS and tells of it. */
  async apply(ref: ObjectRef, object: JsonObject): Promise<void> {
    const { group, resource, namespace, name } = ref;
    const applied = this.wds.apply(ref, object);
    const subject = { group, resource, namespace, name };
    const content: EventContent = { type: 'wds-object', subject, first: true, object: applied };
    await this.record(this.event({ type: 'wds', name: WDS }, content));
  }

  /** What a WEC says of the Deployment; `ready` absent: it has it no more. */
  said(wec: string, ready: number | undefined, epoch = 1): ForwarderEvent {
    const { group, resource, namespace, name } = WEB;
    const status = {
      replicas: 9,
      updatedReplicas: 9,
      readyReplicas: ready ?? 0,
      availableReplicas: ready ?? 0,
    };
    const returned = { uid: `${wec}-web`, generation: 1, status };
    const content: EventContent = {
      type: 'wec-object',
      wds: WDS,
      subject: { group, resource, namespace, name },
      first: true,
      ...(ready === undefined ? {} : { returned }),
    };
    return this.event({ type: 'wec', name: wec }, content, epoch);
  }

  /** A Binding to these WECs that names the Deployment as it says, or, told `null`, nothing. */
  async bind(wecs: readonly string[], asks: JsonObject | null = MULTI): Promise<void> {
    const bound = asks === null ? [] : [{ ...WEB, resourceVersion: '1', ...asks }];
    await this.apply(BINDING, {
      apiVersion: 'control.kubestellar.io/v1alpha1',
      kind: 'Binding',
      metadata: { name: 'b' },
      spec: {
        destinations: wecs.map((clusterId) => ({ clusterId })),
        workload: { namespaceScope: bound },
      },
    });
  }

  /** The Deployment in the WDS, bound to these WECs, with nothing left to do. */
  async begin(wecs: readonly string[]): Promise<void> {
    await this.apply(WEB, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 9 },
    });
    await this.bind(wecs);
    await this.settle();
  }

  /** The WDS has told everything. */
  async listWds(): Promise<void> {
    const since = { epoch: 1, sequence: 0 };
    await this.record(this.event({ type: 'wds', name: WDS }, { type: 'snapshot', since }));
    await this.settle();
  }

  takeDirty(): readonly DirtyMessage[] {
    return this.#dirty.take().map(parseDirty);
  }

  takeHints(): readonly HintMessage[] {
    return this.#hints.take().map(parseHint);
  }

  aggregate(message: DirtyMessage, store = this.store): Promise<void> {
    return handleDirty(this.aggregateDeps(store), [message]);
  }

  write(hint: HintMessage, store = this.store): Promise<void> {
    const { telemetry } = this;
    const { api } = this.wds;
    const { queue: dirty } = this.#dirty;
    const clock = (): number => 0;
    const common = { store, dirty, ...this.#notifying(), clock, telemetry };
    return writeResults({ ...common, wds: () => api, fleet: noFleet }, [hint]);
  }

  /** Looks for WECs that have fallen silent or speak again; `around` makes it slow or die. */
  async sweep(around = (deps: SweepStaleDeps): SweepStaleDeps => deps): Promise<void> {
    const { store, now } = this;
    const queues = { dirty: this.#dirty.queue, ...this.#notifying() };
    const deps = around({ store, ...queues, clock: () => now });
    await sweepStale(deps);
    await settleSilentAfter(deps);
  }

  /** Handles everything that is to do. */
  async settle(): Promise<void> {
    for (let left = true; left; ) {
      const [dirty, hints] = [this.takeDirty(), this.takeHints()];
      for (const message of dirty) await this.aggregate(message);
      for (const hint of hints) await this.write(hint);
      left = dirty.length + hints.length > 0;
    }
  }

  /** `status.readyReplicas` of the Deployment in the WDS. */
  async ready(): Promise<unknown> {
    const object = await this.wds.api.get(WEB);
    const status = object?.['status'];
    return typeof status === 'object' && status !== null
      ? Reflect.get(status, 'readyReplicas')
      : undefined;
  }
}

/** Which call of a store is meant: the first one whose sort keys begin so and, of a put, whose bodies contain this. */
export interface Moment {
  readonly call: 'get' | 'query' | 'put' | 'delete';
  readonly sk: string;
  readonly body?: string;
  readonly when: 'before' | 'after';
}

/** A store in which something else happens before or after a call. */
export function interrupted(
  store: ItemStore,
  moment: Moment,
  happening: () => Promise<void>,
): ItemStore {
  let pending = true;
  const around = async <T>(
    call: string,
    items: readonly { readonly sk: string; readonly body?: unknown }[],
    run: () => Promise<T>,
  ): Promise<T> => {
    const isMeant = ({ sk, body }: (typeof items)[number]): boolean =>
      sk.startsWith(moment.sk) && String(body).includes(moment.body ?? '');
    const hit = pending && call === moment.call && items.some(isMeant);
    if (hit) pending = false;
    if (hit && moment.when === 'before') await happening();
    const result = await run();
    if (hit && moment.when === 'after') await happening();
    return result;
  };
  return {
    get: (keys) => around('get', keys, () => store.get(keys)),
    query: (query) => around('query', [{ sk: query.from ?? '' }], () => store.query(query)),
    put: (puts) =>
      around(
        'put',
        puts.map(({ item }) => item),
        () => store.put(puts),
      ),
    delete: (deletes) =>
      around(
        'delete',
        deletes.map(({ key }) => key),
        () => store.delete(deletes),
      ),
  };
}
