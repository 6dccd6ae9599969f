import {
  AppError,
  InvalidContinuationError,
  QueryEndedError,
  ReportsTooLargeError,
} from '#shared/errors.ts';
import { INTERNAL_ERROR } from './messages.ts';
import { badRequest, queryEnded, StatusError, tooLarge, unavailable } from './status-error.ts';

/** Turns an error into the answer that the client gets. */
export type Failure = (error: unknown) => StatusError;

/** The answer to what the request itself has caused. Undefined for other errors. */
function ownFailure(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (error instanceof InvalidContinuationError) return badRequest(error.message);
  if (error instanceof ReportsTooLargeError) return tooLarge(error.message);
  if (error instanceof QueryEndedError) return queryEnded(error.message, error.isLate);
  return undefined;
}

/**
 * Makes a {@link Failure}. What may end by itself is a 503, so that clients retry. What nobody has expected is a 500 without
 * details, which are reported.
 *
 * @param onError called with errors that the client did not cause
 */
export function createFailure(onError: (error: unknown) => void): Failure {
  return (error) => {
    const own = ownFailure(error);
    if (own !== undefined) return own;
    onError(error);
    if (error instanceof AppError && error.retryable) return unavailable(error.message, error);
    const answer = { code: 500, reason: 'InternalError' };
    return new StatusError(answer, INTERNAL_ERROR, { cause: error });
  };
}
