import { createCollectorChecks } from '#functions/aggregate-workload/collector-checks.ts';
import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { recordEvents } from '#functions/record-events/use-case.ts';
import { retrySetAside } from '#functions/sweep-stale/retry-set-aside.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import type { EventContent, EventSource } from '#shared/core/event.ts';
import { at, isArray, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { DirtyMessage } from '#shared/messages/dirty.ts';
import { encodeDirty } from '#shared/messages/dirty.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { createObservability } from '#shared/runtime/observability.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { createMemoryTelemetry } from '#test/fakes/memory-telemetry.ts';

const WDS = 'wds1';
export const VISIBILITY_SECONDS = 60;
const SCHEMAS = createBuiltInSchemas();
const OBSERVABILITY = createObservability({ service: 'test', logLevel: 'SILENT', metrics: 'off' });
const MAX_ROUNDS = 300;

/** A thing with a status, in the namespace `shop`. */
export function thing(name: string): ObjectRef {
  return { group: 'example.org', version: 'v1', resource: 'things', namespace: 'shop', name };
}

/** An object of KubeStellar's own. */
export function control(resource: string, name: string): ObjectRef {
  return { group: 'control.kubestellar.io', version: 'v1alpha1', resource, namespace: '', name };
}

/** The partition of a thing. */
export function partitionOf({ group, resource, namespace, name }: ObjectRef): string {
  return `W#${WDS}/${group}/${resource}/${namespace}/${name}`;
}

/** What a fold reads next, or puts, after it has read rows. */
const FOLDING = /^ (R#|PART#|RESULT#|HEAD)/;
/** What is read and put before the content of a Binding or a StatusCollector is evaluated. */
const BEFORE_EVALUATION = /^ (SPEC|POLICY|TRYING)/;

/** How a process of the aggregation is at work: `died` leaves its messages where they are until they are visible again. */
type Ending = 'idle' | 'handled' | 'died';

/**
 * The functions over fakes, of which the aggregation's process dies when it reads what is poisoned: it is heard of no
 * more, its messages come again after the visibility timeout, and the next process remembers nothing.
 */
export class MortalPipeline {
  readonly store: ItemStore = createMemoryItemStore();
  readonly wds = createMemoryCluster(() => this.#id('uid'));
  readonly telemetry = createMemoryTelemetry();
  /** Partitions of subjects, or of sources, that end every process that evaluates them. */
  readonly poisoned = new Set<string>();
  /** Texts in specs of StatusCollectors that end every process that compiles them. */
  readonly deadlySpecs = new Set<string>();
  /** The partitions that have ended a process, in order; the texts of specs that have. */
  readonly deaths: string[] = [];
  /** Calls of the aggregation's store, as `get W#... HEAD`. */
  readonly calls: string[] = [];
  /** The process dies before this call of {@link calls}, counted from 0. */
  diesBefore: number | undefined;
  /** Called before each call of the aggregation's store; what it throws, the store throws. */
  onCall: (call: string) => Promise<void> | void = () => undefined;
  now = Date.UTC(2026, 0, 1);
  readonly dirty: MemoryMessageQueue;
  readonly hints: MemoryMessageQueue;
  readonly deadLetters: MemoryMessageQueue;
  readonly #unsharded: number | undefined;
  #process: SqsHandler | undefined;
  #ids = 0;
  #sequence = 0;

  /** @param unsharded workloads with more destinations than that are folded in shards */
  constructor(unsharded?: number) {
    this.#unsharded = unsharded;
    this.deadLetters = this.#queue();
    this.dirty = this.#queue(this.deadLetters);
    this.hints = this.#queue();
  }

  #id(kind: string): string {
    this.#ids += 1;
    return `${kind}-${this.#ids}`;
  }

  #queue(deadLetterQueue?: MemoryMessageQueue): MemoryMessageQueue {
    return createMemoryMessageQueue({
      fifo: true,
      visibilityTimeoutSeconds: VISIBILITY_SECONDS,
      maxReceiveCount: 100,
      deadLetterQueue,
      clock: () => this.now,
      createMessageId: () => this.#id('message'),
    });
  }

  async #record(source: EventSource, content: EventContent): Promise<void> {
    this.#sequence += 1;
    const version = { epoch: 1, sequence: this.#sequence };
    const { store, dirty, hints, telemetry } = this;
    const deps = {
      store,
      dirty,
      hints,
      telemetry,
      specs: createSpecStore(store),
      clock: () => this.now,
    };
    await recordEvents(deps, [{ source, version, time: '2026-01-01T00:00:00Z', content }]);
  }

  /** Puts an object into the WDS and tells of it. */
  async apply(ref: ObjectRef, object: JsonObject): Promise<void> {
    const { version: _version, ...subject } = ref;
    const applied = this.wds.apply(ref, object);
    const content: EventContent = { type: 'wds-object', subject, first: true, object: applied };
    await this.#record({ type: 'wds', name: WDS }, content);
  }

  /** Removes an object from the WDS and tells of it. */
  async remove(ref: ObjectRef): Promise<void> {
    const { version: _version, ...subject } = ref;
    this.wds.remove(ref);
    const content: EventContent = { type: 'wds-object', subject, first: false };
    await this.#record({ type: 'wds', name: WDS }, content);
  }

  /** Things in the WDS, bound to some WECs by the Binding `all`, all of which say `phase: <name>`. */
  async begin(names: readonly string[], wecs: readonly string[] = ['wec1']): Promise<void> {
    for (const name of names) {
      const metadata = { name, namespace: 'shop' };
      await this.apply(thing(name), {
        apiVersion: 'example.org/v1',
        kind: 'Thing',
        metadata,
        spec: {},
      });
      for (const wec of wecs) await this.say(wec, name, name);
    }
    const asked = names.map((name) => ({ ...thing(name), wantMultiWECReportedState: true }));
    await this.apply(control('bindings', 'all'), {
      kind: 'Binding',
      metadata: { name: 'all' },
      spec: {
        destinations: wecs.map((clusterId) => ({ clusterId })),
        workload: { namespaceScope: asked },
      },
    });
  }

  /** A WEC says that a thing is in a phase. */
  async say(wec: string, name: string, phase: string): Promise<void> {
    const { version: _version, ...subject } = thing(name);
    const returned = { uid: 'u', generation: 1, sourceGeneration: 1, status: { phase } };
    const source: EventSource = { type: 'wec', name: wec };
    await this.#record(source, { type: 'wec-object', wds: WDS, subject, first: true, returned });
  }

  /** Sends work that is no event's. */
  async ask(message: DirtyMessage, cause: string): Promise<void> {
    await this.dirty.send([encodeDirty(message, cause)]);
  }

  /** A store as a process sees it, which `die` ends. */
  #mortal(die: (pk: string) => void, isDead: () => boolean): ItemStore {
    /** The poisoned objects whose rows this process has read: it dies at the next call of their fold. */
    const folding = new Set<string>();
    /** The poisoned Bindings and StatusCollectors whose content it has read: it dies at the next call for them. */
    const evaluating = new Set<string>();
    const kills = (call: string, pk: string, evaluates: string): boolean => {
      const item = call.slice(call.indexOf(pk) + pk.length);
      if (folding.has(pk) && FOLDING.test(item)) return true;
      if (!this.poisoned.has(pk)) return false;
      const goesOn = evaluating.has(pk) && !BEFORE_EVALUATION.test(item);
      if (evaluates === 'SPEC') evaluating.add(pk);
      return goesOn || evaluates.startsWith('SEEN#');
    };
    const before = async (call: string, pk: string, evaluates: string): Promise<void> => {
      if (isDead()) await new Promise<never>(() => undefined);
      const number = this.calls.push(call) - 1;
      await this.onCall(call);
      if (!kills(call, pk, evaluates) && number !== this.diesBefore) return;
      die(pk);
      await new Promise<never>(() => undefined);
    };
    const { store } = this;
    const each = async <T, R>(
      items: readonly T[],
      say: (item: T) => { readonly call: string; readonly pk: string; readonly sk: string },
      run: (item: T) => Promise<readonly R[]>,
    ): Promise<R[]> => {
      const results: R[] = [];
      for (const item of items) {
        const { call, pk, sk } = say(item);
        await before(`${call} ${pk} ${sk}`, pk, call === 'get' ? sk : '');
        results.push(...(await run(item)));
      }
      return results;
    };
    return {
      get: (keys) =>
        each(
          keys,
          (key) => ({ call: 'get', ...key }),
          (key) => store.get([key]),
        ),
      put: (puts) =>
        each(
          puts,
          ({ item }) => ({ call: 'put', ...item }),
          (put) => store.put([put]),
        ),
      delete: (deletes) =>
        each(
          deletes,
          ({ key }) => ({ call: 'delete', ...key }),
          (one) => store.delete([one]),
        ),
      query: async (query) => {
        const from = query.from ?? '';
        await before(`query ${query.pk} ${from}`, query.pk, from);
        if (from.startsWith('R#') && this.poisoned.has(query.pk)) folding.add(query.pk);
        return store.query(query);
      },
    };
  }

  #newProcess(end: (why: string) => void): SqsHandler {
    let isDead = false;
    const store = this.#mortal(end, () => isDead);
    const compile: typeof compileStatusCollector = (spec) => {
      const text = stringifyJson(spec ?? null);
      const deadly = [...this.deadlySpecs].find((one) => text.includes(one));
      if (deadly !== undefined && !isDead) end(deadly);
      // It gets no further than its next call.
      isDead ||= deadly !== undefined;
      return compileStatusCollector(spec);
    };
    const { dirty, hints, telemetry } = this;
    return createAggregateWorkload(
      {
        store,
        ...rememberState(store, this.#unsharded),
        collectors: createCollectorChecks(store, compile),
        schemas: SCHEMAS,
        dirty,
        hints,
        telemetry,
        clock: () => this.now,
      },
      OBSERVABILITY,
    );
  }

  #died = Promise.withResolvers<'died'>();

  /** One invocation of the aggregation. */
  async aggregateOnce(): Promise<Ending> {
    const messages = await this.dirty.receive({ max: 10, waitSeconds: 0 });
    if (messages.length === 0) return 'idle';
    this.#process ??= this.#newProcess((pk) => {
      this.deaths.push(pk);
      this.#process = undefined;
      this.#died.resolve('died');
      this.#died = Promise.withResolvers();
    });
    const handled = this.#process(sqsEvent('dirty', messages), localContext('test', 'request'));
    const response = await Promise.race([handled, this.#died.promise]);
    if (response === 'died') return 'died';
    const failed = new Set(response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { messageId, receiptHandle } of messages)
      if (failed.has(messageId)) await this.dirty.changeVisibility([receiptHandle], 1);
      else await this.dirty.delete([receiptHandle]);
    return 'handled';
  }

  async #writeAll(): Promise<void> {
    const { store, dirty, hints, telemetry } = this;
    const deps = { store, dirty, telemetry, wds: () => this.wds.api, fleet: noFleet };
    const write = createWriteResults({ ...deps, clock: () => this.now }, OBSERVABILITY);
    for (;;) {
      const messages = await hints.receive({ max: 10, waitSeconds: 0 });
      if (messages.length === 0) return;
      await write(sqsEvent('hints', messages), localContext('test', 'request'));
      await hints.delete(messages.map(({ receiptHandle }) => receiptHandle));
    }
  }

  /** Lets the functions work until no message is left; while there is nothing to do, time passes. */
  async settle(): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const ending = await this.aggregateOnce();
      await this.#writeAll();
      if (ending !== 'idle') continue;
      const { visible, inFlight } = await this.dirty.counts();
      if (visible + inFlight === 0) return;
      this.now += VISIBILITY_SECONDS * 1_000;
    }
    throw new Error('the pipeline does not come to rest');
  }

  /** Time passes, the sweep runs as its schedule has it, and what it sends is handled; how many are set aside at last. */
  async pass(minutes: number): Promise<number> {
    let count = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      this.now += 60_000;
      count = await this.sweep();
      await this.settle();
    }
    return count;
  }

  /** One run of the sweep; how many are set aside. */
  sweep(): Promise<number> {
    const { store, dirty } = this;
    return retrySetAside({ store, dirty, clock: () => this.now });
  }

  /** A field of an object in the WDS. */
  async shown(ref: ObjectRef, ...path: readonly string[]): Promise<JsonValue | undefined> {
    return at(await this.wds.api.get(ref), ...path);
  }

  /** `status.errors` of a Binding or StatusCollector. */
  async errors(ref: ObjectRef): Promise<readonly string[]> {
    const errors = await this.shown(ref, 'status', 'errors');
    return (isArray(errors) ? errors : []).map(String);
  }
}
