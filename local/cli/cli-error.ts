/** The input is bad: exit code 1. The message names the place, the fault and what to do. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/** The command line is wrong, as far as the argument parser cannot tell: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
