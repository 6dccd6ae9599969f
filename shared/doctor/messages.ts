// The sentences about the mark of a cluster, which names the installation that writes it. `cluster` is the name of the cluster in
// messages: `WDS wds1`.

/** An installation whose mark has no identity. */
export const NO_IDENTITY = 'an installation without a name';

/** A mark that another process deletes. */
export const MARK_DELETED = 'it is deleted again and again';

/** `holder` is the other installation, and `command` is that with which this one takes over. */
export function writtenByAnother(cluster: string, holder: string, command: string): string {
  return `${cluster} is written by another installation of Starfold: ${holder}. This one writes nothing there: end one of the two, or take over with ${command}`;
}

/** Follows a command for a user whose contexts are not known. */
export const WITH_CONTEXT = 'and with --context for the context of this cluster in your kubeconfig';

/** The mark of a cluster: a Lease. */
interface MarkLease {
  readonly namespace: string;
  readonly name: string;
}

/** Without the mark, nothing is written to the cluster. */
export function markNotCreated(
  cluster: string,
  { namespace, name }: MarkLease,
  reason: string,
): string {
  return `${cluster}: the Lease ${namespace}/${name}, which names its writer, cannot be created: ${reason}: create the namespace ${namespace}, and have the API server serve leases.coordination.k8s.io/v1 there`;
}
