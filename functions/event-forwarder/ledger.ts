import { createHash } from 'node:crypto';
import type { EventSource, EventVersion } from '#shared/core/event.ts';
import { type JsonValue, stringifyJson } from '#shared/core/json.ts';
import type { ObjectContent, Outbox } from './outbox.ts';

/** An object's event without `first`, which the ledger knows. */
export type Statement = ObjectContent extends infer Content
  ? Content extends ObjectContent
    ? Omit<Content, 'first'>
    : never
  : never;

/** How an object's statement is taken. */
export interface Standing {
  /** What must differ from the last time for it to be said again. */
  readonly compared: JsonValue;
  /** It is said again in any case: what was said before may have been overtaken unseen. */
  readonly again: boolean;
}

function digestOf(value: JsonValue): string {
  return createHash('sha256').update(stringifyJson(value)).digest('base64');
}

/**
 * What stands in a source, and what has been said of it: a digest for each object, so memory grows with the number of
 * objects and not with their size. It says only what is new.
 */
export class Ledger {
  /** The cluster that it speaks for. */
  readonly source: EventSource;
  readonly #outbox: Outbox;
  readonly #said = new Map<string, string>();

  constructor(outbox: Outbox, source: EventSource) {
    this.#outbox = outbox;
    this.source = source;
  }

  /** Objects that stand. */
  get size(): number {
    return this.#said.size;
  }

  /** An object stands like this. */
  stand(key: string, statement: Statement, { compared, again }: Standing): void {
    const digest = digestOf(compared);
    const known = this.#said.get(key);
    if (known === digest && !again) return;
    this.#said.set(key, digest);
    const isNew = known === undefined;
    this.#outbox.putObject(this.source, { key, isNew }, { ...statement, first: isNew || again });
  }

  /** An object stands no longer; `statement` says so. */
  fall(key: string, statement: Statement): void {
    if (this.#said.delete(key))
      this.#outbox.putObject(this.source, { key, isNew: false }, { ...statement, first: false });
  }

  /** Says that everything that stands has been said since then: what is older is gone. */
  complete(since: EventVersion): void {
    this.#outbox.putSnapshot(this.source, since);
  }
}
