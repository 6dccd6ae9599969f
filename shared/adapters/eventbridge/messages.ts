// Why EventBridge does not accept an event. An error names the receiver before.

/** An entry that failed. `message` is `''` if there is none. */
export function failedEntry(code: string, message: string): string {
  return `EventBridge answers ${code}${message === '' ? '' : ` (${message})`}`;
}

/** An answer without the entry that was sent. */
export const NO_ENTRY = 'no entry';

/** A request that failed as a whole. */
export function failedRequest(message: string): string {
  return `EventBridge: ${message}`;
}

/** Like {@link failedRequest}, with the remedy. `bus` is the ARN of the event bus. */
export function refusedRequest(message: string, bus: string, actions: readonly string[]): string {
  return `${failedRequest(message)}: check that ${bus} exists and that the role may use it (${actions.join(', ')})`;
}

export function largeEvent(bytes: number, max: number): string {
  return `the event has ${bytes} bytes, and EventBridge takes ${max}`;
}
