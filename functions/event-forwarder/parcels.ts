import type { EventContent } from '#shared/core/event.ts';
import { encodeBatch, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';

/** An event ready to send. */
export interface EncodedEvent {
  readonly text: string;
  readonly type: EventContent['type'];
  /** The key of the object of the event, or `''`. */
  readonly key: string;
}

/** A message ready to send, with its events. */
export interface Parcel {
  readonly body: string;
  readonly events: readonly EncodedEvent[];
}

/** A message with these events. */
export function parcelOf(events: readonly EncodedEvent[]): Parcel {
  return { body: encodeBatch(events.map(({ text }) => text)), events };
}

/** An event with its source and the size of its text. */
interface SizedEvent extends EncodedEvent {
  readonly source: string;
  readonly bytes: number;
}

/** Messages that are being filled, up to a number of them. */
export class Filling {
  readonly parcels: Parcel[] = [];
  readonly sources = new Set<string>();
  #events: EncodedEvent[] = [];
  #bytes = 0;

  /** Adds an event. Returns false if the event does not fit into this number of messages. */
  add(event: SizedEvent, maxParcels: number): boolean {
    // Each event adds a comma or one of the brackets.
    const size = event.bytes + 2;
    if (this.#bytes + size > PLAIN_BODY_BYTES) this.close();
    if (this.parcels.length >= maxParcels) return false;
    this.sources.add(event.source);
    this.#events.push(event);
    this.#bytes += size;
    return true;
  }

  close(): void {
    if (this.#events.length > 0) this.parcels.push(parcelOf(this.#events));
    this.#events = [];
    this.#bytes = 0;
  }
}
