// What is said of the rollout of the demo, and what its check has found.

/** Lines for a user, after the rollout. */
export const AFTERWARDS = [
  'The rollout is over; everything stays up. Break something and see it repaired:',
  '  kubectl delete combinedstatuses.control.kubestellar.io -A --all',
  '  kubectl -n rollout edit deployment web --subresource=status',
];

/** The demo goes on. */
export const ROLLOUT_DONE = 'the rollout is done; everything stays up until SIGINT or SIGTERM';

/** What is applied in the WDS. */
export function applied(image: string, replicas: string): string {
  return `${image} × ${replicas}`;
}

/** How far the rollout is, in seconds. */
export function progress(seconds: number, total: number): string {
  return `${seconds} s of ${total} s`;
}

/** The same at the end. */
export const PROGRESS_DONE = 'rollout done';

/** What is applied, and how far the rollout is. */
export function appliedProgress(what: string, time: string): string {
  return `${what}   ${time}`;
}

/** The demo has succeeded. */
export function asExpected(wds: string): string {
  return `${wds} has the expected content after the rollout`;
}

/** The demo has failed. The differences follow. */
export function notAsExpected(wds: string): string {
  return `${wds} does not have the expected content after the rollout:`;
}

/** An object in a cluster. */
export function changeNotShown(cluster: string, object: string): string {
  return `${cluster} ${object}: its last change was not shown`;
}

/** Messages in the queues. */
export function stillWaiting(messages: number): string {
  return messages === 1 ? '1 message is still waiting' : `${messages} messages are still waiting`;
}

/** The status, a label or a CombinedStatus, with its content as JSON. */
export function differs(what: string, is: string, expected: string): string {
  return `${what}: the WDS has ${is}, expected is ${expected}`;
}

/** A recording in which nobody has written to the WDS. */
export const NO_WORKLOAD = 'the recording has no workload object';

/** The workload object of the recording. */
export function workloadMissing(workload: string): string {
  return `${workload} is missing`;
}

/** The spec of the workload object, as JSON. */
export function specDiffers(is: string, applied: string): string {
  return `spec: the WDS has ${is}, applied was ${applied}`;
}

/** The workload object has been written more or less often than in the recording. */
export function generationDiffers(generation: string, versions: number): string {
  return `metadata.generation: the WDS has ${generation} after ${versions} versions`;
}
