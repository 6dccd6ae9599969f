import type {
  EventContent,
  EventSource,
  EventVersion,
  ForwarderEvent,
} from '#shared/core/event.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import { EVERY_WEC } from '#shared/state/senders.ts';
import type { Actor, Scheduler } from './scheduler.ts';

const HEARTBEAT_MS = 30_000;

/** What a simulated forwarder says, and of which source: by default its own. */
export interface Told {
  readonly content: EventContent;
  readonly of?: EventSource;
}

/** What a simulated forwarder sees of its cluster. */
export interface View {
  readonly source: EventSource;
  /** It is a hub: it says which ManagedClusters there are, and nothing of itself. */
  readonly isHub?: boolean;
  /** What it would say of everything that stands in the cluster now. */
  list(): readonly Told[];
}

/**
 * What the pipeline may expect of a forwarder, and nothing more: each change is sent at least once, in any order and
 * company, perhaps late, perhaps twice; what happened while it was down is not sent, but a complete listing follows, in
 * a new epoch. It sends a heartbeat when it starts, and one whenever 30 s have passed.
 */
export class SimulatedForwarder {
  readonly #scheduler: Scheduler;
  readonly #queue: MessageQueue;
  readonly #view: View;
  readonly #encode: (events: readonly ForwarderEvent[]) => string;
  #actor: Actor | undefined;
  #epoch = 0;
  #sequence = 0;
  #beatAt = 0;

  constructor(
    scheduler: Scheduler,
    wiring: {
      readonly queue: MessageQueue;
      readonly view: View;
      readonly encode: (events: readonly ForwarderEvent[]) => string;
    },
  ) {
    this.#scheduler = scheduler;
    this.#queue = wiring.queue;
    this.#view = wiring.view;
    this.#encode = wiring.encode;
  }

  get source(): EventSource {
    return this.#view.source;
  }

  /** What its sender has to be registered for. */
  get registration(): EventSource {
    return this.isHub ? EVERY_WEC : this.source;
  }

  get isHub(): boolean {
    return this.#view.isHub === true;
  }

  get running(): boolean {
    return this.#actor !== undefined;
  }

  /**
   * Takes over in a new epoch: sends everything that stands, then that this was all.
   *
   * @param epoch default: the next one
   */
  start(epoch = this.#epoch + 1): void {
    const { source } = this.#view;
    this.#epoch = epoch;
    this.#sequence = 0;
    this.#actor = { name: `forwarder ${source.type}/${source.name}#${this.#epoch}`, alive: true };
    void this.#snapshot(this.#actor);
    this.beat();
  }

  /**
   * Tells everything that stands, as when the receiver's state is another one.
   *
   * @returns since when; {@link SimulatedForwarder.endListing} says that this was all
   */
  relist(): EventVersion {
    const since = { epoch: this.#epoch, sequence: this.#sequence };
    const actor = this.#actor;
    if (actor === undefined) throw new Error('the forwarder does not run');
    for (const told of this.#view.list()) void this.#deliver(actor, [this.#event(told)]);
    this.beat();
    return since;
  }

  /** Says that everything that stands has been told since then. */
  endListing(since: EventVersion): void {
    this.say(this.#listed(since));
  }

  /** Time has passed. */
  tick(): void {
    if (this.#scheduler.now - this.#beatAt >= HEARTBEAT_MS) this.beat();
  }

  /** Says that it sees its cluster. */
  beat(): void {
    this.#beatAt = this.#scheduler.now;
    if (!this.isHub) this.say({ content: { type: 'heartbeat' } });
  }

  #listed(since: EventVersion): Told {
    return { content: { type: this.isHub ? 'hub-snapshot' : 'snapshot', since } };
  }

  async #snapshot(actor: Actor): Promise<void> {
    const since = { epoch: this.#epoch, sequence: 0 };
    const events = this.#view.list().map((told) => this.#event(told));
    await Promise.all(events.map((event) => this.#deliver(actor, [event])));
    await this.#deliver(actor, [this.#event(this.#listed(since))]);
  }

  /** Dies: what it has not sent is lost. */
  crash(): void {
    if (this.#actor !== undefined) this.#scheduler.kill(this.#actor);
    this.#actor = undefined;
  }

  /** Something changed in the cluster. */
  say(told: Told): void {
    if (this.#actor === undefined) return;
    void this.#deliver(this.#actor, [this.#event(told)]);
  }

  #event({ content, of = this.#view.source }: Told): ForwarderEvent {
    this.#sequence += 1;
    const time = new Date(this.#scheduler.now).toISOString();
    const version = { epoch: this.#epoch, sequence: this.#sequence };
    return { source: of, version, time, content };
  }

  async #deliver(actor: Actor, events: readonly ForwarderEvent[]): Promise<void> {
    const { random } = this.#scheduler;
    const copies = random.chance(0.15) ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) {
      await this.#scheduler.step(actor, `sends ${events.map((e) => JSON.stringify(e.version))}`);
      const delaySeconds = random.chance(0.2) ? random.below(60) : 0;
      await this.#queue.send([{ body: this.#encode(events), delaySeconds }]);
    }
  }
}
