import type { EventVersion, ForwarderEvent } from '#shared/core/event.ts';
import { MessageTooLargeError, QueueUnavailableError } from '#shared/errors.ts';
import { decodeBatch } from '#shared/events/codec.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';

/** The sending side of a queue: keeps what it accepts, and fails as a test says. */
export class SentMessages implements MessageQueue {
  /** Bodies that were accepted, in order. */
  readonly bodies: string[] = [];
  /** Calls of `send`, the refused ones too: how many messages each had. */
  readonly sends: number[] = [];
  /**
   * How sends end: `lost` throws and keeps nothing, `unknown` keeps the first half and throws, `late` accepts when
   * {@link SentMessages.release} is called; who no longer waits for it hears of a failure, and it is accepted all the same.
   */
  mode: 'accept' | 'lost' | 'unknown' | 'late' = 'accept';
  /** The largest body that is accepted, in characters. */
  limit = Number.POSITIVE_INFINITY;
  /** What the receiver's state is called in its answers; `undefined`: they do not say. */
  state: string | undefined;
  #waiting: (() => void)[] = [];

  /** Accepts what `late` holds back. */
  release(): void {
    for (const accept of this.#waiting.splice(0)) accept();
  }

  async send(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<void> {
    this.sends.push(messages.length);
    const large = messages.find(({ body }) => body.length > this.limit);
    if (large !== undefined) throw new MessageTooLargeError(undefined, large.body.length);
    const { mode } = this;
    if (mode === 'late') return this.#hold(messages, signal);
    const kept = { accept: messages.length, lost: 0, unknown: messages.length >> 1 };
    this.bodies.push(...messages.slice(0, kept[mode]).map(({ body }) => body));
    if (mode === 'lost' || mode === 'unknown') throw new QueueUnavailableError('send');
  }

  receiverState(): string | undefined {
    return this.state;
  }

  async receive(): Promise<readonly ReceivedMessage[]> {
    return [];
  }

  async delete(): Promise<void> {
    return undefined;
  }

  async changeVisibility(): Promise<void> {
    return undefined;
  }

  #hold(messages: readonly OutgoingMessage[], signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        this.bodies.push(...messages.map(({ body }) => body));
        resolve();
      });
      signal?.addEventListener('abort', () => reject(new QueueUnavailableError('send')));
    });
  }

  /** The events of all accepted bodies, in order. */
  events(): readonly ForwarderEvent[] {
    return this.bodies.flatMap((body) => decodeBatch(body).events);
  }
}

function isNewer(a: EventVersion, b: EventVersion): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.sequence > b.sequence);
}

interface Known {
  readonly version: EventVersion;
  readonly content: unknown;
}

/** `<type>/<source>`. */
function sourceKey({ source }: ForwarderEvent): string {
  return `${source.type}/${source.name}`;
}

function hear(known: Map<string, Known>, event: ForwarderEvent): void {
  const { version, content } = event;
  if (content.type !== 'wec-object' && content.type !== 'wds-object') return;
  const { group, resource, namespace, name } = content.subject;
  const wds = content.type === 'wec-object' ? `${content.wds} ` : '';
  const key = `${sourceKey(event)} ${wds}${group}/${resource}/${namespace}/${name}`;
  const before = known.get(key);
  const value = content.type === 'wec-object' ? content.returned : content.object;
  if (before === undefined || isNewer(version, before.version))
    known.set(key, { version, content: value });
}

/**
 * What somebody knows who heard these events in this order: of each object of a source the newest, without what is older
 * than a snapshot of that source. By `<type>/<source> <group>/<resource>/<namespace>/<name>`, and for an object of a WEC
 * with its WDS in between: `wec/<source> <wds> <group>/...`.
 */
export function heard(events: readonly ForwarderEvent[]): ReadonlyMap<string, unknown> {
  const known = new Map<string, Known>();
  const floors = new Map<string, EventVersion>();
  for (const event of events) {
    const { content } = event;
    const floor = floors.get(sourceKey(event));
    if (content.type === 'snapshot' && (floor === undefined || isNewer(content.since, floor)))
      floors.set(sourceKey(event), content.since);
    hear(known, event);
  }
  const standing = [...known].filter(([key, { version, content }]) => {
    const floor = floors.get(key.slice(0, key.indexOf(' ')));
    return content !== undefined && (floor === undefined || !isNewer(floor, version));
  });
  return new Map(standing.map(([key, { content }]) => [key, content]));
}
