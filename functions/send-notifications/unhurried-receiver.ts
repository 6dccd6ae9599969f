import type { JsonObject } from '#shared/core/json.ts';
import { ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import { ReceiverHeldError } from './guarded-receiver.ts';
import { noAnswer } from './messages.ts';

/** How long an invocation waits for a receiver, in milliseconds. */
export const PATIENCE_MS = 1_000;
/** When an event whose request is open is asked for again, in seconds. No other event comes again earlier. */
const AGAIN_SECONDS = 1;
/** How many of the events that were not tried come again in a second, if many wait. */
const RETURNS_PER_SECOND = 100;
/** The longest time after which an event comes again, in seconds. */
const LONGEST_SECONDS = 600;
/** The answers that are kept until their events come again. An event whose answer is forgotten is sent again. */
const MAX_ANSWERS = 100;

/** What an unhurried receiver needs. */
export interface UnhurriedOptions {
  /** The name of the receiver in errors. */
  readonly name: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/**
 * When the next event that was not tried comes again, in seconds: each a little later than the one before. So events that wait cost
 * the same however many they are, and when the receiver answers again, the next one is there at once.
 */
function createReturns(clock: () => number): () => number {
  let last = 0;
  return () => {
    const now = clock();
    const next = Math.max(now + AGAIN_SECONDS * 1_000, last + 1_000 / RETURNS_PER_SECOND);
    last = Math.min(next, now + LONGEST_SECONDS * 1_000);
    return Math.round((last - now) / 1_000);
  };
}

/** The answer of a receiver: undefined if it has accepted the event. */
interface Answer {
  readonly error: unknown;
}

/** A request that has no answer yet. */
interface Request {
  readonly answer: Promise<Answer>;
  /** Whether an invocation has stopped waiting for it. */
  isSlow: boolean;
}

/**
 * A receiver for a process that goes on after an invocation. An invocation waits a second for an answer. Then it gives the event
 * back, the request goes on, and the event gets the answer when it comes again, a second later. Until there is an answer, no other
 * event is sent. So a receiver that does not answer has one request, and no invocation waits for it, however many such receivers
 * there are. The other events come again after a time that grows with their number.
 */
export function unhurriedReceiver(
  receiver: EventReceiver,
  { name, sleep, clock }: UnhurriedOptions,
): EventReceiver {
  const open = new Map<string, Request>();
  /** The answers of slow requests, which no invocation has got yet. */
  const answers = new Map<string, Answer>();
  const nextReturn = createReturns(clock);
  const held = (id: string): ReceiverHeldError => {
    const fault = noAnswer(PATIENCE_MS / 1_000);
    return new ReceiverHeldError(
      new ReceiverUnavailableError({ receiver: name, fault }),
      open.has(id) ? AGAIN_SECONDS : nextReturn(),
    );
  };
  const begin = (id: string, event: JsonObject): Request => {
    const answer = receiver.deliver(event).then(
      (): Answer => ({ error: undefined }),
      (error: unknown): Answer => ({ error }),
    );
    const request: Request = { answer, isSlow: false };
    open.set(id, request);
    void answer.then((found) => {
      open.delete(id);
      if (request.isSlow) keep(id, found);
    });
    return request;
  };
  const keep = (id: string, answer: Answer): void => {
    answers.set(id, answer);
    for (const oldest of answers.keys()) {
      if (answers.size <= MAX_ANSWERS) break;
      answers.delete(oldest);
    }
  };
  /** The answer to a request. @throws ReceiverHeldError if it does not come in time */
  const awaited = async (id: string, request: Request): Promise<Answer> => {
    const answered = new AbortController();
    const late = sleep(PATIENCE_MS, answered.signal).then(() => undefined);
    try {
      const found = await Promise.race([request.answer, late]);
      if (found !== undefined) return found;
      request.isSlow = true;
      throw held(id);
    } finally {
      answered.abort();
    }
  };
  /** The answer that is there, or that comes in time. */
  const answerTo = async (event: JsonObject): Promise<Answer> => {
    const id = String(event['id']);
    const known = answers.get(id);
    if (known !== undefined) return known;
    // No invocation waits a second time.
    if ([...open.values()].some(({ isSlow }) => isSlow)) throw held(id);
    return awaited(id, open.get(id) ?? begin(id, event));
  };
  return {
    async deliver(event) {
      const { error } = await answerTo(event);
      answers.delete(String(event['id']));
      if (error !== undefined) throw error;
    },
  };
}
