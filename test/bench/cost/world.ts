import { pollOnce } from '#local/stack/poller.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { registerSender } from '#shared/state/senders.ts';
import { createMemoryCluster } from '#test/fakes/memory-cluster.ts';
import { Cloud, PRINCIPAL, QUEUES, type QueueName } from './cloud.ts';
import { MODEL, readDeployment, type Variant, varied } from './deployment.ts';
import { Forwarder } from './forwarder.ts';
import { Functions } from './functions.ts';
import type { Bill } from './meter.ts';
import { givenObjects, statement, WDS, wecNames, workloadNames } from './objects.ts';
import { PollerModel } from './poller-model.ts';

const SETUP_ROWS = 5_000;
/** Longer than SQS remembers a deduplication identifier. */
const APART_MS = 301_000;
const REST_SECONDS = 600;

/** How large a world is. */
export interface WorldSize {
  readonly workloads: number;
  readonly wecs: number;
  /** What deviates from what is deployed. */
  readonly variant?: Variant;
}

/**
 * The functions as they are deployed, over a store in memory and queues in memory that bill what they do, under virtual
 * time; a WDS in memory, and the send buffers of all forwarders.
 */
export class CostWorld {
  readonly cloud = new Cloud();
  readonly workloads: readonly string[];
  readonly wecs: readonly string[];
  readonly #wds = createMemoryCluster(() => this.cloud.newId('uid'));
  readonly #functions: Functions;
  readonly #wdsForwarder: Forwarder;
  readonly #wecForwarders: ReadonlyMap<string, Forwarder>;
  readonly #forwarders: readonly Forwarder[];
  /** How long the last life took, with what was left to do at its end; milliseconds. */
  livedMs = 0;
  #changes = 0;

  constructor(size: WorldSize) {
    const { cloud } = this;
    this.workloads = workloadNames(size.workloads);
    this.wecs = wecNames(size.wecs);
    const deployment = varied(readDeployment(), size.variant ?? {});
    this.#functions = new Functions(cloud, this.#wds.api, deployment);
    const { memory: unbilled, billed } = cloud.queues.events;
    const world = { clock: cloud.clock, sender: (name: string) => billed.sender(name), unbilled };
    this.#wdsForwarder = new Forwarder({ type: 'wds', name: WDS }, world);
    this.#wecForwarders = new Map(
      this.wecs.map((name) => [name, new Forwarder({ type: 'wec', name }, world)]),
    );
    this.#forwarders = [this.#wdsForwarder, ...this.#wecForwarders.values()];
    this.#wds.onChange = ({ type, ref, object }) => {
      const { version: _version, ...subject } = ref;
      const seen = type === 'DELETED' ? {} : { object };
      const content = { type: 'wds-object', subject, first: type === 'ADDED', ...seen } as const;
      this.#wdsForwarder.put(`${ref.resource}/${ref.namespace}/${ref.name}`, content);
    };
  }

  /** Puts everything where it stands when all WECs have spoken and the WDS says so. Nothing of it is billed. */
  async fill(): Promise<void> {
    for (const { ref, object } of givenObjects(this.workloads, this.wecs))
      this.#wds.restore(ref, object);
    for (const { source } of this.#forwarders)
      await registerSender(this.cloud.store, { source, principal: PRINCIPAL });
    await this.settle();
    const chunk = Math.max(1, Math.floor(SETUP_ROWS / this.workloads.length));
    for (let from = 0; from < this.wecs.length; from += chunk) {
      for (const wec of this.wecs.slice(from, from + chunk)) {
        for (const workload of this.workloads) this.say(wec, workload, true);
        await this.#wecForwarders.get(wec)?.flush();
      }
      await this.#record();
      await this.#discardDirty();
    }
    for (const workload of this.workloads) this.say(this.wecs[0] ?? '', workload);
    await this.settle();
    this.cloud.reset();
  }

  /** A WEC's status of a workload changes; its forwarder has it to send. */
  say(wec: string, workload: string, first = false): void {
    this.#changes += 1;
    const content = statement(workload, this.#changes, { nowMs: this.cloud.clock.now(), first });
    this.#wecForwarders.get(wec)?.put(workload, content);
  }

  /** A WEC's forwarder has a heartbeat to send. */
  beat(wec: string): void {
    const forwarder = this.#wecForwarders.get(wec);
    forwarder?.sendBuffer.putHeartbeat(forwarder.source);
  }

  /** The scheduled function, once. */
  sweep(): Promise<void> {
    return this.#functions.sweep();
  }

  /** The scheduled function counts the workload objects, once. */
  count(): Promise<void> {
    return this.cloud.clock.drive(this.#functions.sweep({ task: 'count' }));
  }

  /** Lets everything be done that is to do, without Lambda's pollers: what they would pay is not in the bill. */
  settle(): Promise<void> {
    return this.cloud.clock.drive(this.#settle());
  }

  /**
   * Runs forwarders, pollers and functions for a while, and then on until nothing is left to do.
   *
   * @param act what happens meanwhile: it sleeps by the world's clock
   * @returns what the time up to the end was billed
   */
  async live(ms: number, act: () => Promise<void>): Promise<Bill> {
    const { clock, meter } = this.cloud;
    this.cloud.reset();
    const began = clock.now();
    const pollers = QUEUES.map((name) => new PollerModel(this.#functions.fed[name], clock));
    for (const poller of pollers) poller.start();
    const stopSending = this.#forwarders.map((forwarder) => forwarder.start());
    const acting = act();
    await clock.run(ms);
    await clock.drive(acting);
    await this.#rest();
    const bill = meter.bill();
    this.livedMs = clock.now() - began;
    for (const poller of pollers) poller.stop();
    for (const stop of stopSending) stop();
    await clock.run(2 * MODEL.longPollMs);
    return bill;
  }

  close(): void {
    this.cloud.close();
  }

  async #rest(): Promise<void> {
    for (let second = 0; second < REST_SECONDS; second += 1) {
      if (await this.#isAtRest()) return;
      await this.cloud.clock.run(1000);
    }
    throw new Error('the functions do not come to rest');
  }

  async #isAtRest(): Promise<boolean> {
    if (this.#forwarders.some(({ sendBuffer }) => sendBuffer.size > 0)) return false;
    return (await this.cloud.messages()) === 0;
  }

  async #settle(): Promise<void> {
    await this.cloud.clock.sleep(APART_MS);
    for (;;) {
      let moved = false;
      for (const forwarder of this.#forwarders) moved = (await forwarder.flush()) || moved;
      for (const name of QUEUES) moved = (await this.#pollOnce(name)) || moved;
      if (!moved) return;
    }
  }

  #pollOnce(name: QueueName): Promise<boolean> {
    const { environments, lambda } = this.#functions.fed[name];
    const run: SqsHandler = (event, context) =>
      environments.use((handler) => lambda.invoke(() => handler(event, context)));
    const onError = (error: unknown): never => {
      throw error;
    };
    const queue = this.cloud.queues[name].memory;
    return pollOnce({ name, queue, handler: run, retrySeconds: () => 1, onError }, 0);
  }

  async #record(): Promise<void> {
    const all = async (): Promise<void> => {
      while (await this.#pollOnce('events'));
    };
    await this.cloud.clock.drive(all());
  }

  async #discardDirty(): Promise<void> {
    const { memory } = this.cloud.queues.dirty;
    for (;;) {
      const messages = await memory.receive({ max: 10, waitSeconds: 0 });
      if (messages.length === 0) return;
      await memory.delete(messages.map(({ receiptHandle }) => receiptHandle));
    }
  }
}
