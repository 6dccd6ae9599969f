import type {
  EventContent,
  EventSource,
  EventVersion,
  ForwarderEvent,
} from '#shared/core/event.ts';
import { isWithoutStatus } from '#shared/core/without-status.ts';
import { encodeEvent } from '#shared/events/codec.ts';
import type { Waiting } from '#shared/watch/backoff.ts';
import { isRested, ObjectRests } from './object-rests.ts';
import { type EncodedEvent, Filling, type Parcel } from './parcels.ts';

/** The content of the event of an object, without `first`. */
export type ObjectContent = Extract<EventContent, { readonly first: boolean }>;

/** The epoch of all events, and the clock. */
export interface SendBufferOptions {
  readonly epoch: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** The version of the forwarder, which heartbeats report. */
  readonly version?: string;
}

/**
 * An unsent event, kept as text. A tree of JSON values takes several times as much memory, and while a queue is down, the
 * send buffer may hold the events of all objects.
 */
interface Unsent extends EncodedEvent {
  readonly source: string;
  readonly bytes: number;
  /** The time when the oldest event that this one replaced was added. */
  readonly addedAt: number;
  readonly first: boolean;
  /** No event of the object has been sent yet, so its deletion need not be sent. */
  readonly isNew: boolean;
  /** The position among all events: the sequence of the oldest event that this one replaced. */
  readonly order: number;
  /** Which rest of the object follows it. `undefined`: none. */
  readonly rest: number | undefined;
}

/** Unsent events by their key. */
type Lane = Map<string, Unsent>;

function snapshotKey(source: string): string {
  return `snapshot ${source}`;
}

function isDeletion(content: ObjectContent): boolean {
  return content.type === 'wec-object'
    ? content.returned === undefined
    : content.object === undefined;
}

/**
 * Unsent events in the order in which they are to be sent: objects without a status after all others. If an object has several
 * events, only the newest is kept, in the position of the oldest. So events that were to be sent before the end of a snapshot still
 * are, and the number of objects bounds the memory, regardless of how long nothing can be sent. If an object was created and
 * deleted meanwhile, no event is kept. Events of a WDS that lead to work for many objects rest: one a second is sent for an object, and fewer
 * if it goes on changing.
 */
export class SendBuffer {
  readonly #options: SendBufferOptions;
  readonly #unsent: Lane = new Map();
  /** Events of objects without a status. */
  readonly #later: Lane = new Map();
  /** The events that were taken and have not been accepted yet. */
  #taken: { readonly events: number; readonly since: number } | undefined;
  #sequence = 0;
  readonly #rests: ObjectRests;
  readonly #closing = new AbortController();
  #notify: () => void = () => undefined;

  constructor(options: SendBufferOptions) {
    this.#options = options;
    this.#rests = new ObjectRests(options.clock);
  }

  /** The number of events that wait to be taken. */
  get size(): number {
    return this.#unsent.size + this.#later.size;
  }

