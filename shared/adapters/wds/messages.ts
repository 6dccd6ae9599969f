// Why a request to a WDS, or to another cluster with a stored kubeconfig, has failed. An error names the cluster before.

/** What the API server has said. */
interface Refusal {
  readonly operation: string;
  readonly reason: string;
}

/** `title` is the type of the cluster: `WDS`. */
export function unknownCredentials(title: string, { operation, reason }: Refusal): string {
  return `the ${title} does not know these credentials (${operation}: ${reason}): put a valid token or client certificate there; it is read again automatically`;
}

/** The API server has not answered an earlier request, for this `reason`. */
export function notSent(reason: string): string {
  return `no request was sent, because it did not answer a moment ago: ${reason}`;
}

/** `reason` is that of the API server. */
export function notPermitted(reason: string): string {
  return `${reason}: allow it to the user of the kubeconfig`;
}
