import { createHash } from 'node:crypto';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { ObjectContent, SendBuffer } from './send-buffer.ts';

/** An object's event without `first`, which {@link SentDigests} adds. */
export type Statement = ObjectContent extends infer Content
  ? Content extends ObjectContent
    ? Omit<Content, 'first'>
    : never
  : never;

/** How an object's statement is compared with the last one. */
export interface Comparison {
  /** The statement is only sent if the digest of this value differs from the last one. */
  readonly compared: JsonValue;
  /** Whether the statement is sent in any case, because an unseen change may have followed the last one. */
  readonly again: boolean;
}

function digestOf(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value)).digest('base64');
}

/**
 * The objects of a source. Keeps a digest of the last statement about each object instead of the statement, and puts a
 * statement in the send buffer only if the digest has changed.
 */
export class SentDigests {
  /** The cluster of the objects. */
  readonly source: EventSource;
  readonly #sendBuffer: SendBuffer;
  readonly #digests = new Map<string, string>();

  constructor(sendBuffer: SendBuffer, source: EventSource) {
    this.#sendBuffer = sendBuffer;
    this.source = source;
  }

  /** The number of objects that exist. */
  get size(): number {
    return this.#digests.size;
  }

  /** Puts the statement about an object that exists in the send buffer, if it is new. */
  upsert(key: string, statement: Statement, { compared, again }: Comparison): void {
    const digest = digestOf(compared);
    const previous = this.#digests.get(key);
    if (previous === digest && !again) return;
    this.#digests.set(key, digest);
    const isNew = previous === undefined;
    this.#sendBuffer.putObject(
      this.source,
      { key, isNew },
      { ...statement, first: isNew || again },
    );
  }

  /** Puts the statement that an object was deleted in the send buffer, if the object was known. */
  remove(key: string, statement: Statement): void {
    if (this.#digests.delete(key))
      this.#sendBuffer.putObject(
        this.source,
        { key, isNew: false },
        { ...statement, first: false },
      );
  }

  /** Ends a snapshot: all existing objects were put at or after version `since`, so objects last put before it were deleted. */
  complete(since: EventVersion): void {
    this.#sendBuffer.putSnapshot(this.source, since);
  }
}
