import { TagQueueCommand } from '@aws-sdk/client-sqs';
import { beforeEach, describe, expect, it } from 'vitest';
import { allowActions } from '#shared/adapters/sqs/messages.ts';
import { STATE_TAG, withReceiverState } from '#shared/adapters/sqs/receiver-state.ts';
import { QueueUnavailableError } from '#shared/errors.ts';
import type { MessageSender } from '#shared/ports/message-queue.ts';
import { serveQueues, type TriedQueue } from './served-queue.ts';

const MINUTE_MS = 60_000;
const LOOK_MS = 5 * MINUTE_MS;
const queues = serveQueues();

let tried: TriedQueue;
let sender: MessageSender;
let errors: string[];
let nowMs: number;

function sending(inner: MessageSender = tried.queue): MessageSender {
  return withReceiverState(inner, {
    client: queues.client(),
    queueUrl: tried.queueUrl,
    monotonic: () => nowMs,
    onError: ({ message }) => errors.push(message),
    timeoutMs: MINUTE_MS,
  });
}

beforeEach(async () => {
  tried = await queues.make('standard');
  errors = [];
  nowMs = 0;
  sender = sending();
});

async function tag(state: string): Promise<void> {
  const Tags = { [STATE_TAG]: state, team: 'platform' };
  await queues.client().send(new TagQueueCommand({ QueueUrl: tried.queueUrl, Tags }));
}

/** Sends a message when the tag is read again. Returns the state. */
async function state(): Promise<string | undefined> {
  nowMs += LOOK_MS;
  await sender.send([{ body: 'an event' }]);
  return sender.receiverState?.();
}

function looks(): number {
  return queues.server().calls.filter(({ operation }) => operation === 'ListQueueTags').length;
}

describe('the state of the receiver of a queue', () => {
  it('changes when the queue names another table twice in five minutes', async () => {
    await tag('table-1');
    const first = await state();
    expect(await state()).toBe(first);
    await tag('table-2');
    // The functions may not use it yet.
    expect(await state()).toBe(first);
    const second = await state();
    expect(second).not.toBe(first);
    expect(await state()).toBe(second);
    await tag('table-1');
    await state();
    expect([first, second]).not.toContain(await state());
  });

  it('does not change if a deployment that is rolled back has named another table', async () => {
    await tag('table-1');
    const first = await state();
    for (const table of ['table-2', 'table-1', 'table-2', 'table-1', 'table-1']) {
      await tag(table);
      expect(await state()).toBe(first);
    }
  });

  it('does not change when a deployment adds the tag, or while it is missing', async () => {
    const before = await state();
    await tag('table-1');
    expect(await state()).toBe(before);
    expect(await state()).toBe(before);
    expect(errors).toEqual([]);
  });

  it('is asked for every five minutes, however much is sent', async () => {
    await tag('table-1');
    await state();
    for (let sent = 0; sent < 20; sent += 1) {
      nowMs += MINUTE_MS / 10;
      await sender.send([{ body: 'an event' }]);
    }
    expect(looks()).toBe(1);
    await state();
    expect(looks()).toBe(2);
  });

  it('stays what it is while it cannot be read, which is reported once with the remedy', async () => {
    await tag('table-1');
    const first = await state();
    queues.server().fault = ({ operation }) =>
      operation === 'ListQueueTags'
        ? { type: 'refusal', code: 'AccessDenied', status: 403 }
        : undefined;
    for (let times = 0; times < 3; times += 1) expect(await state()).toBe(first);
    expect(errors).toEqual([
      expect.stringMatching(
        new RegExp(
          `ListQueueTags on \\S+: AccessDenied.*; ${allowActions(['sqs:ListQueueTags'])}$`,
        ),
      ),
    ]);
    queues.server().fault = () => undefined;
    expect(await state()).toBe(first);
    queues.server().fault = () => ({ type: 'lost-answer' });
    nowMs += LOOK_MS;
    await expect(sender.send([{ body: 'an event' }])).rejects.toThrow(QueueUnavailableError);
    expect(errors).toHaveLength(1);
  });

  it('is not asked for if nothing could be sent', async () => {
    sender = sending({ send: () => Promise.reject(new QueueUnavailableError('down')) });
    await expect(sender.send([{ body: 'an event' }])).rejects.toThrow('down');
    expect(looks()).toBe(0);
  });

  it('keeps no forwarder from ending', async () => {
    const ending = new AbortController();
    queues.server().fault = ({ operation }) => {
      if (operation !== 'ListQueueTags') return undefined;
      ending.abort();
      return { type: 'no-answer' };
    };
    await sender.send([{ body: 'an event' }], ending.signal);
    expect(looks()).toBe(1);
    expect(errors).toEqual([]);
  });

  it('that does not answer in time, is reported, and the messages are sent', async () => {
    queues.server().fault = ({ operation }) =>
      operation === 'ListQueueTags' ? { type: 'no-answer' } : undefined;
    const hurried = withReceiverState(tried.queue, {
      client: queues.client(),
      queueUrl: tried.queueUrl,
      monotonic: () => nowMs,
      onError: ({ message }) => errors.push(message),
      timeoutMs: 1,
    });
    await hurried.send([{ body: 'an event' }]);
    expect(errors).toEqual([expect.stringContaining('ListQueueTags')]);
  });
});
