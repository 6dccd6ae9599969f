/** The input is invalid: exit code 1. The message names the place, the problem and the remedy. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The command line is wrong in a way that the argument parser cannot detect: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
