import { beforeEach, describe, expect, it } from 'vitest';
import { guardedReceiver } from '#functions/send-notifications/guarded-receiver.ts';
import {
  PATIENCE_MS,
  unhurriedReceiver,
} from '#functions/send-notifications/unhurried-receiver.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';

const REFUSED = new ReceiverRefusedError('chat', 'it answers 400');
const DOWN = new ReceiverUnavailableError({ receiver: 'chat', fault: 'no answer within 10 s' });

/** The requests that have no answer, by the id of the event, with what answers them. */
let open: Map<string, (error?: Error) => void>;
/** The ids of all requests. */
let requests: string[];
/** Ends the waits of the invocations. */
let endPatience: (() => void)[];
let waits: number[];
let receiver: EventReceiver;

beforeEach(() => {
  open = new Map();
  requests = [];
  endPatience = [];
  waits = [];
  const slow: EventReceiver = {
    deliver({ id }: JsonObject) {
      requests.push(String(id));
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      open.set(String(id), (error) => (error === undefined ? resolve() : reject(error)));
      return promise;
    },
  };
  receiver = unhurriedReceiver(
    guardedReceiver(slow, () => 0),
    {
      name: 'chat',
      clock: () => 0,
      sleep(ms) {
        waits.push(ms);
        const { promise, resolve } = Promise.withResolvers<void>();
        endPatience.push(resolve);
        return promise;
      },
    },
  );
});

/** How an invocation fares that delivers an event. */
function outcome(id: string): Promise<unknown> {
  return receiver.deliver({ id }).then(
    () => 'accepted',
    (error: unknown) => error,
  );
}

/** The outcome of an invocation that gives up waiting. */
async function given(id: string): Promise<unknown> {
  const found = outcome(id);
  for (const end of endPatience.splice(0)) end();
  return found;
}

/** Everything that has an answer goes on. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const HELD = expect.objectContaining({ code: 'receiver-held', retryable: true, seconds: 1 });

describe('a receiver', () => {
  it('that answers at once is waited for', async () => {
    const found = outcome('a');
    open.get('a')?.();
    expect(await found).toBe('accepted');
    const refused = outcome('b');
    open.get('b')?.(REFUSED);
    expect(await refused).toBe(REFUSED);
    expect(waits).toEqual([PATIENCE_MS, PATIENCE_MS]);
  });

  it('that does not answer has one request, for which no invocation waits', async () => {
    expect(await given('a')).toEqual(HELD);
    expect(await Promise.all(['a', 'b', 'c', 'a'].map(outcome))).toEqual([HELD, HELD, HELD, HELD]);
    expect(requests).toEqual(['a']);
    expect(waits).toEqual([PATIENCE_MS]);
  });

  it('that answers late has accepted the event when it comes again', async () => {
    await given('a');
    open.get('a')?.();
    await settled();
    expect(await outcome('a')).toBe('accepted');
    expect(requests).toEqual(['a']);
    const next = outcome('b');
    open.get('b')?.();
    expect(await next).toBe('accepted');
  });

  it.each([REFUSED, DOWN])(
    'whose late answer is an error gives it to the event once: %s',
    async (error) => {
      await given('a');
      open.get('a')?.(error);
      await settled();
      expect(await outcome('a')).toBe(error);
      const again = outcome('a');
      await settled();
      open.get('a')?.();
      // After no answer, the guard of the receiver does not try it for a while.
      expect(await again).toEqual(
        error === DOWN
          ? expect.objectContaining({ code: 'receiver-held', seconds: 10 })
          : 'accepted',
      );
    },
  );

  it('that is slow gets the events that were begun together, and then one', async () => {
    const both = [outcome('a'), outcome('b')];
    expect(await given('c')).toEqual(HELD);
    expect(await Promise.all(both)).toEqual([HELD, HELD]);
    expect(requests).toEqual(['a', 'b', 'c']);
    for (const id of requests) open.get(id)?.();
    await settled();
    expect(await Promise.all(['a', 'b', 'c'].map(outcome))).toEqual(Array(3).fill('accepted'));
    expect(await given('d')).toEqual(HELD);
    expect(await outcome('e')).toEqual(HELD);
  });

  it('sends an event once that two messages have', async () => {
    const both = [outcome('a'), outcome('a')];
    open.get('a')?.();
    expect(await Promise.all(both)).toEqual(['accepted', 'accepted']);
    expect(requests).toEqual(['a']);
  });

  it('forgets the answers of events that do not come again', async () => {
    for (let index = 0; index < 101; index += 1) {
      await given(`x${index}`);
      open.get(`x${index}`)?.();
      await settled();
    }
    expect(await outcome('x100')).toBe('accepted');
    expect(await given('x0')).toEqual(HELD);
    expect(requests).toHaveLength(102);
  });
});

/** A receiver that hangs until it is mended, and events that come again when they are asked for, in a time of its own. */
class HangingWorld {
  nowMs = 0;
  /** How often an event has come. */
  visits = 0;
  readonly accepted: { readonly id: string; readonly atMs: number }[] = [];
  /** The events by the time at which they come, in milliseconds, in the order of the queue. */
  readonly #coming = new Map<number, string[]>();
  #isMended = false;
  #answer: (() => void) | undefined;
  readonly #receiver = unhurriedReceiver(
    {
      deliver: async ({ id }) => {
        if (!this.#isMended) await new Promise<void>((resolve) => (this.#answer = resolve));
        this.accepted.push({ id: String(id), atMs: this.nowMs });
      },
    },
    {
      name: 'chat',
      clock: () => this.nowMs,
      // Patience ends at once if the receiver hangs, and never if it answers.
      sleep: () => (this.#isMended ? new Promise(() => undefined) : Promise.resolve()),
    },
  );

  constructor(count: number) {
    this.#coming.set(
      0,
      Array.from({ length: count }, (_one, index) => `e${index}`),
    );
  }

