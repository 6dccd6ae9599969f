import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openSqliteDatabase, type SqliteDatabase } from '#shared/adapters/sqlite/database.ts';
import {
  createSqliteMessageQueue,
  type SqliteMessageQueue,
} from '#shared/adapters/sqlite/message-queue.ts';
import type { OutgoingMessage, ReceivedMessage } from '#shared/ports/message-queue.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';
import { histories } from '#test/histories.ts';

const VISIBILITY_TIMEOUT_SECONDS = 30;
const MAX_RECEIVE_COUNT = 2;

/** The backlogs as the messages themselves say. */
const COUNTED = `(SELECT queue, tenant, count(*) AS messages, sum(octet_length(body)) AS bytes
  FROM messages GROUP BY queue, tenant)`;

/** The ready groups as the messages themselves say. */
function readyIn(fifo: boolean): string {
  const blocked = `SELECT 1 FROM messages AS hidden
    WHERE hidden.queue = messages.queue AND hidden.group_id = messages.group_id AND hidden_until > 0`;
  return `SELECT queue, group_id, tenant, min(sequence) AS first_sequence FROM messages
    WHERE hidden_until = 0 ${fifo ? `AND NOT EXISTS (${blocked})` : ''} GROUP BY queue, group_id, tenant`;
}

type Operation =
  | { readonly type: 'send'; readonly messages: readonly OutgoingMessage[] }
  | { readonly type: 'receive'; readonly max: number; readonly dead: boolean }
  /** Receipts are named by their place among those handed out so far, counted from the latest. */
  | { readonly type: 'delete'; readonly receipts: readonly number[] }
  | { readonly type: 'give back'; readonly receipts: readonly number[]; readonly seconds: number }
  | { readonly type: 'hide'; readonly receipts: readonly number[]; readonly seconds: number }
  | { readonly type: 'advance'; readonly ms: number }
  | { readonly type: 'restart' };

const receipts = fc.array(fc.oneof(fc.nat(3), fc.nat(15)), { minLength: 1, maxLength: 4 });

function operations(message: fc.Arbitrary<OutgoingMessage>): fc.Arbitrary<readonly Operation[]> {
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        type: fc.constant('send' as const),
        messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('receive' as const),
        max: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(10)),
        dead: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
      }),
    },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), receipts }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('give back' as const),
        receipts,
        seconds: fc.constantFrom(0, 0, 1, 30, 45),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant('hide' as const),
        receipts,
        seconds: fc.constantFrom(0, 0, 1, 30, 45),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        type: fc.constant('advance' as const),
        ms: fc.constantFrom(1, 1_000, 15_000, 29_999, 30_000, 299_999, 300_000),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
  );
  return fc.array(operation, { maxLength: 60, size: 'max' });
}

const standardMessage: fc.Arbitrary<OutgoingMessage> = fc.record(
  {
    body: fc.constantFrom('a', 'äb'),
    delaySeconds: fc.constantFrom(0, 1, 15, 900),
    group: fc.constantFrom('s', 't', 'u', 'v'),
  },
  { requiredKeys: ['body'] },
);
const fifoMessage: fc.Arbitrary<OutgoingMessage> = fc
  .tuple(
    fc.record({ body: fc.constantFrom('a', 'b'), group: fc.constantFrom('g', 'h', 'i') }),
    fc.record(
      { deduplicationId: fc.constantFrom('1', '2', '3'), tenant: fc.constantFrom('s', 't', 'u') },
      { requiredKeys: [] },
    ),
  )
  .map(([required, optional]) => ({ ...required, ...optional }));

function counter(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `message-${count}`;
  };
}

interface Receipt {
  readonly dead: boolean;
  readonly sqlite: string;
  readonly memory: string;
}

/** The same queue twice, with its dead-letter queue, under one clock that only an operation moves. */
class Pair {
  #now = 1_000_000;
  readonly #fifo: boolean;
  readonly #database: SqliteDatabase;
  readonly #createSqliteId = counter();
  readonly #memory: Readonly<Record<'live' | 'dead', MemoryMessageQueue>>;
  #sqlite: Readonly<Record<'live' | 'dead', SqliteMessageQueue>>;
  readonly #receipts: Receipt[] = [];

