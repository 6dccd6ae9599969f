import type {
  EventContent,
  EventSource,
  EventVersion,
  ForwarderEvent,
} from '#shared/core/event.ts';
import { encodeBody, encodeEvent, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';

/** An object's event: what it says, apart from whether it is the first. */
export type ObjectContent = Extract<EventContent, { readonly first: boolean }>;

/** A message ready to send, with the events that are in it. */
export interface Parcel {
  readonly body: string;
  readonly events: readonly ForwarderEvent[];
}

/** A message with one event alone. */
export function parcelOf(event: ForwarderEvent): Parcel {
  return { body: encodeBody([encodeEvent(event)]), events: [event] };
}

/** Where events come from, and when. */
export interface OutboxOptions {
  readonly source: EventSource;
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

const SNAPSHOT = 'snapshot';
const HEARTBEAT = 'heartbeat';

/**
 * Unsent events in the order in which they are to be sent. Of an object with several of them only the newest is kept, in
 * the place of the oldest: so what was to be sent before a snapshot's end still is, and memory is bounded by the number
 * of objects, however long nothing can be sent.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #unsent = new Map<string, ForwarderEvent>();
  #sequence = 0;
  #notify: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Events that wait to be sent. */
  get size(): number {
    return this.#unsent.size;
  }

  /** The version of the newest event. */
  get version(): EventVersion {
    return { epoch: this.#options.epoch, sequence: this.#sequence };
  }

  /** Adds an object's event under the object's key; `first` of an unsent event that it replaces is kept. */
  putObject(key: string, content: ObjectContent): void {
    const unsent = this.#unsent.get(`object ${key}`)?.content;
    const first = content.first || (unsent !== undefined && 'first' in unsent && unsent.first);
    this.#put(`object ${key}`, { ...content, first });
  }

  /** Adds the end of a snapshot: everything that stands was added after `since`. */
  putSnapshot(since: EventVersion): void {
    // An unsent end of an older snapshot says less than this one.
    this.#unsent.delete(SNAPSHOT);
    this.#put(SNAPSHOT, { type: 'snapshot', since });
  }

  putHeartbeat(): void {
    this.#put(HEARTBEAT, { type: 'heartbeat' });
  }

  /** Ends when there is something to send. */
  async filled(signal: AbortSignal): Promise<void> {
    if (this.#unsent.size > 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#notify = end;
      signal.addEventListener('abort', end);
    });
  }

  /**
   * Takes the oldest events, as bodies of at most 64 KiB (a larger event has one to itself, compressed). The end of a
   * snapshot is only taken first: when everything before it has been accepted by the queue.
   */
  take(maxParcels: number): readonly Parcel[] {
    const parcels: Parcel[] = [];
    let texts: string[] = [];
    let events: ForwarderEvent[] = [];
    let bytes = 0;
    const close = (): void => {
      if (events.length > 0) parcels.push({ body: encodeBody(texts), events });
      texts = [];
      events = [];
      bytes = 0;
    };
    for (const [key, event] of this.#unsent) {
      const taken = parcels.length > 0 || events.length > 0;
      if (key === SNAPSHOT && taken) break;
      const text = encodeEvent(event);
      // Each event brings a comma or one of the brackets.
      const size = Buffer.byteLength(text) + 2;
      if (bytes + size > PLAIN_BODY_BYTES) close();
      if (parcels.length >= maxParcels) break;
      this.#unsent.delete(key);
      texts.push(text);
      events.push(event);
      bytes += size;
    }
    close();
    return parcels;
  }

  #put(key: string, content: EventContent): void {
    this.#sequence += 1;
    this.#unsent.set(key, {
      source: this.#options.source,
      version: this.version,
      time: new Date(this.#options.clock()).toISOString(),
      content,
    });
    this.#notify();
  }
}
