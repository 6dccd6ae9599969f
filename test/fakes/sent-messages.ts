import type { EventVersion, ForwarderEvent } from '#shared/core/event.ts';
import { MessageTooLargeError, QueueUnavailableError } from '#shared/errors.ts';
import { decodeBody } from '#shared/events/codec.ts';
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
   * {@link SentMessages.release} is called.
   */
  mode: 'accept' | 'lost' | 'unknown' | 'late' = 'accept';
  /** The largest body that is accepted, in characters. */
  limit = Number.POSITIVE_INFINITY;
  #waiting: (() => void)[] = [];

  /** Accepts what `late` holds back. */
  release(): void {
    for (const accept of this.#waiting.splice(0)) accept();
  }

  async send(messages: readonly OutgoingMessage[]): Promise<void> {
    this.sends.push(messages.length);
    const large = messages.find(({ body }) => body.length > this.limit);
    if (large !== undefined) throw new MessageTooLargeError(undefined, large.body.length);
    const { mode } = this;
    if (mode === 'late') await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const kept = {
      accept: messages.length,
      late: messages.length,
      lost: 0,
      unknown: messages.length >> 1,
    };
    this.bodies.push(...messages.slice(0, kept[mode]).map(({ body }) => body));
    if (mode === 'lost' || mode === 'unknown') throw new QueueUnavailableError('send');
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

  /** The events of all accepted bodies, in order. */
  events(): readonly ForwarderEvent[] {
    return this.bodies.flatMap((body) => decodeBody(body).events);
  }
}

function isNewer(a: EventVersion, b: EventVersion): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.sequence > b.sequence);
}

interface Known {
  readonly version: EventVersion;
  readonly content: unknown;
}

function hear(known: Map<string, Known>, { version, content }: ForwarderEvent): void {
  if (content.type !== 'wec-object' && content.type !== 'wds-object') return;
  const { group, resource, namespace, name } = content.subject;
  const key = `${group}/${resource}/${namespace}/${name}`;
  const before = known.get(key);
  const value = content.type === 'wec-object' ? content.returned : content.object;
  if (before === undefined || isNewer(version, before.version))
    known.set(key, { version, content: value });
}

/**
 * What somebody knows who heard these events in this order: of each object the newest, without what is older than a
 * snapshot. By `<group>/<resource>/<namespace>/<name>`.
 */
export function heard(events: readonly ForwarderEvent[]): ReadonlyMap<string, unknown> {
  const known = new Map<string, Known>();
  let floor: EventVersion = { epoch: 0, sequence: 0 };
  for (const event of events) {
    const { content } = event;
    if (content.type === 'snapshot' && isNewer(content.since, floor)) floor = content.since;
    hear(known, event);
  }
  const standing = [...known].filter(
    ([, { version, content }]) => content !== undefined && !isNewer(floor, version),
  );
  return new Map(standing.map(([key, { content }]) => [key, content]));
}
