import { checkMax, checkMessages } from '#shared/adapters/message-limits.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import { AWS } from './assumptions.ts';
import { Heap } from './heap.ts';

/** What a model of a queue is told of it. */
export interface SqsModelOptions {
  readonly fifo: boolean;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  readonly createMessageId: () => string;
  readonly senderId: string;
  /** Default: what SQS publishes. */
  readonly inFlightLimit?: number;
  /** FIFO: among how many of the oldest messages groups are looked for. Default: what SQS publishes. */
  readonly window?: number;
}

interface Message {
  readonly sent: OutgoingMessage;
  readonly id: string;
  readonly sentAt: number;
  /** Its place in the order of sending. */
  readonly place: number;
  readonly lane: Lane;
  receiveCount: number;
  hiddenUntil: number;
}

/** The messages that are received in order: those of a group, or all of a standard queue. */
interface Lane {
  /** Visible messages, the oldest first. */
  readonly visible: Heap<Message>;
  hidden: number;
  /** Whether the lane stands among those that can be received. */
  isOffered: boolean;
}

/** When a receipt ends. */
interface End {
  readonly handle: string;
  readonly end: number;
}

function handleOf({ id, receiveCount }: Message): string {
  return `${id}/${receiveCount}`;
}

/**
 * A queue with the rules of SQS that decide how a backlog is handled: visibility, dead letters, deduplication, locked groups, the
 * messages in flight, and the first messages among which a FIFO queue looks for groups. Takes time from a clock and waits for
 * nothing.
 */
export class SqsModel {
  readonly #options: SqsModelOptions;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes that can be received, by their oldest message. */
  readonly #offered = new Heap<Lane>((lane) => lane.visible.first?.place ?? 0);
  readonly #inFlight = new Map<string, Message>();
  readonly #ends = new Heap<End>(({ end }) => end);
  /** When the deduplication of an identifier ends. */
  readonly #windows = new Map<string, number>();
  readonly #alive = new Set<number>();
  #next = 0;
  #windowEnd = 0;
  #inWindow = 0;
  /** The most there was of each since the last reset. */
  peak = { backlog: 0, inFlight: 0 };
  /** Receives that got nothing because so much was in flight, or because no group was among the first messages. */
  blocked = { inFlight: 0, window: 0 };
  deadLetters = 0;

  constructor(options: SqsModelOptions) {
    this.#options = options;
  }

  /** Messages that are not deleted. */
  get size(): number {
    return this.#alive.size;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  resetPeaks(): void {
    this.peak = { backlog: this.size, inFlight: this.inFlight };
    this.blocked = { inFlight: 0, window: 0 };
  }

