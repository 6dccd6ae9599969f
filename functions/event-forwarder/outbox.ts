import type {
  EventContent,
  EventSource,
  EventVersion,
  ForwarderEvent,
} from '#shared/core/event.ts';
import { encodeBatch, encodeEvent, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';

/** An object's event: what it says, apart from whether it is the first. */
export type ObjectContent = Extract<EventContent, { readonly first: boolean }>;

/** An event ready to send. */
export interface EncodedEvent {
  readonly text: string;
  readonly type: EventContent['type'];
  /** Which object it is about, or `''`. */
  readonly key: string;
}

/** A message ready to send, with the events that are in it. */
export interface Parcel {
  readonly body: string;
  readonly events: readonly EncodedEvent[];
}

/** A message with these events. */
export function parcelOf(events: readonly EncodedEvent[]): Parcel {
  return { body: encodeBatch(events.map(({ text }) => text)), events };
}

/** What all events have in common, and the clock. */
export interface OutboxOptions {
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * Unsent events are kept as text: a tree of JSON values takes several times as much memory, and a queue that is down
 * may keep the events of all objects here.
 */
interface Unsent extends EncodedEvent {
  readonly source: string;
  readonly bytes: number;
  /** When the oldest event that this one replaced was added. */
  readonly addedAt: number;
  readonly first: boolean;
  /** Nobody has been told of the object yet, so nobody needs to be told that it is gone. */
  readonly isNew: boolean;
}

function isDeletion(content: ObjectContent): boolean {
  return content.type === 'wec-object'
    ? content.returned === undefined
    : content.object === undefined;
}

/**
 * Unsent events in the order in which they are to be sent. Of an object with several of them only the newest is kept, in
 * the place of the oldest: so what was to be sent before a snapshot's end still is, and memory is bounded by the number
 * of objects, however long nothing can be sent. Of an object that came and went meanwhile nothing is kept.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #unsent = new Map<string, Unsent>();
  /** What was taken and has not been accepted yet. */
  #taken: { readonly events: number; readonly since: number } | undefined;
  #sequence = 0;
  readonly #closing = new AbortController();
  #notify: () => void = () => undefined;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** Events that wait to be taken. */
  get size(): number {
    return this.#unsent.size;
  }

  /** Events that the queue has not accepted yet, those that are being sent included. */
  get unsent(): number {
    return this.#unsent.size + (this.#taken?.events ?? 0);
  }

  /** Nothing more will be added. */
  get closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Aborts when nothing more will be added. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** The version of the newest event. */
  get version(): EventVersion {
    return { epoch: this.#options.epoch, sequence: this.#sequence };
  }

  /** Since when the oldest of them waits, in milliseconds since the epoch; `undefined`: there is none. */
  get oldest(): number | undefined {
    const [first] = this.#unsent.values();
    return this.#taken?.since ?? first?.addedAt;
  }

  /**
   * Adds an object's event; `first` of an unsent event that it replaces is kept.
   *
   * @param key the object's, unique within the source
   * @param isNew whether no event of the object was ever added, or the last one told that it is gone
   */
  putObject(
    source: EventSource,
    { key, isNew }: { readonly key: string; readonly isNew: boolean },
    content: ObjectContent,
  ): void {
    const place = `object ${source.name} ${key}`;
    const unsent = this.#unsent.get(place);
    if (unsent?.isNew && isDeletion(content)) {
      this.#unsent.delete(place);
      return;
    }
    const first = content.first || (unsent?.first ?? false);
    const told = unsent === undefined ? isNew : unsent.isNew;
    this.#put(place, source, { content: { ...content, first }, key, isNew: told });
  }

  /** Adds the end of a source's snapshot: everything that stands in it was added after `since`. */
  putSnapshot(source: EventSource, since: EventVersion): void {
    const place = `snapshot ${source.name}`;
    // An unsent end of an older snapshot says less than this one.
    this.#unsent.delete(place);
    this.#put(place, source, { content: { type: 'snapshot', since } });
  }

  /** Forgets the ends of snapshots that have not been sent: what they speak of was told to somebody else. */
  dropSnapshots(): void {
    for (const [place, { type }] of this.#unsent)
      if (type === 'snapshot') this.#unsent.delete(place);
  }

  putHeartbeat(source: EventSource): void {
    this.#put(`heartbeat ${source.name}`, source, { content: { type: 'heartbeat' } });
  }

  /** Nothing more is added: what is left is sent without waiting for more. */
  close(): void {
    this.#closing.abort();
    this.#notify();
  }

  /** Ends when there is something to send, or never will be. */
  async filled(signal: AbortSignal): Promise<void> {
    if (this.#unsent.size > 0 || this.closed || signal.aborted) return;
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
   * snapshot is only taken before other events of its source: when everything before it has been accepted by the queue.
   * What was taken before counts as accepted.
   */
  take(maxParcels: number): readonly Parcel[] {
    this.#taken = undefined;
    const since = this.oldest ?? 0;
    const parcels: Parcel[] = [];
    const sources = new Set<string>();
    let events: EncodedEvent[] = [];
    let bytes = 0;
    const close = (): void => {
      if (events.length > 0) parcels.push(parcelOf(events));
      events = [];
      bytes = 0;
    };
    for (const [place, event] of this.#unsent) {
      if (event.type === 'snapshot' && sources.has(event.source)) break;
      // Each event brings a comma or one of the brackets.
      const size = event.bytes + 2;
      if (bytes + size > PLAIN_BODY_BYTES) close();
      if (parcels.length >= maxParcels) break;
      this.#unsent.delete(place);
      sources.add(event.source);
      events.push(event);
      bytes += size;
    }
    close();
    const taken = parcels.reduce((sum, parcel) => sum + parcel.events.length, 0);
    if (taken > 0) this.#taken = { events: taken, since };
    return parcels;
  }

  /** The queue has accepted everything that was taken. */
  accept(): void {
    this.#taken = undefined;
  }

  #put(
    place: string,
    source: EventSource,
    said: { readonly content: EventContent; readonly key?: string; readonly isNew?: boolean },
  ): void {
    const { content, key = '', isNew = false } = said;
    this.#sequence += 1;
    const now = this.#options.clock();
    const event: ForwarderEvent = {
      source,
      version: this.version,
      time: new Date(now).toISOString(),
      content,
    };
    const text = encodeEvent(event);
    this.#unsent.set(place, {
      text,
      type: content.type,
      key,
      source: source.name,
      bytes: Buffer.byteLength(text),
      addedAt: this.#unsent.get(place)?.addedAt ?? now,
      first: 'first' in content && content.first,
      isNew,
    });
    this.#notify();
  }
}
