import { AppError } from '#shared/errors.ts';

/**
 * Events cannot be received by HTTP with these options. The message names the file or address, the problem and the
 * remedy.
 */
export class IntakeError extends AppError {
  override readonly name = 'IntakeError';
  readonly code = 'intake';
  readonly retryable = false;
}
