import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type RedriveRoute, redriveDeadLetters } from '#functions/sweep-stale/redrive.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import type { RedrivableQueue } from '#shared/messages/redrive.ts';
import { encodeRedriven, parseRedriven } from '#shared/messages/redriven.ts';
import type {
  MessageQueue,
  OutgoingMessage,
  ReceivedMessage,
} from '#shared/ports/message-queue.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';

const SWEEP = 'AROASWEEP';
const RUNS = 6;
const VISIBILITY_MS = 30_000;

interface Dead {
  readonly message: OutgoingMessage;
  readonly senderId: string;
}

const number = fc.nat({ max: 1_000_000 });
const sender = fc.constantFrom('AROAONE:x', 'AROATWO:x', 'AIDA', `${SWEEP}:x`);

function batch(sequence: number): string {
  const source = { type: 'wec', name: 'wec1' } as const;
  const version = { epoch: 1, sequence };
  const time = '2026-01-01T00:00:00Z';
  return encodeBatch([encodeEvent({ source, version, time, content: { type: 'heartbeat' } })]);
}

const readableBatch = number.map(batch);
const letter = readableBatch.map(
  (body) => encodeDeadLetter({ code: 'unreadable', reasons: [], senderId: 'AIDA', body }) ?? '',
);
const eventsBody = fc.oneof(
  readableBatch,
  letter,
  number.map((salt) => `nonsense ${salt}`),
  fc
    .tuple(sender, fc.oneof(readableBatch, letter))
    .map(([senderId, body]) => encodeRedriven({ senderId, body }) ?? ''),
);
const events = fc.record({ message: eventsBody.map((body) => ({ body })), senderId: sender });

/** Few groups, so that one holds several messages. */
const work = (queue: 'dirty' | 'hints') =>
  fc.record({ salt: number, group: fc.nat({ max: 2 }), sound: fc.boolean() }).map((given): Dead => {
    const subject = { type: 'binding', wds: 'wds1', name: `b${given.group}` } as const;
    const { body, group } =
      queue === 'dirty'
        ? encodeDirty({ type: 'subject', subject, wecs: [`${given.salt}`] }, '')
        : encodeHint({ subject, objects: [{ namespace: '', name: `${given.salt}` }] }, '');
    const text = given.sound ? body : `${given.salt}${body}`;
    return { message: { body: text, ...(group === undefined ? {} : { group }) }, senderId: 'AROA' };
  });

const scenario = fc.constantFrom('events', 'dirty', 'hints').chain((name) =>
  fc.record({
    name: fc.constant(name),
    dead: fc.array<Dead>(name === 'events' ? events : work(name), { maxLength: 30 }),
    // Of the calls of the queues, in order, those that fail; and whether they have had their effect.
    failures: fc.array(fc.constantFrom(undefined, undefined, 'before', 'after'), {
      maxLength: 30,
    }),
  }),
);

/** Calls of a queue that fail as they are told to, without or with their effect. */
function failing(inner: MessageQueue, failures: readonly (string | undefined)[]): MessageQueue {
  const left = [...failures];
  const call = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const failure = left.shift();
    if (failure === 'before') throw new QueueUnavailableError('call');
    const result = await run();
    if (failure === 'after') throw new QueueUnavailableError('call');
    return result;
  };
  return {
    send: (messages) => call(() => inner.send(messages)),
    receive: ({ max }) => call(() => inner.receive({ max, waitSeconds: 0 })),
    delete: (handles) => call(() => inner.delete(handles)),
    changeVisibility: (handles, seconds) => call(() => inner.changeVisibility(handles, seconds)),
  };
}

/** A dead-letter queue, its queue, and their time. */
class Bench {
  now = 1_000_000;
  readonly deadLetters: MemoryMessageQueue;
  readonly source: MemoryMessageQueue;
  #ids = 0;

  constructor(fifo: boolean) {
    this.deadLetters = this.#queue(fifo);
    this.source = this.#queue(fifo);
  }

  #queue(fifo: boolean): MemoryMessageQueue {
    return createMemoryMessageQueue({
      fifo,
      visibilityTimeoutSeconds: VISIBILITY_MS / 1_000,
      maxReceiveCount: 1_000,
      clock: () => this.now,
      createMessageId: () => {
        this.#ids += 1;
        return `message-${this.#ids}`;
      },
      senderId: `${SWEEP}:sweep-stale`,
    });
  }

  async contents(of: MemoryMessageQueue): Promise<readonly ReceivedMessage[]> {
    this.now += VISIBILITY_MS;
    const messages: ReceivedMessage[] = [];
    for (;;) {
      const some = await of.receive({ max: 10, waitSeconds: 0 });
      if (some.length === 0) return messages;
      messages.push(...some);
      await of.delete(some.map(({ receiptHandle }) => receiptHandle));
    }
  }
}

/** A message by what has to be kept of it. Who sends the work of other functions does not matter. */
function named(
  name: RedrivableQueue,
  message: Pick<OutgoingMessage, 'body' | 'group'>,
  senderId: string,
): string {
  const principal = senderId.startsWith(SWEEP) ? SWEEP : senderId;
  return JSON.stringify([message.body, message.group, name === 'events' ? principal : '']);
}

/** What went back, as it was before. */
function before(name: RedrivableQueue, { body, group, senderId }: ReceivedMessage): string[] {
  const inner = parseRedriven(body);
  const same = named(name, { body, ...(group === undefined ? {} : { group }) }, senderId);
  return inner === undefined ? [same] : [same, named(name, { body: inner.body }, inner.senderId)];
}

it('whatever is redriven, and whichever calls fail: each message is in one of the queues, unchanged', async () => {
  let redriven = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ name, dead, failures }) => {
      const bench = new Bench(name !== 'events');
      for (const { message, senderId } of dead) bench.deadLetters.add(message, senderId);
      const deadLetters = failing(bench.deadLetters, failures);
      const queue = failing(bench.source, failures.toReversed());
      const routes: readonly RedriveRoute[] = [{ name, deadLetters, queue }];
      for (let run = 0; run < RUNS; run += 1) {
        await redriveDeadLetters({ routes, principal: SWEEP, clock: () => bench.now });
        bench.now += VISIBILITY_MS;
      }
      const back = await bench.contents(bench.source);
      const found = new Set([
        ...(await bench.contents(bench.deadLetters)).map((one) => named(name, one, one.senderId)),
        ...back.flatMap((one) => before(name, one)),
      ]);
      for (const { message, senderId } of dead)
        expect(found.has(named(name, message, senderId))).toBe(true);
      redriven += back.length;
    }),
  );
  // The property is about messages that went back.
  expect(redriven).toBeGreaterThan(100);
});
