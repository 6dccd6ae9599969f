import type { JsonObject } from '#shared/core/json.ts';
import { ReceiverUnavailableError } from '#shared/errors.ts';
import type { EventReceiver } from '#shared/ports/event-receiver.ts';
import { ReceiverHeldError } from './guarded-receiver.ts';

/** How long an invocation waits for a receiver, in milliseconds. */
export const PATIENCE_MS = 1_000;
/** When an event is asked for again that was not answered, or not tried, in seconds. */
const AGAIN_SECONDS = 1;
/** The answers that are kept until their events come again. An event whose answer is forgotten is sent again. */
const MAX_ANSWERS = 100;

/** What an unhurried receiver needs. */
export interface UnhurriedOptions {
  /** The name of the receiver in errors. */
  readonly name: string;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
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
 * back, the request goes on, and the event gets the answer when it comes again. Until then, no other event is sent. So a receiver
 * that does not answer has one request, and no invocation waits for it, however many such receivers there are.
 */
export function unhurriedReceiver(
  receiver: EventReceiver,
  { name, sleep }: UnhurriedOptions,
): EventReceiver {
  const open = new Map<string, Request>();
  /** The answers of slow requests, which no invocation has got yet. */
  const answers = new Map<string, Answer>();
  const held = (): ReceiverHeldError => {
    const fault = `no answer within ${PATIENCE_MS / 1_000} s`;
    return new ReceiverHeldError(
      new ReceiverUnavailableError({ receiver: name, fault }),
      AGAIN_SECONDS,
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
  const awaited = async (request: Request): Promise<Answer> => {
    const answered = new AbortController();
    const late = sleep(PATIENCE_MS, answered.signal).then(() => undefined);
    try {
      const found = await Promise.race([request.answer, late]);
      if (found !== undefined) return found;
      request.isSlow = true;
      throw held();
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
    if ([...open.values()].some(({ isSlow }) => isSlow)) throw held();
    return awaited(open.get(id) ?? begin(id, event));
  };
  return {
    async deliver(event) {
      const { error } = await answerTo(event);
      answers.delete(String(event['id']));
      if (error !== undefined) throw error;
    },
  };
}
