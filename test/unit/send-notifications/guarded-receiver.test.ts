import { beforeEach, describe, expect, it } from 'vitest';
import { guardedReceiver, HOLD_MS } from '#functions/send-notifications/guarded-receiver.ts';
import { ReceiverRefusedError, ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';

const DOWN = new ReceiverUnavailableError({ receiver: 'chat', fault: 'it answers 503' });
const REFUSED = new ReceiverRefusedError('chat', 'it answers 400');
const GONE = new ReceiverRefusedError('chat', 'it answers 410', true);

let now: number;
/** What each event gets, in order; after that they are accepted. */
let answers: (Error | undefined)[];
let tried: number;
let receiver: EventReceiver;

beforeEach(() => {
  now = 0;
  answers = [];
  tried = 0;
  receiver = guardedReceiver(
    {
      async deliver() {
        tried += 1;
        const answer = answers.shift();
        if (answer !== undefined) throw answer;
      },
    },
    () => now,
  );
});

/** How a number of events fare, one after the other. */
async function outcomes(count: number): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (let one = 0; one < count; one += 1)
    found.push(
      await receiver.deliver({}).then(
        () => 'accepted',
        (error: unknown) => error,
      ),
    );
  return found;
}

describe('a receiver', () => {
  it('that accepts events gets each of them', async () => {
    expect(await outcomes(3)).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it('that is down is tried again after a time, with one event', async () => {
    answers = [DOWN, DOWN];
    expect(await outcomes(3)).toEqual([DOWN, DOWN, DOWN]);
    expect(tried).toBe(1);
    now += HOLD_MS;
    expect(await outcomes(2)).toEqual([DOWN, DOWN]);
    expect(tried).toBe(2);
    now += HOLD_MS;
    expect(await outcomes(2)).toEqual(['accepted', 'accepted']);
  });

  it('that is down gets no second event while the first is tried', async () => {
    answers = [DOWN];
    await outcomes(1);
    now += HOLD_MS;
    const both = await Promise.allSettled([receiver.deliver({}), receiver.deliver({})]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(tried).toBe(2);
  });

  it('that refuses one event gets the others', async () => {
    answers = [DOWN, REFUSED];
    await outcomes(1);
    now += HOLD_MS;
    expect(await outcomes(2)).toEqual([REFUSED, 'accepted']);
  });

  it('that is gone gets nothing more', async () => {
    answers = [GONE];
    expect(await outcomes(2)).toEqual([GONE, GONE]);
    expect(tried).toBe(1);
  });
});
