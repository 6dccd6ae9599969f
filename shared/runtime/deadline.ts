import type { Context } from 'aws-lambda';
import { AppError } from '#shared/errors.ts';

/**
 * Work was not done when the function had to answer. It may continue, just as the work of a killed function may have taken
 * effect.
 */
export class DeadlineError extends AppError {
  override readonly name = 'DeadlineError';
  readonly code = 'deadline';
  readonly retryable = true;
  constructor() {
    super('not done before the function must answer; it will be retried');
  }
}

/** Reserved at the end of an invocation for the answer, and for a quick retry of failed messages. */
const ANSWER_MS = 5_000;

/**
 * Waits for work, but no longer than an invocation may last. If a function does not answer in time, Lambda ends it. Then its
 * whole batch counts as failed, and waits for the visibility timeout of the queue.
 *
 * @returns whether the work is done. Throws the error of the work.
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
