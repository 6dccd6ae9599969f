import { createHash } from 'node:crypto';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { ObjectContent, Outbox } from './outbox.ts';

/** An object's event without `first`, which {@link SentDigests} adds. */
export type Statement = ObjectContent extends infer Content
  ? Content extends ObjectContent
    ? Omit<Content, 'first'>
    : never
  : never;

/** How an object's statement is compared with the last one. */
export interface Standing {
  /** The statement is only sent if the digest of this value differs from the last one. */
  readonly compared: JsonValue;
  /** Whether the statement is sent in any case, because an unseen change may have followed the last one. */
  readonly again: boolean;
}

function digestOf(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value)).digest('base64');
}

/**
 * The objects of a source, with a digest of the last statement about each. So memory grows with the number of objects and
 * not with their size. Only new statements are sent.
 */
export class SentDigests {
  /** The cluster of the objects. */
  readonly source: EventSource;
  readonly #outbox: Outbox;
  readonly #said = new Map<string, string>();

  constructor(outbox: Outbox, source: EventSource) {
    this.#outbox = outbox;
    this.source = source;
  }

  /** The number of objects that exist. */
  get size(): number {
    return this.#said.size;
  }

  /** Sends the statement about an object that exists, if it is new. */
  upsert(key: string, statement: Statement, { compared, again }: Standing): void {
    const digest = digestOf(compared);
    const known = this.#said.get(key);
    if (known === digest && !again) return;
    this.#said.set(key, digest);
    const isNew = known === undefined;
    this.#outbox.putObject(this.source, { key, isNew }, { ...statement, first: isNew || again });
  }

  /** Sends the statement that an object was deleted, if the object was known. */
  remove(key: string, statement: Statement): void {
    if (this.#said.delete(key))
      this.#outbox.putObject(this.source, { key, isNew: false }, { ...statement, first: false });
  }

  /** Sends that every object that exists was sent since a version: everything older was deleted. */
  complete(since: EventVersion): void {
    this.#outbox.putSnapshot(this.source, since);
  }
}
