import type { Context } from 'aws-lambda';
import { AppError } from '#shared/errors.ts';

/** Work was not done when the function had to answer. It may go on, as that of a function that was killed may have. */
export class DeadlineError extends AppError {
  override readonly name = 'DeadlineError';
  readonly code = 'deadline';
  readonly retryable = true;
  constructor() {
    super('not done before the function has to answer; it will be tried again');
  }
}

/** Kept back from the time of an invocation, to answer in and to have failed messages tried again soon. */
const ANSWER_MS = 5_000;

/**
 * Waits for work, but no longer than an invocation may last. Lambda ends a function that does not answer in time: then its
 * whole batch counts as failed, and waits for the visibility timeout of the queue.
 *
 * @returns whether the work is done. Throws what it throws.
 */
export async function isDoneInTime(work: Promise<unknown>, context: Context): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const leftMs = Math.max(context.getRemainingTimeInMillis() - ANSWER_MS, 0);
  const timer = setTimeout(resolve, leftMs, false);
  timer.unref();
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
