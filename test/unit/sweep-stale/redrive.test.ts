import { beforeEach, describe, expect, it } from 'vitest';
import {
  type RedriveOutcome,
  type RedriveRoute,
  redriveDeadLetters,
} from '#functions/sweep-stale/redrive.ts';
import type { Subject } from '#shared/core/subject.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import { encodeBatch, encodeEvent } from '#shared/events/codec.ts';
import { encodeDeadLetter } from '#shared/messages/dead-letter.ts';
import { encodeDirty, encodeHint } from '#shared/messages/dirty.ts';
import { parseRedriven } from '#shared/messages/redriven.ts';
import type { MessageQueue, ReceivedMessage } from '#shared/ports/message-queue.ts';
import {
  createMemoryMessageQueue,
  type MemoryMessageQueue,
} from '#test/fakes/memory-message-queue.ts';

const FORWARDER = 'AROAFORWARDER:session';
const VISIBILITY_MS = 360_000;

let now: number;
let ids: number;
let queues: Record<'events' | 'dirty' | 'hints', MemoryMessageQueue>;
let deadLetters: Record<'events' | 'dirty' | 'hints', MemoryMessageQueue>;

function queue(fifo: boolean): MemoryMessageQueue {
  return createMemoryMessageQueue({
    fifo,
    visibilityTimeoutSeconds: VISIBILITY_MS / 1_000,
    maxReceiveCount: 1_000,
    clock: () => now,
    createMessageId: () => {
      ids += 1;
      return `message-${ids}`;
    },
    senderId: 'AROASWEEP:sweep-stale',
  });
}

beforeEach(() => {
  now = 1_000_000;
  ids = 0;
  queues = { events: queue(false), dirty: queue(true), hints: queue(true) };
  deadLetters = { events: queue(false), dirty: queue(true), hints: queue(true) };
});

/** Of a queue whose receives do not wait: the clock here stands still. */
function waitless(inner: MessageQueue): MessageQueue {
  return { ...inner, receive: ({ max }) => inner.receive({ max, waitSeconds: 0 }) };
}

function run(over: Partial<RedriveRoute> = {}): Promise<readonly RedriveOutcome[]> {
  const names = ['events', 'dirty', 'hints'] as const;
  const routes = names.map((name): RedriveRoute => {
    const route = { name, queue: queues[name], deadLetters: waitless(deadLetters[name]) };
    return over.name === name ? { ...route, ...over } : route;
  });
  return redriveDeadLetters({ routes, principal: 'AROASWEEP', clock: () => now });
}

async function contents(of: MemoryMessageQueue): Promise<readonly ReceivedMessage[]> {
  const messages: ReceivedMessage[] = [];
  for (;;) {
    const some = await of.receive({ max: 10, waitSeconds: 0 });
    if (some.length === 0) return messages;
    messages.push(...some);
    await of.delete(some.map(({ receiptHandle }) => receiptHandle));
  }
}

function batch(wec: string): string {
  const source = { type: 'wec', name: wec } as const;
  const version = { epoch: 1, sequence: 1 };
  const time = '2026-01-01T00:00:00Z';
  return encodeBatch([encodeEvent({ source, version, time, content: { type: 'heartbeat' } })]);
}

function binding(name: string): Subject {
  return { type: 'binding', wds: 'wds1', name };
}

const LETTER =
  encodeDeadLetter({ code: 'unreadable', reasons: [], senderId: FORWARDER, body: '[' }) ?? '';

