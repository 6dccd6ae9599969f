import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { HandledMessages } from '#local/stack/handled-messages.ts';
import type { PolledQueue } from '#local/stack/trials.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { createMemoryMessageQueue } from '#test/fakes/memory-message-queue.ts';

const ALL = { max: 10, waitSeconds: 0 };
const [ONE, OTHER] = ['wec/one', 'wec/other'];

describe('a sender that waits until its messages are handled', () => {
  let polled: PolledQueue;
  let sender: MessageSender;
  /** The waits so far, in milliseconds. */
  let waits: number[];
  /** Ends the wait that lasts. */
  let passTime: () => void;

  beforeEach(() => {
    waits = [];
    const queue = createMemoryMessageQueue({
      ...{ fifo: false, visibilityTimeoutSeconds: 30, maxReceiveCount: 3 },
      clock: () => 1_700_000_000_000,
      createMessageId: randomUUID,
    });
    const handled = new HandledMessages((ms, signal) => {
      waits.push(ms);
      const { promise, resolve } = Promise.withResolvers<void>();
      passTime = resolve;
      signal.addEventListener('abort', () => resolve());
      return promise;
    });
    polled = handled.received(queue);
    sender = handled.sent(queue);
  });

  async function send(groups: readonly string[], signal?: AbortSignal): Promise<void> {
    const messages = groups.map((group) => ({ body: group, group }));
    await sender.send(messages, signal);
  }

  /** Whether it has ended after everything that can happen now. */
  async function hasEnded(sending: Promise<void>): Promise<boolean> {
    let ended = false;
    void sending.then(() => {
      ended = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    return ended;
  }

  async function handle(max = 10): Promise<void> {
    const messages = await polled.receive({ ...ALL, max });
    await polled.delete(messages.map(({ receiptHandle }) => receiptHandle));
  }

  it('goes on when the receiver has deleted all of them', async () => {
    const sending = send([ONE, ONE]);
    expect(await hasEnded(sending)).toBe(false);
    await handle(1);
    expect(await hasEnded(sending)).toBe(false);
    await handle(1);
    expect(await hasEnded(sending)).toBe(true);
  });

  it('does not wait for those of others', async () => {
    const [sending, others] = [send([ONE]), send([OTHER])];
    await hasEnded(others);
    await handle(1);
    expect(await hasEnded(sending)).toBe(true);
    expect(await hasEnded(others)).toBe(false);
    await handle();
    expect(await hasEnded(others)).toBe(true);
  });

  it('goes on after a moment if nobody handles them, or if they fail', async () => {
    const sending = send([ONE]);
    await hasEnded(sending);
    const [message] = await polled.receive(ALL);
    await polled.changeVisibility([message?.receiptHandle ?? ''], 20);
    expect(await hasEnded(sending)).toBe(false);
    passTime();
    expect(await hasEnded(sending)).toBe(true);
    expect(waits).toEqual([5_000]);
  });

  it('goes on when it is stopped', async () => {
    const stopping = new AbortController();
    const sending = send([ONE], stopping.signal);
    expect(await hasEnded(sending)).toBe(false);
    stopping.abort();
    expect(await hasEnded(sending)).toBe(true);
  });

  it('learns at once that the queue has not accepted them', async () => {
    await expect(send(['not a group'])).rejects.toThrow(RangeError);
    expect(waits).toEqual([]);
  });
});
