// The faults of places in Secrets Manager and Parameter Store, and of what is stored there, with their remedies. An error names the
// place before. `thing` is a secret or a parameter.

/** The faults of a place. They follow the name of its cluster, and precede {@link WRITE_PLACE}. */
export const PLACE_FAULTS = {
  notAString: 'its place is not a string',
  noService: 'its place begins with neither secretsmanager: nor ssm:',
  notAnObject: 'allow is not an object',
  noName: (service: string): string => `${service}: is not followed by such a name or ARN`,
  allowance: (name: string): string =>
    `allow.${name} allows nothing: the allowances are plainHttp, unverifiedTls, loopback, linkLocal (true), and proxy (its URL)`,
} as const;

/** The remedy for {@link PLACE_FAULTS}. */
const WRITE_PLACE =
  'write secretsmanager:<ARN or name of the secret> or ssm:<name of the SecureString parameter>';

/** `fault` is one of {@link PLACE_FAULTS}. */
export function invalidPlace(fault: string): string {
  return `${fault}: ${WRITE_PLACE}`;
}

/** Like {@link invalidPlace}. `title` is the type of the cluster: `WDS`. */
export function invalidPlaceOf(title: string, cluster: string, fault: string): string {
  return `${title} ${cluster}: ${invalidPlace(fault)}`;
}

/** `title` is the type of the clusters. */
export function noPlaces(title: string): string {
  return `it is not a JSON object: give the place of each kubeconfig by name of the ${title}, as {"wds1": "ssm:/starfold/wds1"}`;
}

/** `title` is the type of the cluster. */
export function emptyName(title: string): string {
  return `a ${title} has an empty name: give it the name of its registration`;
}

const RETRIED = 'the request is retried';

export const NO_REGION = 'no region is known: set AWS_REGION, or name the place by its ARN';

/** `reason` is the system's. */
export function noAddress(service: string, reason: string): string {
  return `there is no address for ${service} (${reason}): check the region, and in a VPC the DNS of its endpoint`;
}

/** Like {@link noAddress}. */
export function notAnswered(service: string, reason: string): string {
  return `${service} did not answer (${reason}): a function in a VPC needs a NAT gateway or a VPC endpoint for it; ${RETRIED}`;
}

/** `reason` is that of AWS. */
export function nothingThere(thing: string, reason: string): string {
  return `there is no such ${thing} in this region: make it, or correct the place or region (${reason})`;
}

export function markedForDeletion(thing: string): string {
  return `the ${thing} is marked for deletion: restore it (aws secretsmanager restore-secret), or name another`;
}

/** What a role needs. */
interface NeededActions {
  readonly thing: string;
  readonly actions: readonly string[];
}

/** `reason` is that of AWS. */
export function notDecrypted({ thing, actions }: NeededActions, reason: string): string {
  return `it cannot be decrypted: allow the function's role ${actions.join(', ')} on the key of the ${thing}, in its key policy too, and enable the key (${reason})`;
}

/** `reason` is that of AWS. */
export function notAllowed({ thing, actions }: NeededActions, reason: string): string {
  return `the function may not read it: allow its role ${actions.join(', ')} on this ${thing} (${reason})`;
}

/** `error` is the name of the error. */
export function invalidCredentials(error: string): string {
  return `AWS does not accept the credentials of this process (${error}): sign in again; in a Lambda function they are renewed automatically, so check that its role exists`;
}

/** Like {@link invalidCredentials}. */
export function throttled(service: string, error: string): string {
  return `${service} receives too many requests (${error}): ${RETRIED}; raise the quota if this continues`;
}

/** Like {@link invalidCredentials}. */
export function serviceFails(service: string, error: string): string {
  return `${service} fails (${error}): ${RETRIED}`;
}

/** `error` is the name of the error, with its message. */
export function rejectedRequest(error: string): string {
  return `AWS rejects the request (${error}): check the place`;
}

/** In the place of a kubeconfig. */
export const BINARY =
  'it is binary: store the kubeconfig as text (aws secretsmanager put-secret-value --secret-string file://kubeconfig)';

/** In the place of a kubeconfig. */
export const EMPTY =
  'there is nothing in it: store the kubeconfig there (kubectl config view --raw --flatten --minify)';

/** `title` is what should be there. */
export function noText(title: string): string {
  return `there is no text in it: store the ${title} there as text`;
}
