import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runBatcher, type SentParcels } from '#functions/event-forwarder/batcher.ts';
import { type ObjectContent, SendBuffer } from '#functions/event-forwarder/send-buffer.ts';
import type { ForwarderEvent } from '#shared/core/event.ts';
import { decodeBatch, PLAIN_BODY_BYTES } from '#shared/events/codec.ts';
import { SentMessages } from '#test/fakes/sent-messages.ts';
import { VirtualTime } from '#test/fakes/virtual-time.ts';

const WINDOW_MS = 200;

function content(name: string, text: string, first = false): ObjectContent {
  return {
    type: 'wds-object',
    subject: { group: 'apps', resource: 'deployments', namespace: 'default', name },
    first,
    object: { text },
  };
}

/** What was sent, shortly: `web=1`, `web=1!` for a first event, `snapshot 3`, `heartbeat`. */
function brief({ content: said }: ForwarderEvent): string {
  if (said.type === 'snapshot') return `snapshot ${said.since.sequence}`;
  if (said.type !== 'wds-object') return said.type;
  const { text } = said.object ?? {};
  const shown = typeof text === 'string' && text.length > 20 ? text.length : String(text);
  return `${said.subject.name}=${shown}${said.first ? '!' : ''}`;
}

const source = { type: 'wds', name: 'wds1' } as const;

let time: VirtualTime;
let queue: SentMessages;
let sendBuffer: SendBuffer;
let refused: string[];
let errors: unknown[];
let sent: SentParcels[];
let leading: boolean;
let stopping: AbortController;
let ended: Promise<void>;

beforeEach(() => {
  time = new VirtualTime(Date.UTC(2026, 7, 1));
  queue = new SentMessages();
  sendBuffer = new SendBuffer({ epoch: 3, clock: time.clock });
  refused = [];
  errors = [];
  sent = [];
  leading = true;
  stopping = new AbortController();
  ended = runBatcher(
    {
      queue,
      group: 'wec/a',
      sleep: time.sleep,
      random: () => 0.5,
      windowMs: WINDOW_MS,
      clock: time.clock,
      isLeading: () => leading,
      onTooLarge: ({ key }) => refused.push(key),
      onFailure: (error) => errors.push(error),
      onSent: (one) => sent.push(one),
    },
    sendBuffer,
    stopping.signal,
  );
});

afterEach(async () => {
  stopping.abort();
  queue.release();
  await ended;
});

function put(key: string, said: ObjectContent, isNew = false): void {
  sendBuffer.putObject(source, { key, isNew }, said);
}

function batches(): string[][] {
  return queue.bodies.map((body) => decodeBatch(body).events.map(brief));
}

describe('sending', () => {
  it('gathers events for the window and sends them as one batch, in order', async () => {
    put('a', content('a', '1'));
    await time.advance(WINDOW_MS - 1);
    put('b', content('b', '1'));
    expect(batches()).toEqual([]);
    await time.advance(1);
    expect(batches()).toEqual([['a=1', 'b=1']]);
  });

  it('gives each event the epoch, a growing sequence and the time at which it was seen', async () => {
    put('a', content('a', '1'));
    await time.advance(50);
    sendBuffer.putHeartbeat(source);
    await time.advance(WINDOW_MS);
    expect(queue.events().map(({ version, time: seen }) => [version, seen])).toEqual([
      [{ epoch: 3, sequence: 1 }, '2026-08-01T00:00:00.000Z'],
      [{ epoch: 3, sequence: 2 }, '2026-08-01T00:00:00.050Z'],
    ]);
  });

  it('gathers while a send is under way', async () => {
    queue.mode = 'late';
    put('a', content('a', '1'));
    await time.advance(WINDOW_MS);
    put('b', content('b', '1'));
    put('c', content('c', '1'));
    await time.advance(10 * WINDOW_MS);
    expect(queue.sends).toHaveLength(1);
    queue.mode = 'accept';
    queue.release();
    await time.advance(WINDOW_MS);
    expect(batches()).toEqual([['a=1'], ['b=1', 'c=1']]);
  });

  it('splits what is more than 64 KiB into bodies of at most that size', async () => {
    for (const name of ['a', 'b', 'c']) put(name, content(name, name.repeat(30_000)));
    await time.advance(WINDOW_MS);
    expect(batches()).toEqual([['a=30000', 'b=30000'], ['c=30000']]);
    for (const body of queue.bodies) expect(body.length).toBeLessThanOrEqual(PLAIN_BODY_BYTES);
    expect(queue.sends).toEqual([2]);
  });

  it('sends a backlog of many bodies without waiting for the window in between', async () => {
    for (let n = 0; n < 25; n += 1) put(`o${n}`, content(`o${n}`, 'x'.repeat(60_000)));
    await time.advance(WINDOW_MS);
    expect(queue.sends.slice(0, 2)).toEqual([10, 10]);
    await time.advance(WINDOW_MS);
    expect(queue.events()).toHaveLength(25);
  });

  it.each(['lost', 'unknown'] as const)(
    'retries indefinitely when a send ends %s, and drops nothing',
    async (mode) => {
      queue.mode = mode;
      for (const name of ['a', 'b', 'c']) put(name, content(name, name.repeat(40_000)));
      await time.advance(60 * 60_000);
      expect(queue.sends.length).toBeGreaterThan(100);
      queue.mode = 'accept';
      await time.advance(60_000);
      const told = new Set(queue.events().map(brief));
      expect([...told]).toEqual(['a=40000', 'b=40000', 'c=40000']);
      expect(errors[0]).toBeInstanceOf(Error);
      const counts = sent.map(({ events, messages }) => [events.length, messages]);
      expect(counts).toEqual([[3, 3]]);
    },
  );
});

