import { StoreUnavailableError } from '#shared/errors.ts';

/** A request to DynamoDB, for messages. */
export interface Asked {
  /** The API's action, such as `PutItem`. */
  readonly operation: string;
  readonly tableName: string;
  /** Absent if no region is configured. */
  readonly region?: string | undefined;
}

/** Errors of a request that is invalid. A retry does not help, and an operator cannot either. */
const PROGRAM_FAULTS: ReadonlySet<string> = new Set([
  'ReferenceError',
  'RangeError',
  'SerializationException',
  'TypeError',
  'ValidationException',
]);

/** The remedy for credentials that were valid. */
export const RENEW_CREDENTIALS =
  'the credentials have expired; sign in again, or get a new session of the role';

/** The remedy for credentials that never were valid here. */
export const CHECK_CREDENTIALS =
  'AWS does not accept the credentials; check the access key and its secret, and the clock of this machine';
/** The remedy for a table that does not exist. */
export const NO_TABLE =
  'there is no such table in this account and region; deploy it, or correct the name or the region';
const CHECK_ENDPOINT =
  'check the region, the network, and AWS_ENDPOINT_URL and AWS_ENDPOINT_URL_DYNAMODB if they are set';

/** Keys of a batch that DynamoDB leaves again and again. */
export function leftUnprocessed(left: number, keys: number, attempts: number): string {
  return `${left} of ${keys} keys are left unprocessed after ${attempts} attempts, the table is throttled`;
}

/** The remedies, by the error's name or the system's error code. */
const REMEDIES: Readonly<Record<string, (asked: Asked) => string>> = {
  AccessDeniedException: ({ operation }) =>
    `allow dynamodb:${operation} on the table to the role or user of this process`,
  ResourceNotFoundException: () => NO_TABLE,
  ExpiredToken: () => RENEW_CREDENTIALS,
  ExpiredTokenException: () => RENEW_CREDENTIALS,
  IncompleteSignatureException: () => CHECK_CREDENTIALS,
  InvalidClientTokenId: () => CHECK_CREDENTIALS,
  InvalidSignatureException: () => CHECK_CREDENTIALS,
  MissingAuthenticationTokenException: () => CHECK_CREDENTIALS,
  UnrecognizedClientException: () => CHECK_CREDENTIALS,
  CredentialsProviderError: () =>
    'the SDK finds no credentials; give this process a role, or set AWS_PROFILE',
  EAI_AGAIN: () => CHECK_ENDPOINT,
  ECONNREFUSED: () => CHECK_ENDPOINT,
  ENOTFOUND: () => CHECK_ENDPOINT,
};

function tableAndRegion({ tableName, region }: Asked): string {
  return region === undefined
    ? `table ${tableName} (no region: set AWS_REGION)`
    : `table ${tableName} in ${region}`;
}

function remedyOf(error: Error, asked: Asked): string | undefined {
  // System errors all have the name Error.
  const code = 'code' in error ? String(error.code) : '';
  return (REMEDIES[error.name] ?? REMEDIES[code])?.(asked);
}

/** An error that names the request, the table, and the reason why it is unknown whether the request took effect. */
export function storeUnavailable(
  asked: Asked,
  reason: string,
  options?: ErrorOptions,
): StoreUnavailableError {
  return new StoreUnavailableError(
    `${asked.operation} on ${tableAndRegion(asked)}: ${reason}`,
    options,
  );
}

/**
 * Returns the error to throw for an error of the SDK. This is a `StoreUnavailableError` that names the table, the fault and, if
 * an operator can mend the fault (permission, missing table, credentials, region), the remedy. It is retryable in this case
 * too: after the operator has mended the fault, the same message succeeds. If the request itself is invalid, the error is
 * returned unchanged.
 */
export function storeFailure(error: unknown, asked: Asked): unknown {
  if (!(error instanceof Error) || PROGRAM_FAULTS.has(error.name)) return error;
  const remedy = remedyOf(error, asked);
  const fault = `${error.name}: ${error.message}`;
  return storeUnavailable(asked, remedy === undefined ? fault : `${fault} (${remedy})`, {
    cause: error,
  });
}
