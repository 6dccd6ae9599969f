import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { handleDirty } from '#functions/aggregate-workload/use-case.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { settleSilentAfter } from '#functions/sweep-stale/silent-after.ts';
import { sweepStale } from '#functions/sweep-stale/use-case.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { writeResults } from '#functions/write-results/use-case.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { SILENT_AFTER } from '#shared/core/binding/silent-after.ts';
import type { EventContent, EventSource, ForwarderEvent } from '#shared/core/event.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdStatus } from '#shared/core/health/verdict.ts';
import { at, isArray, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { controlRef } from '#shared/core/kubestellar.ts';
import { parseDirty, parseHint } from '#shared/messages/dirty.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';

const WDS = 'wds1';
const SCHEMAS = createBuiltInSchemas();
const REPLICAS = 3;

/** A Deployment, and the Binding that sends it to WECs. */
export interface Sent {
  readonly name: string;
  readonly wecs: readonly string[];
  /** What the object, the Binding and the BindingPolicy say in the annotation; `''`: they have none. */
  readonly silentAfter: {
    readonly object: string;
    readonly binding: string;
    readonly policy: string;
  };
}

/** How many of its replicas are ready in a WEC, and whether it has given up. */
export interface Rollout {
  readonly ready: number;
  readonly failed: boolean;
}

function deployment(name: string): ObjectRef {
  return { group: 'apps', version: 'v1', resource: 'deployments', namespace: 'shop', name };
}

function metadata(name: string, silentAfter: string): JsonObject {
  return { name, ...(silentAfter === '' ? {} : { annotations: { [SILENT_AFTER]: silentAfter } }) };
}

function statusOf({ ready, failed }: Rollout): JsonObject {
  const progressing = failed
    ? { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }
    : { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' };
  return {
    observedGeneration: 1,
    replicas: REPLICAS,
    updatedReplicas: REPLICAS,
    readyReplicas: ready,
    availableReplicas: ready,
    conditions: [progressing],
  };
}

/** Argo CD's verdict on a Deployment. */
function verdictOf(object: JsonObject): ArgoCdStatus {
  return assessArgoCd(object, '3')?.status ?? 'Unknown';
}

/** The real functions on a store in memory, each message handled at once; time is a number. */
export class OutageWorld {
  now = Date.UTC(2026, 0, 1);
  readonly #store = createMemoryItemStore();
  readonly #dirty = new SentMessages();
  readonly #hints = new SentMessages();
  readonly #telemetry = createMemoryTelemetry();
  readonly #wds = createMemoryCluster(() => {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  });
  readonly #state: ReturnType<typeof rememberState>;
  #uids = 0;
  #sequence = 0;

  /** @param unsharded an object with more WECs than that is folded in shards */
  constructor(unsharded: number) {
    this.#state = rememberState(this.#store, unsharded);
  }

  #deps() {
    return {
      ...this.#state,
      store: this.#store,
      schemas: SCHEMAS,
      dirty: this.#dirty,
      hints: this.#hints,
      telemetry: this.#telemetry,
      clock: () => this.now,
    };
  }

  async #record(source: EventSource, ...contents: readonly EventContent[]): Promise<void> {
    const events = contents.map((content): ForwarderEvent => {
      this.#sequence += 1;
      const version = { epoch: 1, sequence: this.#sequence };
      return { source, version, time: '2026-01-01T00:00:00Z', content };
    });
    await recordEvents(this.#deps(), events);
  }

  async #apply(ref: ObjectRef, object: JsonObject): Promise<void> {
    const { version: _version, ...subject } = ref;
    const applied = this.#wds.apply(ref, object);
    const content = { type: 'wds-object', subject, first: true, object: applied } as const;
    await this.#record({ type: 'wds', name: WDS }, content);
  }

  /** A user sends a Deployment to WECs. */
  async send({ name, wecs, silentAfter }: Sent): Promise<void> {
    const ref = deployment(name);
    await this.#apply(ref, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata(name, silentAfter.object), namespace: 'shop' },
      spec: { replicas: REPLICAS },
    });
    const kubestellar = { apiVersion: 'control.kubestellar.io/v1alpha1' };
    await this.#apply(controlRef('bindingpolicies', name), {
      ...kubestellar,
      kind: 'BindingPolicy',
      metadata: metadata(name, silentAfter.policy),
      spec: { clusterSelectors: [], downsync: [] },
    });
    const bound = { ...ref, resourceVersion: '1', wantMultiWECReportedState: true };
    await this.#apply(controlRef('bindings', name), {
      ...kubestellar,
      kind: 'Binding',
      metadata: metadata(name, silentAfter.binding),
      spec: {
        destinations: wecs.map((clusterId) => ({ clusterId })),
        workload: { namespaceScope: [bound] },
      },
    });
    await this.#settle();
  }

  /** The forwarder of the WDS sees its cluster. */
  async beginWds(): Promise<void> {
    await this.#record({ type: 'wds', name: WDS }, { type: 'heartbeat' });
  }

  /** The forwarder of a WEC sends a heartbeat. */
  async beat(wec: string): Promise<void> {
    await this.#record({ type: 'wec', name: wec }, { type: 'heartbeat' });
    await this.#settle();
  }

  /** The forwarder of a WEC reports a Deployment. */
  async report(wec: string, name: string, rollout: Rollout): Promise<void> {
    const { version: _version, ...subject } = deployment(name);
    const returned = { uid: `${wec}-${name}`, generation: 1, sourceGeneration: 1 };
    await this.#record(
      { type: 'wec', name: wec },
      {
        type: 'wec-object',
        wds: WDS,
        subject,
        first: true,
        returned: { ...returned, status: statusOf(rollout) },
      },
    );
    await this.#settle();
  }

  async sweep(): Promise<void> {
    const deps = { store: this.#store, dirty: this.#dirty, clock: () => this.now };
    await sweepStale(deps);
    await settleSilentAfter(deps);
    await this.#settle();
  }

  /** Handles everything that is to do. */
  async #settle(): Promise<void> {
    for (;;) {
      const [dirty, hints] = [this.#dirty.bodies.splice(0), this.#hints.bodies.splice(0)];
      if (dirty.length + hints.length === 0) return;
      for (const body of dirty) await handleDirty(this.#deps(), [parseDirty(body)]);
      const { api } = this.#wds;
      const deps = { ...this.#deps(), wds: () => api, fleet: noFleet };
      for (const body of hints) await writeResults(deps, [parseHint(body)]);
    }
  }

  /** Argo CD's verdict on a Deployment in the WDS. */
  async verdict(name: string): Promise<ArgoCdStatus> {
    const object = await this.#wds.api.get(deployment(name));
    if (object === undefined) throw new Error(`there is no ${name}`);
    return verdictOf(object);
  }

  /** Argo CD's verdict on a Deployment in a WEC. */
  verdictIn(rollout: Rollout): ArgoCdStatus {
    const name = { name: 'd', namespace: 'shop', generation: 1 };
    const spec = { replicas: REPLICAS };
    const status = statusOf(rollout);
    return verdictOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: name, spec, status });
  }

  /** The WECs that the condition `WECsReporting` of a Binding names. */
  async notReporting(name: string): Promise<readonly string[]> {
    const binding = await this.#wds.api.get(controlRef('bindings', name));
    const conditions = at(binding, 'status', 'conditions');
    const found: JsonValue | undefined = (isArray(conditions) ? conditions : []).find(
      (one) => member(one, 'type') === 'WECsReporting',
    );
    const named = String(member(found, 'message')).matchAll(/(\S+) \((?:silent|never)/g);
    return [...named].map(([, wec = '']) => wec).sort();
  }
}
