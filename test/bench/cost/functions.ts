import { rememberState } from '#functions/aggregate-workload/deps.ts';
import { createAggregateWorkload } from '#functions/aggregate-workload/lambda.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { createSenderCheck } from '#functions/record-events/sender-check.ts';
import { createSweepStale, type ScheduledTask } from '#functions/sweep-stale/lambda.ts';
import { noFleet } from '#functions/write-results/deps.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { localContext } from '#local/stack/poller.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { ObjectApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { Telemetry } from '#shared/ports/telemetry.ts';
import type { Observability, SqsHandler } from '#shared/runtime/batch.ts';
import { createTelemetry } from '#shared/runtime/telemetry.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { type Cloud, PRINCIPAL, type QueueName } from './cloud.ts';
import { type Deployment, MODEL, type QueueFunction } from './deployment.ts';
import type { LambdaFunction } from './lambda-function.ts';
import { WDS } from './objects.ts';
import { Environments, type FedFunction } from './poller-model.ts';

/** The function that each queue feeds. */
export const FEEDS: Readonly<Record<QueueName, QueueFunction>> = {
  events: 'record-events',
  dirty: 'aggregate-workload',
  hints: 'write-results',
};

/** What a function that a queue feeds has of the world. */
export interface HandlerWorld {
  readonly store: ItemStore;
  readonly dirty: MessageQueue;
  readonly hints: MessageQueue;
  readonly deadLetters: MessageQueue;
  readonly telemetry: Telemetry;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The API of the only WDS. */
  readonly wds: ObjectApi;
}

/** The handler of the function that a queue feeds, with the caches of a new process. */
export function createHandler(
  queue: QueueName,
  { deadLetters, wds, ...world }: HandlerWorld,
  observability: Observability,
): SqsHandler {
  const { store, clock } = world;
  const common = { ...world, specs: createSpecStore(store) };
  switch (queue) {
    case 'events': {
      const senders = createSenderCheck({ store, clock, redrivers: [] });
      return createRecordEvents({ ...common, senders, deadLetters }, observability);
    }
    case 'dirty': {
      const own = { ...rememberState(store), schemas: createBuiltInSchemas() };
      return createAggregateWorkload({ ...common, ...own }, observability);
    }
    case 'hints':
      return createWriteResults({ ...common, wds: () => wds, fleet: noFleet }, observability);
  }
}

/** The system's functions, with the WDS that they write to. */
export class Functions {
  readonly fed: Readonly<Record<QueueName, FedFunction>>;
  /** Runs the scheduled function once. */
  readonly sweep: (event?: ScheduledTask) => Promise<void>;
  readonly #cloud: Cloud;
  readonly #wds: ObjectApi;

  /** @param wds the API of the only WDS, whose calls take no time by themselves */
  constructor(cloud: Cloud, wds: ObjectApi, deployment: Deployment) {
    this.#cloud = cloud;
    this.#wds = slowed(wds, () => cloud.clock.sleep(MODEL.wdsCallMs));
    this.fed = {
      events: this.#feed('events', deployment),
      dirty: this.#feed('dirty', deployment),
      hints: this.#feed('hints', deployment),
    };
    this.sweep = this.#sweeper(deployment.sweepMemoryMb);
  }

  #feed(queue: QueueName, { functions }: Deployment): FedFunction {
    const name = FEEDS[queue];
    const deployed = functions[name];
    const lambda = this.#cloud.lambda(name, deployed.memoryMb);
    const environments = new Environments(() => this.#handler(queue, lambda));
    return { queue: this.#cloud.queues[queue].billed, deployed, lambda, environments };
  }

  #handler(queue: QueueName, lambda: LambdaFunction): SqsHandler {
    const { deadLetters } = this.#cloud;
    const more = { deadLetters, wds: this.#wds };
    return createHandler(queue, { ...this.#common(lambda), ...more }, lambda.observability);
  }

  /** What each function that a queue feeds has of the world. */
  #common(lambda: LambdaFunction) {
    const { queues, clock } = this.#cloud;
    const store = this.#cloud.storeOf(lambda);
    const compute = (bytes: number): void => lambda.compute(bytes);
    return {
      store,
      dirty: queues.dirty.billed.sender(lambda.name, compute),
      hints: queues.hints.billed.sender(lambda.name, compute),
      telemetry: createTelemetry(lambda.observability),
      clock: clock.now,
    };
  }

  #sweeper(memoryMb: number): Functions['sweep'] {
    const cloud = this.#cloud;
    const lambda = cloud.lambda('sweep-stale', memoryMb);
    const { observability, name } = lambda;
    const deps = {
      store: cloud.storeOf(lambda),
      dirty: cloud.queues.dirty.billed.sender(name),
      hints: cloud.queues.hints.billed.sender(name),
      telemetry: createTelemetry(observability),
      clock: cloud.clock.now,
      routes: [],
      principal: PRINCIPAL,
      countedWdses: [WDS],
    };
    const handler = createSweepStale(deps, observability);
    // Of a scheduled event the function looks at nothing but its task, which the silence sweep has none of.
    const silence = {} as Parameters<typeof handler>[0];
    return (task?: ScheduledTask) =>
      lambda.invoke(() => handler(task ?? silence, localContext(name, cloud.newId('request'))));
  }
}

/** An API server whose calls take their time. */
export function slowed(api: ObjectApi, wait: () => Promise<void>): ObjectApi {
  const slowly =
    <Arguments extends readonly unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      await wait();
      return call(...args);
    };
  return {
    get: slowly(api.get),
    create: slowly(api.create),
    replace: slowly(api.replace),
    replaceStatus: slowly(api.replaceStatus),
    patchLabels: slowly(api.patchLabels),
    delete: slowly(api.delete),
  };
}
