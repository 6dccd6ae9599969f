import type { RecordDeps } from '#functions/record-events/follow-ups.ts';
import { createRecordEvents } from '#functions/record-events/lambda.ts';
import { createSenderCheck } from '#functions/record-events/sender-check.ts';
import { localContext, sqsEvent } from '#local/stack/poller.ts';
import { parseSource } from '#shared/core/source-text.ts';
import { type DeadLetter, parseDeadLetter } from '#shared/messages/dead-letter.ts';
import type { ItemStore } from '#shared/ports/item-store.ts';
import { bodyBytes } from '#shared/state/body.ts';
import { RANGE } from '#shared/state/keys.ts';
import { decodeRow, type StoredRow } from '#shared/state/rows.ts';
import { registerSender } from '#shared/state/senders.ts';
import { createSpecStore } from '#shared/state/specs.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { createMemoryTelemetry, type MemoryTelemetry } from '#test/fakes/memory-telemetry.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { createObservedOutput } from '#test/unit/runtime/observed-output.ts';

/** When the receiver's clock begins: the hostile and the honest events are of this day. */
export const NOW_MS = Date.parse('2026-08-01T10:00:00Z');

/** What record-events has done with some messages. */
export interface Recording {
  /** Positions of the messages that shall come again. */
  readonly failed: readonly string[];
  readonly letters: readonly (DeadLetter | undefined)[];
  /** Items and bytes that were put. */
  readonly puts: number;
  readonly putBytes: number;
  /** Calls of the store. */
  readonly requests: number;
}

/** record-events on fakes, each WEC with a forwarder of its own: `AROA-<wec>`. */
export class RecordBench {
  readonly store: ItemStore = createMemoryItemStore();
  readonly dirty = new SentMessages();
  readonly telemetry: MemoryTelemetry = createMemoryTelemetry();
  /** The receiver's clock. */
  nowMs = NOW_MS;
  readonly #sources: readonly string[];
  readonly #limits: Pick<RecordDeps, 'objectsPerWec'>;
  #isRegistered = false;

  constructor(sources: readonly string[], limits: Pick<RecordDeps, 'objectsPerWec'> = {}) {
    this.#sources = sources;
    this.#limits = limits;
  }

  async #register(): Promise<void> {
    if (this.#isRegistered) return;
    this.#isRegistered = true;
    for (const name of this.#sources) {
      const source = parseSource(name);
      if (source === undefined) throw new RangeError(name);
      await registerSender(this.store, { source, principal: `AROA-${source.name}` });
    }
  }

  /** Has the function handle one batch of messages. */
  async run(
    messages: readonly { readonly sender: string; readonly body: string }[],
    deadLetters = new SentMessages(),
  ): Promise<Recording> {
    await this.#register();
    const counted = { puts: 0, putBytes: 0, requests: 0 };
    const store = this.#counting(counted);
    const clock = (): number => this.nowMs;
    const handler = createRecordEvents(
      {
        store,
        specs: createSpecStore(store),
        dirty: this.dirty,
        hints: new SentMessages(),
        deadLetters,
        senders: createSenderCheck({ store: this.store, clock, redrivers: [] }),
        telemetry: this.telemetry,
        clock,
        ...this.#limits,
      },
      createObservedOutput().observability,
    );
    const records = messages.map(({ sender, body }, index) => ({
      messageId: `m${index}`,
      receiptHandle: `r${index}`,
      body,
      senderId: `AROA-${sender}:session`,
      receiveCount: 1,
      sentAt: this.nowMs,
    }));
    const { batchItemFailures } = await handler(
      sqsEvent('events', records),
      localContext('record-events', 'r'),
    );
    return {
      failed: batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      letters: deadLetters.bodies.map(parseDeadLetter),
      ...counted,
    };
  }

  /** What WECs have said of an object; by default of all. */
  async rows(pk: string): Promise<readonly StoredRow[]> {
    const { items } = await this.store.query({ pk, from: RANGE.row, to: `${RANGE.row}~` });
    return items.map(decodeRow);
  }

  #counting(counted: { puts: number; putBytes: number; requests: number }): ItemStore {
    const { store } = this;
    return {
      get: (keys, signal) => {
        counted.requests += 1;
        return store.get(keys, signal);
      },
      query: (query, signal) => {
        counted.requests += 1;
        return store.query(query, signal);
      },
      put: (puts, signal) => {
        counted.requests += 1;
        counted.puts += puts.length;
        for (const { item } of puts) counted.putBytes += bodyBytes(item.body ?? '');
        return store.put(puts, signal);
      },
      delete: (deletes, signal) => {
        counted.requests += 1;
        return store.delete(deletes, signal);
      },
    };
  }
}
