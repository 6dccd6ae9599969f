// What is wrong with the value of an option of `starfold start`. What is wrong between options is in local/start/option-messages.ts.

/** The value of `--port` is not a port. `last` is the last port at which the demo fits. */
export function notAPort(last: number): string {
  return `Give a whole number from 1 to ${last}, or 0 for any free ports.`;
}

/** The value of `--speed` is not one. `max` is the highest. */
export function notASpeed(max: number): string {
  return `Give a number that is greater than 0 and at most ${max}, such as 20.`;
}

/** A user gives `--fleet` twice. */
export const ONE_FLEET = 'Give --fleet once: one stack follows one management cluster.';
