import { AppError } from '#shared/errors.ts';

/** Events cannot be received by HTTP as it was asked for. The message names the file or address, the fault and the remedy. */
export class IntakeError extends AppError {
  override readonly name = 'IntakeError';
  readonly code = 'intake';
  readonly retryable = false;
}
