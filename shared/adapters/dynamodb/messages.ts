// Why a request to DynamoDB has failed, and the remedies. A StoreUnavailableError names the operation and the table before.

/** The remedy for credentials that were valid. */
export const RENEW_CREDENTIALS =
  'the credentials have expired; sign in again, or get a new session of the role';

/** The remedy for credentials that never were valid here. */
export const CHECK_CREDENTIALS =
  'AWS does not accept the credentials; check the access key and its secret, and the clock of this machine';

/** The remedy for a process without credentials. */
export const NO_CREDENTIALS =
  'the SDK finds no credentials; give this process a role, or set AWS_PROFILE';

/** The remedy for a table that does not exist. */
export const NO_TABLE =
  'there is no such table in this account and region; deploy it, or correct the name or the region';

/** The remedy for a connection that cannot be made. */
export const CHECK_ENDPOINT =
  'check the region, the network, and AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_DYNAMODB if they are set';

/** The remedy for a request that is not allowed. `operation` is the action of the API, such as `PutItem`. */
export function allowOperation(operation: string): string {
  return `allow dynamodb:${operation} on the table to the role or user of this process`;
}

/** Where a request went. */
export function tableText(tableName: string, region: string | undefined): string {
  return region === undefined
    ? `table ${tableName} (no region: set AWS_REGION)`
    : `table ${tableName} in ${region}`;
}

/** The caller has no more use for the answer. */
export const CALLED_OFF = 'called off';

/** Keys of a batch that DynamoDB leaves again and again. */
export function leftUnprocessed(left: number, keys: number, attempts: number): string {
  return `${left} of ${keys} keys are left unprocessed after ${attempts} attempts, the table is throttled`;
}

/** The key of an item. */
interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** It is not known who has put the item. */
export function perhapsPut({ pk, sk }: Key): string {
  return `an answer was lost; ${pk} ${sk} is stored as it was put, perhaps by another process`;
}

/** It is not known who has deleted the item. */
export function perhapsDeleted({ pk, sk }: Key): string {
  return `an answer was lost; ${pk} ${sk} is gone, perhaps deleted by another process`;
}
