import { createSetAsideGroups } from '#functions/aggregate-workload/set-aside.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { guardedReceiver } from '#functions/send-notifications/guarded-receiver.ts';
import { createSendNotifications } from '#functions/send-notifications/lambda.ts';
import { unhurriedReceiver } from '#functions/send-notifications/unhurried-receiver.ts';
import { createSweepStale } from '#functions/sweep-stale/lambda.ts';
import { createWriteResults } from '#functions/write-results/lambda.ts';
import { packageFile } from '#local/package-file.ts';
import { notifiedTopics } from '#shared/adapters/webhooks/notifications-document.ts';
import { createWebhook } from '#shared/adapters/webhooks/webhook.ts';
import { sleep } from '#shared/concurrency.ts';
import type { TopicType } from '#shared/core/notification/topic.ts';
import { queueGroup, tenantOfBody } from '#shared/messages/dirty.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import type { SqsHandler } from '#shared/runtime/batch.ts';
import { lineWriter, observabilityOf, settingsOf } from '#shared/runtime/observability.ts';
import { exponentialRetry } from '#shared/runtime/retry.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { type AggregationLimits, AggregationPool } from './aggregation-pool.ts';
import type { HandledMessages } from './handled-messages.ts';
import { LOCAL_SENDER, trustLocalSender } from './local-senders.ts';
import { INVOCATION_MS, startPoller } from './poller.ts';
import {
  type LocalQueues,
  priceOfMessage,
  QUEUES,
  type QueueName,
  redriveRoutes,
  VISIBILITY_SECONDS,
} from './queues.ts';
import { startSchedule } from './schedule.ts';
import type { StackOptions } from './stack-options.ts';
import type { SuspectRules } from './suspects.ts';
import type { WrittenClusters } from './written-clusters.ts';

const SWEEP_MS = 30_000;
const REDRIVE_MS = 3_600_000;
/** The module of a thread of aggregation: JavaScript, because Node reads no TypeScript in an installed package. */
export const AGGREGATION_WORKER = 'local/stack/aggregation-worker.js';
/** The limits of aggregation, unless the options of a stack have others. */
export const AGGREGATION_LIMITS: AggregationLimits = {
  memoryMb: 512,
  invocationMs: INVOCATION_MS,
  // A second one takes some 20 MB and a fifth of a second of CPU. It is only needed while changes arrive faster than one
  // aggregates them, and then none of them finds it free.
  waitMs: 50,
  idleMs: 15_000,
};

/** What the functions use. */
export interface FunctionParts {
  readonly options: StackOptions;
  readonly store: ItemStore;
  readonly queues: LocalQueues;
  /** Of the queue of events. */
  readonly handled: HandledMessages;
  readonly clusters: WrittenClusters;
}

/** The functions, which run on the messages of their queues and on their schedules, as AWS Lambda runs them. */
export class LocalFunctions {
  readonly #parts: FunctionParts;
  /** What a rule concerns. */
  readonly #topics: ReadonlySet<TopicType>;
  readonly #aggregation: AggregationPool;
  #running: readonly { stop(): Promise<void> }[] = [];

  constructor(parts: FunctionParts) {
    this.#parts = parts;
    this.#topics = notifiedTopics(parts.options.notifications?.rules ?? []);
    this.#aggregation = this.#openAggregation();
  }

  /** Loads the threads of aggregation, so that the first change does not wait for them. */
  warm(): void {
    this.#aggregation.warm();
  }

  start(): void {
    this.#running = [...this.#startPollers(), ...this.#startSchedules()];
  }