  constructor(database: SqliteDatabase, fifo: boolean) {
    this.#fifo = fifo;
    this.#database = database;
    const options = { ...this.#options(), createMessageId: counter() };
    const dead = createMemoryMessageQueue(options);
    this.#memory = { live: createMemoryMessageQueue({ ...options, deadLetterQueue: dead }), dead };
    this.#sqlite = this.#open();
  }

  async apply(step: Operation): Promise<void> {
    switch (step.type) {
      case 'send':
        await this.#sqlite.live.send(step.messages);
        await this.#memory.live.send(step.messages);
        break;
      case 'receive':
        await this.#receive(step.max, step.dead);
        break;
      case 'delete':
        await this.#forEachReceipt(step.receipts, (queue, handle) => queue.delete([handle]));
        break;
      case 'give back':
        await this.#forEachReceipt(step.receipts, (queue, handle) =>
          queue.giveBack([handle], step.seconds),
        );
        break;
      case 'hide':
        await this.#forEachReceipt(step.receipts, (queue, handle) =>
          queue.changeVisibility([handle], step.seconds),
        );
        break;
      case 'advance':
        this.#now += step.ms;
        break;
      case 'restart':
        this.#sqlite = this.#open();
        break;
    }
    for (const which of ['live', 'dead'] as const)
      expect(await this.#sqlite[which].counts()).toEqual(await this.#memory[which].counts());
    expect(this.#backlogs('backlogs WHERE messages > 0')).toEqual(this.#backlogs(COUNTED));
    this.#checkReady();
  }

  #checkReady(): void {
    const rows = (sql: string): readonly unknown[] => this.#database.prepare(sql).all();
    const ready = '(SELECT * FROM ready_groups)';
    const groups = (from: string) => rows(`SELECT * FROM ${from} ORDER BY queue, group_id, tenant`);
    expect(groups(ready)).toEqual(groups(`(${readyIn(this.#fifo)})`));
    const tenants = (from: string) =>
      rows(`SELECT DISTINCT queue, tenant FROM ${from} ORDER BY queue, tenant`);
    expect(tenants('turns WHERE ready = 1')).toEqual(tenants('ready_groups'));
  }

  /** What each queue holds of each tenant. */
  #backlogs(from: string): readonly unknown[] {
    const sql = `SELECT queue, tenant, messages, bytes FROM ${from} ORDER BY queue, tenant`;
    return this.#database.prepare(sql).all();
  }

  #options() {
    return {
      fifo: this.#fifo,
      visibilityTimeoutSeconds: VISIBILITY_TIMEOUT_SECONDS,
      maxReceiveCount: MAX_RECEIVE_COUNT,
      clock: (): number => this.#now,
    };
  }

  #open() {
    const options = { ...this.#options(), createMessageId: this.#createSqliteId };
    return {
      live: createSqliteMessageQueue(this.#database, {
        ...options,
        name: 'live',
        deadLetterQueue: 'dead',
      }),
      dead: createSqliteMessageQueue(this.#database, { ...options, name: 'dead' }),
    };
  }

  async #receive(max: number, dead: boolean): Promise<void> {
    const which = dead ? 'dead' : 'live';
    const sqlite = await this.#sqlite[which].receive({ max, waitSeconds: 0 });
    const memory = await this.#memory[which].receive({ max, waitSeconds: 0 });
    expect(sqlite.map(withoutHandle)).toStrictEqual(memory.map(withoutHandle));
    for (const [index, message] of sqlite.entries())
      this.#receipts.unshift({
        dead,
        sqlite: message.receiptHandle,
        memory: memory[index]?.receiptHandle ?? '',
      });
  }

  async #forEachReceipt(
    places: readonly number[],
    change: (queue: SqliteMessageQueue | MemoryMessageQueue, handle: string) => Promise<void>,
  ): Promise<void> {
    for (const place of places) {
      const receipt = this.#receipts[place];
      if (receipt === undefined) continue;
      const which = receipt.dead ? 'dead' : 'live';
      await change(this.#sqlite[which], receipt.sqlite);
      await change(this.#memory[which], receipt.memory);
    }
  }
}

function withoutHandle({ receiptHandle: _, ...message }: ReceivedMessage): unknown {
  return message;
}

describe.each([
  { kind: 'standard', message: standardMessage },
  { kind: 'FIFO', message: fifoMessage },
])('a $kind queue in SQLite', ({ kind, message }) => {
  it('answers every sequence of operations as the fake in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(operations(message), async (steps) => {
        const database = openSqliteDatabase(':memory:');
        try {
          const pair = new Pair(database, kind === 'FIFO');
          for (const step of steps) await pair.apply(step);
        } finally {
          database.close();
        }
      }),
      { numRuns: histories({ first: 25, all: 200 }) },
    );
  });
});