describe('dead letters', () => {
  it('that can be handled go back to their queue, events in the name of their sender', async () => {
    deadLetters.events.add({ body: batch('wec1') }, FORWARDER);
    const dirty = encodeDirty({ type: 'subject', subject: binding('b1') }, 'cause');
    const hint = encodeHint({ subject: binding('b1'), objects: [] }, 'cause');
    deadLetters.dirty.add(dirty, 'AROARECORD:x');
    deadLetters.hints.add(hint, 'AROAAGGREGATE:x');
    expect(await run()).toEqual([
      { queue: 'events', redriven: 1, stayed: {} },
      { queue: 'dirty', redriven: 1, stayed: {} },
      { queue: 'hints', redriven: 1, stayed: {} },
    ]);
    const [event] = await contents(queues.events);
    expect(parseRedriven(event?.body ?? '')).toEqual({ senderId: FORWARDER, body: batch('wec1') });
    expect(await contents(queues.dirty)).toMatchObject([{ body: dirty.body, group: dirty.group }]);
    expect(await contents(queues.hints)).toMatchObject([{ body: hint.body, group: hint.group }]);
    now += VISIBILITY_MS;
    for (const name of ['events', 'dirty', 'hints'] as const)
      expect(await contents(deadLetters[name])).toEqual([]);
  });

  it('go back though the same was sent less than five minutes ago', async () => {
    const dirty = encodeDirty({ type: 'subject', subject: binding('b1') }, 'cause');
    await queues.dirty.send([dirty]);
    deadLetters.dirty.add(dirty, 'AROARECORD:x');
    await run();
    expect(await contents(queues.dirty)).toHaveLength(2);
  });

  it('of one group go back in their order, however many there are', async () => {
    const bodies: string[] = [];
    for (let index = 0; index < 35; index += 1) {
      const message = encodeDirty(
        { type: 'subject', subject: binding('b1'), wecs: [`wec${index}`] },
        `${index}`,
      );
      bodies.push(message.body);
      deadLetters.dirty.add(message, 'AROARECORD:x');
    }
    expect((await run())[1]).toEqual({ queue: 'dirty', redriven: 35, stayed: {} });
    expect((await contents(queues.dirty)).map(({ body }) => body)).toEqual(bodies);
  });

  it('that nothing helps stay, are counted once, and can be checked afterwards', async () => {
    for (let index = 0; index < 12; index += 1) deadLetters.events.add({ body: LETTER }, 'AROA:x');
    deadLetters.events.add({ body: 'nonsense' }, FORWARDER);
    deadLetters.events.add({ body: batch('wec1') }, FORWARDER);
    const [events] = await run();
    expect(events).toEqual({
      queue: 'events',
      redriven: 1,
      stayed: { letter: 12, unreadable: 1 },
    });
    expect(await deadLetters.events.counts()).toEqual({ visible: 13, inFlight: 0, delayed: 0 });
  });

  it('that stay are counted once, even if they become visible again during the run', async () => {
    deadLetters.events.add({ body: LETTER }, 'AROA:x');
    const slow: MessageQueue = {
      ...deadLetters.events,
      receive: async ({ max }) => {
        const messages = await deadLetters.events.receive({ max, waitSeconds: 0 });
        await deadLetters.events.changeVisibility(
          messages.map(({ receiptHandle }) => receiptHandle),
          0,
        );
        return messages;
      },
    };
    const [events] = await run({ name: 'events', deadLetters: slow });
    expect(events).toEqual({ queue: 'events', redriven: 0, stayed: { letter: 1 } });
  });

  it('wait for the next run when the time of this one is over', async () => {
    for (let index = 0; index < 25; index += 1)
      deadLetters.events.add({ body: batch(`wec${index}`) }, FORWARDER);
    const slow: MessageQueue = {
      ...deadLetters.events,
      receive: async ({ max }) => {
        now += 150_000;
        return deadLetters.events.receive({ max, waitSeconds: 0 });
      },
    };
    expect((await run({ name: 'events', deadLetters: slow }))[0]).toMatchObject({ redriven: 20 });
    expect((await run())[0]).toMatchObject({ redriven: 5 });
  });

  it('are at most some thousands in a run', async () => {
    const endless: MessageQueue = {
      ...deadLetters.events,
      receive: async () => {
        for (let index = 0; index < 10; index += 1)
          deadLetters.events.add({ body: '[]' }, FORWARDER);
        return deadLetters.events.receive({ max: 10, waitSeconds: 0 });
      },
    };
    const [events] = await run({ name: 'events', deadLetters: endless });
    expect(events).toMatchObject({ redriven: 10_000 });
  });
});

describe('what goes wrong', () => {
  it('with one queue is reported, and does not affect the others', async () => {
    deadLetters.dirty.add(encodeDirty({ type: 'subject', subject: binding('b') }, 'c'), 'AROA:x');
    const receive = () => Promise.reject(new QueueUnavailableError('receive'));
    const [events, dirty] = await run({
      name: 'events',
      deadLetters: { ...deadLetters.events, receive },
    });
    expect(events?.error).toBeInstanceOf(QueueUnavailableError);
    expect(dirty).toEqual({ queue: 'dirty', redriven: 1, stayed: {} });
  });

  it('between sending and deleting has a message twice, and never not at all', async () => {
    deadLetters.events.add({ body: batch('wec1') }, FORWARDER);
    const inner = waitless(deadLetters.events);
    const failing = { ...inner, delete: () => Promise.reject(new QueueUnavailableError('delete')) };
    const [events] = await run({ name: 'events', deadLetters: failing });
    expect(events).toMatchObject({ redriven: 0, error: expect.any(QueueUnavailableError) });
    now += VISIBILITY_MS;
    expect((await run())[0]).toMatchObject({ redriven: 1 });
    expect(await contents(queues.events)).toHaveLength(2);
  });
});
