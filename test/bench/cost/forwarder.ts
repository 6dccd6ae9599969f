import { runBatcher } from '#functions/event-forwarder/batcher.ts';
import { type ObjectContent, SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import type { EventSource } from '#shared/core/event.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';
import type { EventClock } from './event-clock.ts';

const WINDOW_MS = 200;
/** SQS takes up to ten messages in a request. */
const MAX_PARCELS = 10;

/** What a forwarder has of the world. */
export interface ForwarderWorld {
  readonly clock: EventClock;
  /** The queue as calls to it are billed and take their time. @param sender who sends, for the bill. */
  sender(sender: string): Pick<MessageQueue, 'send'>;
  /** The queue, unbilled. */
  readonly unbilled: Pick<MessageQueue, 'send'>;
}

/** A cluster's forwarder, without its watches: the real send buffer and the real batcher. */
export class Forwarder {
  readonly source: EventSource;
  readonly sendBuffer: SendBuffer;
  readonly #world: ForwarderWorld;

  constructor(source: EventSource, world: ForwarderWorld) {
    this.source = source;
    this.sendBuffer = new SendBuffer({ epoch: 1, clock: world.clock.now });
    this.#world = world;
  }

  /** An object has changed. */
  put(key: string, content: ObjectContent): void {
    this.sendBuffer.putObject(this.source, { key, isNew: content.first }, content);
  }

  /** Sends what there is to send as it comes, billed. @returns ends it */
  start(): () => void {
    // One for each forwarder: thousands of listeners of one signal cost a search each.
    const abort = new AbortController();
    const { clock } = this.#world;
    const deps = {
      queue: this.#world.sender(`forwarders of ${this.source.type}s`),
      windowMs: WINDOW_MS,
      sleep: clock.sleep,
      random: () => 0,
      clock: clock.now,
      isLeading: () => true,
      group: 'wec/bench',
      onTooLarge: () => undefined,
      onFailure: () => undefined,
      onSent: () => undefined,
    };
    void runBatcher(deps, this.sendBuffer, abort.signal);
    return () => abort.abort();
  }

  /** Sends at once what there is to send, unbilled. @returns whether there was anything */
  async flush(): Promise<boolean> {
    let sent = false;
    for (;;) {
      const parcels = this.sendBuffer.take(MAX_PARCELS);
      if (parcels.length === 0) return sent;
      await this.#world.unbilled.send(parcels.map(({ body }) => ({ body })));
      sent = true;
    }
  }
}
