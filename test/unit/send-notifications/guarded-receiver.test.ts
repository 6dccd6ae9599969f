import { beforeEach, describe, expect, it } from 'vitest';
import {
  guardedReceiver,
  HOLD_MS,
  ReceiverHeldError,
} from '#functions/send-notifications/guarded-receiver.ts';
import {
  ReceiverFailedError,
  ReceiverRefusedError,
  ReceiverUnavailableError,
} from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';

const DOWN = new ReceiverUnavailableError({ receiver: 'chat', fault: 'ECONNREFUSED' });
const FAILED = new ReceiverFailedError('chat', 'it answers 500');
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

/** The error of an event that is not tried. */
function held(seconds: number): unknown {
  return expect.objectContaining({ code: 'receiver-held', retryable: true, seconds });
}

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
    expect(await outcomes(3)).toEqual([DOWN, held(10), held(10)]);
    expect(tried).toBe(1);
    now += HOLD_MS;
    expect(await outcomes(2)).toEqual([DOWN, held(10)]);
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

  it('that stays down is tried after longer and longer times', async () => {
    answers = Array.from({ length: 9 }, () => DOWN);
    const waits: unknown[] = [];
    for (let round = 0; round < 9; round += 1) {
      const [, second] = await outcomes(2);
      const seconds = second instanceof ReceiverHeldError ? second.seconds : Number.NaN;
      waits.push(seconds);
      now += seconds * 1_000 - 1;
      expect(await outcomes(1)).toEqual([held(1)]);
      now += 1;
    }
    expect(waits).toEqual([10, 10, 10, 10, 16, 32, 60, 60, 60]);
    expect(tried).toBe(9);
  });

  it.each([
    [30, 30],
    [100_000, 600],
  ])('that asks for a pause of %i s gets nothing for %i s', async (retryAfterSeconds, seconds) => {
    answers = [
      new ReceiverUnavailableError({
        receiver: 'chat',
        fault: 'it answers 503',
        retryAfterSeconds,
      }),
    ];
    await outcomes(1);
    now += 1;
    expect(await outcomes(1)).toEqual([held(seconds)]);
    now += seconds * 1_000 - 2;
    expect(await outcomes(1)).toEqual([held(1)]);
    now += 1;
    expect(await outcomes(1)).toEqual(['accepted']);
  });

  it('that answers 500 to an event gets the others at once', async () => {
    answers = [FAILED, FAILED];
    expect(await outcomes(4)).toEqual([FAILED, FAILED, 'accepted', 'accepted']);
  });

  it.each([REFUSED, FAILED])('that answers again gets all events: %s', async (answer) => {
    answers = [DOWN, answer];
    await outcomes(1);
    now += HOLD_MS;
    expect(await outcomes(2)).toEqual([answer, 'accepted']);
  });

  it('that is gone gets nothing more', async () => {
    answers = [GONE];
    expect(await outcomes(2)).toEqual([GONE, GONE]);
    expect(tried).toBe(1);
  });
});