describe('of an object with several unsent events', () => {
  it('only the newest is sent, at the place of the first and with its `first`', async () => {
    put('a', content('a', '1', true));
    put('b', content('b', '1'));
    put('a', content('a', '2'));
    expect(sendBuffer.size).toBe(2);
    await time.advance(WINDOW_MS);
    expect(batches()).toEqual([['a=2!', 'b=1']]);
    expect(queue.events()[0]?.version.sequence).toBe(3);
  });

  it('one that is being sent is not the place for a newer one', async () => {
    queue.mode = 'late';
    put('a', content('a', '1', true));
    await time.advance(WINDOW_MS);
    put('a', content('a', '2'));
    queue.mode = 'accept';
    queue.release();
    await time.advance(WINDOW_MS);
    expect(batches()).toEqual([['a=1!'], ['a=2']]);
  });
});

describe('the end of a snapshot', () => {
  it('is sent after everything before it has been accepted', async () => {
    queue.mode = 'lost';
    put('a', content('a', '1', true));
    sendBuffer.putSnapshot(source, { epoch: 3, sequence: 0 });
    put('b', content('b', '1', true));
    await time.advance(60_000);
    expect(queue.sends.every((count) => count === 1)).toBe(true);
    queue.mode = 'accept';
    await time.advance(60_000);
    expect(batches()).toEqual([['a=1!'], ['snapshot 0', 'b=1!']]);
  });

  it('stays behind a newer event of an object that was to be sent before it', async () => {
    put('a', content('a', '1', true));
    sendBuffer.putSnapshot(source, { epoch: 3, sequence: 0 });
    put('a', content('a', '2'));
    await time.advance(2 * WINDOW_MS);
    expect(batches()).toEqual([['a=2!'], ['snapshot 0']]);
  });

  it('is replaced by that of a later snapshot, and moves behind its objects', async () => {
    sendBuffer.putSnapshot(source, { epoch: 3, sequence: 0 });
    put('a', content('a', '1', true));
    sendBuffer.putSnapshot(source, { epoch: 3, sequence: 1 });
    await time.advance(2 * WINDOW_MS);
    expect(batches()).toEqual([['a=1!'], ['snapshot 1']]);
  });
});

describe('an event that is too large for a message', () => {
  it('is reported and does not stop the others', async () => {
    // Random text: compression does not make it fit.
    const text = randomBytes(1_200_000).toString('base64');
    put('a', content('a', '1'));
    put('big', content('big', text));
    put('b', content('b', '1'));
    await time.advance(2 * WINDOW_MS);
    expect(refused).toEqual(['big']);
    expect(batches()).toEqual([['a=1'], ['b=1']]);
  });

  it('is also found when only the queue names it', async () => {
    queue.limit = 50_000;
    put('a', content('a', 'a'.repeat(45_000)));
    put('big', content('big', 'b'.repeat(60_000)));
    put('b', content('b', '1'));
    await time.advance(2 * WINDOW_MS);
    expect(refused).toEqual(['big']);
    expect(batches()).toEqual([['a=45000'], ['b=1']]);
  });
});

it('ends when it is stopped, also while it waits for the window or for the queue', async () => {
  queue.mode = 'lost';
  put('a', content('a', '1'));
  await time.advance(WINDOW_MS);
  stopping.abort();
  await ended;
  expect(queue.bodies).toEqual([]);
});
