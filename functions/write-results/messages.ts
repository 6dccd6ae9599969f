// The sentences about writing to a WDS or upstream: in `status.errors` of Bindings and StatusCollectors, and in logs.

/** `what` is an object or a part of it; `reason` is the API server's. */
export function rejected(what: string, reason: string): string {
  return `${what}: the API server rejects it: ${reason}`;
}

/** A `.status` is rejected as a whole, although perhaps one WEC alone gives what is wrong with it. */
export function statusRejected(reason: string): string {
  return `${rejected('status', reason)}; starfold explain shows which WECs give each field`;
}

/** In the log, with the reason of the API server. */
export const REJECTED = 'rejected by the API server';

/** Writes of a slow `cluster` wait for each other. */
export function slowCluster(cluster: string, seconds: number): string {
  return `${cluster}: it takes longer than ${seconds} s to write one subject, so others wait, and are tried one at a time: check whether its API server is slow or overloaded`;
}