  /** Ends the invocations. What they have not completed stays in the queues. */
  async stop(): Promise<void> {
    await Promise.all(this.#running.map((loop) => loop.stop()));
    await this.#aggregation.stop();
  }

  #openAggregation(): AggregationPool {
    const { store, queues, options } = this.#parts;
    const { file, observability, aggregation } = options;
    const { entry = packageFile(AGGREGATION_WORKER), ...limits } = aggregation ?? {};
    const { dirty, hints, notifications } = queues;
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

  #handlers(): Readonly<Record<QueueName, SqsHandler>> {
    const { store, queues, clusters, options } = this.#parts;
    const { dirty, hints } = queues;
    const common = { store, specs: createSpecStore(store), dirty, hints, clock: Date.now };
    const of = (service: string) => observabilityOf(options.observability, service);
    const [record, write] = [of('record-events'), of('write-results')];
    return {
      events: createRecordEvents(
        {
          ...common,
          ...record,
          senders: trustLocalSender,
          deadLetters: queues['events-dlq'],
          onCost: (group, bytes) => queues.events.charge(group, priceOfMessage(group, bytes)),
        },
        record.observability,
      ),
      dirty: this.#aggregation.handler,
      hints: createWriteResults(
        {
          ...common,
          ...write,
          ...this.#notifying('refusals'),
          wds: clusters.wds,
          fleet: clusters.fleet,
        },
        write.observability,
      ),
      notifications: this.#notifier(),
    };
  }

  /** The queue for messages about changes of topics, if a rule concerns them. */
  #notifying(type: TopicType): { readonly notifications?: MessageSender } {
    return this.#topics.has(type) ? { notifications: this.#parts.queues.notifications } : {};
  }

  #notifier(): SqsHandler {
    const { store, queues, options } = this.#parts;
    const { webhooks, rules } = options.notifications ?? { webhooks: [], rules: [] };
    const of = observabilityOf(options.observability, 'send-notifications');
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
        store,
        notifications: queues.notifications,
        deadLetters: queues['notifications-dlq'],
        rules,
        receivers: new Map(webhooks.map(receiver)),
        clock,
        ...of,
      },
      of.observability,
      { givesBack: true },
    );
  }

  #startPollers(): readonly { stop(): Promise<void> }[] {
    const { queues, handled, options } = this.#parts;
    const { logger } = options.observability;
    const handlers = this.#handlers();
    return (Object.keys(QUEUES) as QueueName[]).map((name) =>
      startPoller({
        name,
        queue: name === 'events' ? handled.received(queues.events) : queues[name],
        handler: handlers[name],
        concurrency: QUEUES[name].concurrency,
        retrySeconds: exponentialRetry,
        ...(name === 'dirty' ? { suspects: this.#suspects() } : {}),
        onError: (error) => logger.error(`queue ${name}`, { error: String(error) }),
        sleep,
      }),
    );
  }

  /** A subject that may end its thread is aggregated alone, and no two at a time. */
  #suspects(): SuspectRules {
    const setAside = createSetAsideGroups({ store: this.#parts.store, clock: Date.now });
    return {
      groups: async () => new Set([...(await setAside())].map(queueGroup)),
      tenantOf: ({ body }) => tenantOfBody(body),
      visibilitySeconds: VISIBILITY_SECONDS,
      clock: Date.now,
    };
  }

  /** The first run waits as long as the others. By then, the forwarders of the present WECs have sent a heartbeat. */
  #startSchedules(): readonly { stop(): Promise<void> }[] {
    const { store, queues, options } = this.#parts;
    const { observability, silence: { sweepMs = SWEEP_MS, ...limit } = {} } = options;
    const sweep = observabilityOf(observability, 'sweep-stale');
    const handler = createSweepStale(
      {
        store,
        dirty: queues.dirty,
        hints: queues.hints,
        ...this.#notifying('silence'),
        routes: redriveRoutes(queues),
        principal: LOCAL_SENDER,
        clock: Date.now,
        ...limit,
        ...sweep,
      },
      sweep.observability,
    );
    const common = {
      name: 'sweep-stale',
      clock: Date.now,
      onError: (error: unknown) =>
        observability.logger.error('sweep-stale', { error: String(error) }),
      sleep,
    };
    return [
      startSchedule({ ...common, handler, everyMs: sweepMs }),
      startSchedule({
        ...common,
        handler: (_event, context) => handler({ task: 'redrive' }, context),
        everyMs: REDRIVE_MS,
      }),
    ];
  }
}
