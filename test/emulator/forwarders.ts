import { setTimeout as delay } from 'node:timers/promises';
import { ListQueueTagsCommand } from '@aws-sdk/client-sqs';
import { type Forwarder, startForwarder } from '#functions/event-forwarder/event-forwarder.ts';
import type { ForwarderSource } from '#functions/event-forwarder/forwarder-options.ts';
import { createSqsClient } from '#shared/adapters/sqs/client.ts';
import { createSqsMessageQueue } from '#shared/adapters/sqs/message-queue.ts';
import { STATE_TAG } from '#shared/adapters/sqs/receiver-state.ts';
import type { ObjectApi, ResourceApi } from '#shared/ports/kubernetes-api.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { SenderProbe, User } from './account.ts';
import { DEPLOYMENTS, WECS, type World } from './world.ts';

/** A cluster that a forwarder speaks for. */
interface Told {
  readonly api: ObjectApi & ResourceApi;
  readonly source: ForwarderSource;
}

/** A forwarder in this process. */
interface RunningForwarder {
  readonly forwarder: Forwarder;
  /** What it warned of, with the reasons. */
  readonly warnings: readonly string[];
}

function start({ api, source }: Told, queue: MessageQueue): RunningForwarder {
  const warnings: string[] = [];
  const tell = (message: string, fields: Readonly<Record<string, unknown>>): void => {
    warnings.push(`${message}: ${String(fields['reason'])}`);
  };
  const forwarder = startForwarder({
    api,
    queue,
    source,
    epoch: Date.now(),
    clock: Date.now,
    // An abort ends the wait; the caller looks at its signal.
    sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
    random: () => 0.5,
    logger: { info: () => undefined, warn: tell, error: tell },
  });
  return { forwarder, warnings };
}

/** The forwarders of all clusters, each with a user of IAM, and one user who speaks for nobody. */
export class Forwarders {
  /** What the emulator knows of who sends. */
  readonly senders: SenderProbe;
  readonly #world: World;
  readonly #told: ReadonlyMap<string, Told>;
  readonly #users: ReadonlyMap<string, User>;
  readonly #running = new Map<string, RunningForwarder>();

  private constructor(
    world: World,
    parts: {
      readonly told: ReadonlyMap<string, Told>;
      readonly users: ReadonlyMap<string, User>;
      readonly senders: SenderProbe;
    },
  ) {
    this.#world = world;
    this.#told = parts.told;
    this.#users = parts.users;
    this.senders = parts.senders;
  }

  /** Makes the users and lets them send events. None is registered, and none speaks yet. */
  static async create(world: World): Promise<Forwarders> {
    const { account, wds1, wds2, wecs, upstream } = world;
    const told = new Map<string, Told>();
    for (const { name, api } of [wds1, wds2])
      told.set(`wds/${name}`, { api, source: { type: 'wds', name } });
    for (const { name, api } of Object.values(wecs)) {
      const wds = WECS[name as keyof typeof WECS]; // The clusters are named as the keys are.
      told.set(`wec/${name}`, { api, source: { type: 'wec', name, wds, resources: DEPLOYMENTS } });
    }
    const { name, api } = upstream;
    told.set(`fleet/${name}`, { api, source: { type: 'fleet', name } });
    const users = new Map<string, User>();
    for (const name of [...told.keys(), 'stranger']) {
      const user = await account.createUser(name.replace('/', '-'));
      await account.attachPolicy(user, world.output('ForwarderPolicyArn'));
      users.set(name, user);
    }
    const senders = await account.probeSenders(await account.createUser('nobody'));
    return new Forwarders(world, { told, users, senders });
  }

  get sources(): readonly string[] {
    return [...this.#told.keys()];
  }

  /** The users who may send events, by their names. */
  get userNames(): readonly string[] {
    return [...this.#users.values()].map(({ name }) => name);
  }

  /** The user of a source, such as `wec/wec1`, or `stranger`. */
  user(name: string): User {
    const user = this.#users.get(name);
    if (user === undefined) throw new Error(`there is no user of ${name}`);
    return user;
  }

  /** A queue as a user reaches it. */
  queueOf(name: string, output = 'EventsQueueUrl'): MessageQueue {
    const client = createSqsClient(this.#world.emulator.config(this.user(name).credentials));
    return createSqsMessageQueue({ client, queueUrl: this.#world.output(output), fifo: false });
  }

  /** The table that the tag of the queue of events names, as a user reads it. */
  async namedTable(name: string): Promise<string | undefined> {
    const client = createSqsClient(this.#world.emulator.config(this.user(name).credentials));
    const QueueUrl = this.#world.output('EventsQueueUrl');
    const { Tags } = await client.send(new ListQueueTagsCommand({ QueueUrl }));
    client.destroy();
    return Tags?.[STATE_TAG];
  }

  /** Registers the user of each source for it, as far as the emulator knows users. */
  async register(): Promise<void> {
    for (const source of this.sources) {
      const named = this.senders.areTold
        ? ['--role', this.user(source).arn]
        : ['--principal', this.senders.recorded];
      const { code, output } = await this.#world.checkout.starfold('register', source, ...named);
      if (code !== 0) throw new Error(output);
    }
  }

  start(): void {
    for (const [source, told] of this.#told)
      this.#running.set(source, start(told, this.queueOf(source)));
  }

  running(source: string): RunningForwarder {
    const running = this.#running.get(source);
    if (running === undefined) throw new Error(`there is no forwarder of ${source}`);
    return running;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ forwarder }) => forwarder.stop()));
  }
}