  /** The number of events that the queue has not accepted yet, including those that are being sent. */
  get unsent(): number {
    return this.size + (this.#taken?.events ?? 0);
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

  /** The time since which the oldest unsent event waits, in milliseconds since the epoch. `undefined`: there is none. */
  get oldest(): number | undefined {
    const [first] = this.#unsent.values();
    const [later] = this.#later.values();
    const waiting = [first, later].flatMap((event) => event?.addedAt ?? []);
    return this.#taken?.since ?? (waiting.length === 0 ? undefined : Math.min(...waiting));
  }

  /**
   * Adds the event of an object. If it replaces an unsent event, it keeps the `first` of that event.
   *
   * @param key the key of the object, unique within the source
   * @param isNew whether no event of the object was ever added, or the last event was its deletion
   */
  putObject(
    source: EventSource,
    { key, isNew }: { readonly key: string; readonly isNew: boolean },
    content: ObjectContent,
  ): void {
    const laneKey = `object ${source.name} ${key}`;
    const lane = isWithoutStatus(content.subject) ? this.#later : this.#unsent;
    const unsent = lane.get(laneKey);
    if (unsent?.isNew && isDeletion(content)) {
      lane.delete(laneKey);
      return;
    }
    const first = content.first || (unsent?.first ?? false);
    const isNewInSource = unsent === undefined ? isNew : unsent.isNew;
    this.#put(lane, laneKey, { source, content: { ...content, first }, key, isNew: isNewInSource });
  }

  /** Adds the end of a snapshot of a source: every object that exists in the source was added after `since`. */
  putSnapshot(source: EventSource, since: EventVersion): void {
    const laneKey = snapshotKey(source.name);
    // The end of an older snapshot is superseded by this one.
    this.#unsent.delete(laneKey);
    this.#put(this.#unsent, laneKey, { source, content: { type: 'snapshot', since } });
  }

  /** Adds the end of a listing of a hub: every ManagedCluster that exists was added after `since`. */
  putHubSnapshot(hub: string, since: EventVersion): void {
    const laneKey = 'hub-snapshot';
    this.#unsent.delete(laneKey);
    const source = { type: 'wec', name: hub } as const;
    this.#put(this.#unsent, laneKey, { source, content: { type: 'hub-snapshot', since } });
  }

  /** Drops the unsent ends of snapshots, because the events of these snapshots were sent to another receiver. */
  dropSnapshots(): void {
    for (const [laneKey, { type }] of this.#unsent)
      if (type === 'snapshot' || type === 'hub-snapshot') this.#unsent.delete(laneKey);
  }

  putHeartbeat(source: EventSource): void {
    const { version } = this.#options;
    const reported = version === undefined ? {} : { forwarderVersion: version };
    const content = { type: 'heartbeat', ...reported } as const;
    this.#put(this.#unsent, `heartbeat ${source.name}`, { source, content });
  }

  /** Adds what is known about the inventory of a WEC. It replaces what was known before and is unsent. */
  putInventory(
    source: EventSource,
    report: Omit<Extract<EventContent, { readonly type: 'inventory' }>, 'type'>,
  ): void {
    const laneKey = `inventory ${source.name}`;
    this.#put(this.#unsent, laneKey, { source, content: { type: 'inventory', ...report } });
  }

  /** Closes the send buffer. The remaining events are sent without waiting for more. */
  close(): void {
    this.#closing.abort();
    this.#notify();
  }

  /** Resolves when there is an event that does not rest, or when there never will be one. */
  async filled({ sleep }: Pick<Waiting, 'sleep'>, signal: AbortSignal): Promise<void> {
    while (!this.#hasReady() && !this.closed && !signal.aborted) {
      const added = this.#added(signal);
      const ms = this.#rests.untilNextEnd();
      if (this.size === 0 || ms === undefined) {
        await added;
        continue;
      }
      const waking = new AbortController();
      await Promise.race([added, sleep(ms, waking.signal)]);
      waking.abort();
      this.#notify();
    }
  }

  /** Resolves when an event has been added that `filled` does not wait for yet, or nothing more will be added. */
  #added(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        signal.removeEventListener('abort', end);
        resolve();
      };
      this.#notify = end;
      signal.addEventListener('abort', end);
    });
  }

  #hasReady(): boolean {
    this.#rests.forgetEnded();
    for (const lane of [this.#unsent, this.#later])
      for (const [laneKey, event] of lane) if (!this.#isResting(laneKey, event)) return true;
    return false;
  }

  /** Nothing rests before the end of a snapshot of its source, which would rest with it, and nothing rests at the end. */
  #isResting(laneKey: string, { rest, source }: Unsent): boolean {
    if (rest === undefined || this.closed || !this.#rests.has(laneKey)) return false;
    return !this.#unsent.has(snapshotKey(source));
  }

  /**
   * Takes the oldest events, as bodies of at most 64 KiB. A larger event has a body of its own, compressed. Events of objects
   * without a status fill the rest of the bodies, and one body at least if there are several. The end of a snapshot is taken
   * only if no other events of its source precede it in the send buffer, so the queue has accepted them. The end of a listing of a
   * hub is taken only if no other events precede it. Events that rest are left. The events that were taken before count as accepted.
   */
  take(maxParcels: number): readonly Parcel[] {
    this.#taken = undefined;
    this.#rests.forgetEnded();
    const since = this.oldest ?? 0;
    const filling = new Filling();
    const reserved = this.#later.size > 0 && maxParcels > 1 ? 1 : 0;
    this.#fill(filling, this.#unsent, maxParcels - reserved);
    this.#fill(filling, this.#later, maxParcels);
    filling.close();
    const { parcels } = filling;
    const taken = parcels.reduce((sum, parcel) => sum + parcel.events.length, 0);
    if (taken > 0) this.#taken = { events: taken, since };
    return parcels;
  }

  #fill(filling: Filling, lane: Lane, maxParcels: number): void {
    for (const [laneKey, event] of lane) {
      if (this.#isResting(laneKey, event)) continue;
      if (this.#isEarly(filling, event) || !filling.add(event, maxParcels)) return;
      lane.delete(laneKey);
      if (event.rest !== undefined) this.#rests.begin(laneKey, event.rest);
    }
  }

  /** The event ends a snapshot or a listing, and the queue has not accepted yet what it must follow. */
  #isEarly({ sources }: Filling, { type, source, order }: Unsent): boolean {
    if (type === 'hub-snapshot') return sources.size > 0;
    const [later] = this.#later.values();
    return type === 'snapshot' && (sources.has(source) || (later?.order ?? order) < order);
  }

  /** Records that the queue has accepted all events that were taken. */
  accept(): void {
    this.#taken = undefined;
  }

  #put(
    lane: Lane,
    laneKey: string,
    added: {
      readonly source: EventSource;
      readonly content: EventContent;
      readonly key?: string;
      readonly isNew?: boolean;
    },
  ): void {
    const { source, content, key = '', isNew = false } = added;
    this.#sequence += 1;
    const now = this.#options.clock();
    const event: ForwarderEvent = {
      source,
      version: this.version,
      time: new Date(now).toISOString(),
      content,
    };
    const text = encodeEvent(event);
    const before = lane.get(laneKey);
    this.#rests.forgetEnded();
    const unsent = {
      text,
      type: content.type,
      key,
      source: source.name,
      bytes: Buffer.byteLength(text),
      addedAt: before?.addedAt ?? now,
      order: before?.order ?? this.#sequence,
      first: 'first' in content && content.first,
      isNew,
      rest: isRested(content) ? Math.max(before?.rest ?? 0, this.#rests.next(laneKey)) : undefined,
    };
    lane.set(laneKey, unsent);
    // An event that rests changes nothing while others do: `filled` waits for the end of the first rest.
    if (this.size === 1 || !this.#isResting(laneKey, unsent)) this.#notify();
  }
}
