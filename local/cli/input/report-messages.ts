// What is wrong with what files say of WECs and of Clusters of Fleet. What may be so is said by messages.ts.

/** A WorkStatus, by a field of its `spec.sourceRef`. */
export function invalidSource(field: string): string {
  return `spec.sourceRef.${field} is missing or not a string: name the workload object of this status`;
}

/** `wdses` are those that the labels of WorkStatuses name. */
export function severalOrigins(wdses: readonly string[]): string {
  return `the WorkStatuses come from several WDSes (${wdses.join(', ')}), and all are used: choose one with --wds`;
}

/** A Cluster of Fleet. An empty cluster must be given explicitly. */
export function emptyCluster(cluster: string): string {
  return `--wec ${cluster}: there is no object in it: leave it out if nothing is known about the cluster; an empty List means that it has none`;
}
