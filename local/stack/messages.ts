import { internalError } from '#shared/adapters/http/messages.ts';

// Why a thread of the stack has ended, and what its callers are told.

/** A thread that has not loaded its modules in time. */
export const NOT_STARTED = 'its thread did not start';

/** A thread that has ended itself. */
export const HAS_ENDED = 'its thread has ended';

/** A thread with a job that takes all of its heap. */
export function tooMuchMemory(megabytes: number): string {
  return `it took more than ${megabytes} MB of memory`;
}

/** A thread with a job that does not end. */
export function tooLong(seconds: number): string {
  return `it took longer than ${seconds} seconds`;
}

/** A thread whose job has lost its client. */
export const CLIENT_GONE = 'its client has gone';

/** A thread that has nothing to do. */
export const NOT_NEEDED = 'nobody needs it';

/** All threads, at the end. */
export const STACK_STOPS = 'the stack stops';

/** An aggregation whose thread has ended. `reason` is one of those above. */
export function aggregationEnded(reason: string): string {
  return `aggregation was ended: ${reason}; its messages are retried, one after the other`;
}

/** An error in the place of an answer of the API. */
export const INTERNAL_ERROR = internalError('starfold');