  /** When the next message that is hidden becomes visible; undefined: none is. */
  get nextVisibleMs(): number | undefined {
    for (;;) {
      const next = this.#ends.first;
      if (next === undefined || this.#hiddenUntil(next) !== undefined) return next?.end;
      this.#ends.pop();
    }
  }

  /** Accepts messages, but for duplicates. */
  send(messages: readonly OutgoingMessage[]): void {
    checkMessages(messages, this.#options.fifo);
    for (const message of messages) if (!this.#isDuplicate(message)) this.#store(message);
    this.peak.backlog = Math.max(this.peak.backlog, this.size - this.inFlight);
  }

  /** Receives up to so many messages at once, of one group as many as there are before another one. */
  receive(max: number): readonly ReceivedMessage[] {
    checkMax(max);
    this.#show();
    const limit = this.#options.inFlightLimit ?? this.#defaultLimit();
    const room = Math.min(max, limit - this.#inFlight.size);
    if (room <= 0) {
      this.blocked.inFlight += 1;
      return [];
    }
    const received: ReceivedMessage[] = [];
    while (received.length < room) {
      const lane = this.#nextLane();
      if (lane === undefined) break;
      this.#takeFrom(lane, room, received);
    }
    this.peak.inFlight = Math.max(this.peak.inFlight, this.inFlight);
    return received;
  }

  /** Deletes by receipt handles. Outdated ones are ignored. */
  delete(handles: readonly string[]): void {
    for (const handle of handles) {
      const message = this.#inFlight.get(handle);
      if (message === undefined) continue;
      this.#inFlight.delete(handle);
      this.#remove(message);
      message.lane.hidden -= 1;
      this.#offer(message.lane);
    }
  }

  /** Changes how long messages stay hidden, from now. Outdated handles are ignored. */
  hide(handles: readonly string[], ms: number): void {
    for (const handle of handles) {
      const message = this.#inFlight.get(handle);
      if (message !== undefined) this.#hideUntil(message, this.#options.clock() + ms);
    }
    this.#show();
  }

  #defaultLimit(): number {
    return this.#options.fifo ? AWS.inFlight.fifo : AWS.inFlight.standard;
  }

  #isDuplicate({ group, deduplicationId }: OutgoingMessage): boolean {
    if (deduplicationId === undefined) return false;
    const key = `${group} ${deduplicationId}`;
    const now = this.#options.clock();
    if ((this.#windows.get(key) ?? 0) > now) return true;
    this.#windows.set(key, now + AWS.deduplicationMs);
    return false;
  }

  #store(sent: OutgoingMessage): void {
    const { createMessageId, clock, fifo } = this.#options;
    const lane = this.#laneOf(fifo ? (sent.group ?? '') : '');
    const place = this.#next;
    this.#next += 1;
    this.#alive.add(place);
    const now = clock();
    const message: Message = {
      ...{ sent, id: createMessageId(), sentAt: now, place, lane },
      ...{ receiveCount: 0, hiddenUntil: now },
    };
    lane.visible.push(message);
    this.#widen();
    this.#offer(lane);
  }

  #laneOf(name: string): Lane {
    const known = this.#lanes.get(name);
    if (known !== undefined) return known;
    const lane: Lane = {
      visible: new Heap<Message>(({ place }) => place),
      hidden: 0,
      isOffered: false,
    };
    this.#lanes.set(name, lane);
    return lane;
  }

  /** A group with messages in flight is not offered. */
  #offer(lane: Lane): void {
    if (lane.isOffered || lane.visible.first === undefined) return;
    if (this.#options.fifo && lane.hidden > 0) return;
    lane.isOffered = true;
    this.#offered.push(lane);
  }

  #nextLane(): Lane | undefined {
    const place = this.#offered.first?.visible.first?.place;
    if (place === undefined) return undefined;
    if (this.#options.fifo && place >= this.#windowEnd) {
      this.blocked.window += 1;
      return undefined;
    }
    const lane = this.#offered.pop();
    if (lane !== undefined) lane.isOffered = false;
    return lane;
  }

  #takeFrom(lane: Lane, most: number, received: ReceivedMessage[]): void {
    while (received.length < most) {
      const message = lane.visible.pop();
      if (message === undefined) break;
      if (message.receiveCount >= this.#options.maxReceiveCount) {
        this.deadLetters += 1;
        this.#remove(message);
        continue;
      }
      message.receiveCount += 1;
      lane.hidden += 1;
      this.#inFlight.set(handleOf(message), message);
      this.#hideUntil(message, this.#options.clock() + this.#options.visibilityMs);
      received.push(this.#received(message));
    }
    this.#offer(lane);
  }

  #received(message: Message): ReceivedMessage {
    const { id, sent, receiveCount, sentAt } = message;
    const { body, group, deduplicationId } = sent;
    return {
      ...{ messageId: id, receiptHandle: handleOf(message), body, receiveCount, sentAt },
      ...(group === undefined ? {} : { group }),
      ...(deduplicationId === undefined ? {} : { deduplicationId }),
      senderId: this.#options.senderId,
    };
  }

  #hideUntil(message: Message, end: number): void {
    message.hiddenUntil = end;
    this.#ends.push({ handle: handleOf(message), end });
  }

  /** The message that is hidden until then; undefined if it was deleted, or is hidden for another time. */
  #hiddenUntil({ handle, end }: End): Message | undefined {
    const message = this.#inFlight.get(handle);
    return message?.hiddenUntil === end ? message : undefined;
  }

  /** Makes messages visible whose time is over. */
  #show(): void {
    const now = this.#options.clock();
    for (let due = this.#ends.first; due !== undefined && due.end <= now; due = this.#ends.first) {
      this.#ends.pop();
      const message = this.#hiddenUntil(due);
      if (message === undefined) continue;
      this.#inFlight.delete(due.handle);
      message.lane.hidden -= 1;
      message.lane.visible.push(message);
      this.#offer(message.lane);
    }
  }

  #remove({ place }: Message): void {
    this.#alive.delete(place);
    if (place < this.#windowEnd) this.#inWindow -= 1;
    this.#widen();
  }

  /** Moves the end of the first messages on, past those that are gone. */
  #widen(): void {
    const most = this.#options.window ?? AWS.fifoWindow;
    for (; this.#windowEnd < this.#next && this.#inWindow < most; this.#windowEnd += 1)
      if (this.#alive.has(this.#windowEnd)) this.#inWindow += 1;
  }
}