  /** Lets the time pass, a millisecond for each event that comes. */
  async pass(seconds: number): Promise<void> {
    const end = this.nowMs + seconds * 1_000;
    for (let next = this.#next(); next !== undefined && next[0] <= end; next = this.#next())
      await this.#visit(...next);
    this.nowMs = end;
  }

  async mend(): Promise<void> {
    this.#isMended = true;
    this.#answer?.();
    await settled();
  }

  #next(): readonly [number, string] | undefined {
    const atMs = Math.min(...this.#coming.keys());
    const ids = this.#coming.get(atMs);
    const id = ids?.shift();
    if (id === undefined) return undefined;
    if (ids?.length === 0) this.#coming.delete(atMs);
    return [atMs, id];
  }

  async #visit(atMs: number, id: string): Promise<void> {
    this.nowMs = Math.max(this.nowMs + 1, atMs);
    this.visits += 1;
    const error: unknown = await this.#receiver.deliver({ id }).catch((found: unknown) => found);
    if (error === undefined) return;
    const again = this.nowMs + Number(Object(error).seconds) * 1_000;
    this.#coming.set(again, [...(this.#coming.get(again) ?? []), id]);
  }
}

describe('a receiver that does not answer', () => {
  it('is asked by few events each second', async () => {
    const world = new HangingWorld(5);
    await world.pass(60);
    expect(world.visits).toBeGreaterThanOrEqual(5 * 55);
  });

  it.each([1_000, 3_000])('is asked a hundred times a second by %i events', async (count) => {
    const world = new HangingWorld(count);
    await world.pass(60);
    const [first, open, others] = [count, 60, 60 * 100];
    expect(world.visits).toBeLessThanOrEqual(first + open + others);
    expect(world.accepted).toEqual([]);
  });

  it('gets each event once after it answers, without a long gap', async () => {
    const world = new HangingWorld(3_000);
    await world.pass(60);
    const mendedMs = world.nowMs;
    await world.mend();
    await world.pass(40);
    expect(new Set(world.accepted.map(({ id }) => id)).size).toBe(3_000);
    expect(world.accepted).toHaveLength(3_000);
    const times = [mendedMs, ...world.accepted.map(({ atMs }) => atMs)];
    const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
    // Events come on the second, one after the other.
    expect(Math.max(...gaps)).toBeLessThan(1_500);
  });

  it('is asked again by any event after ten minutes at most', async () => {
    await given('a');
    for (let index = 0; index < 60_000; index += 1) await outcome('b');
    expect(await outcome('b')).toMatchObject({ seconds: 600 });
    expect(await outcome('b')).toMatchObject({ seconds: 600 });
    expect(await outcome('a')).toEqual(HELD);
  });
});
