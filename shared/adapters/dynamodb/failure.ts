import { StoreUnavailableError } from '#shared/errors.ts';
import {
  allowOperation,
  CHECK_CREDENTIALS,
  CHECK_ENDPOINT,
  NO_CREDENTIALS,
  NO_TABLE,
  RENEW_CREDENTIALS,
  tableText,
} from './messages.ts';

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

/** The remedies, by the error's name or the system's error code. */
const REMEDIES: Readonly<Record<string, (asked: Asked) => string>> = {
  AccessDeniedException: ({ operation }) => allowOperation(operation),
  ResourceNotFoundException: () => NO_TABLE,
  ExpiredToken: () => RENEW_CREDENTIALS,
  ExpiredTokenException: () => RENEW_CREDENTIALS,
  IncompleteSignatureException: () => CHECK_CREDENTIALS,
  InvalidClientTokenId: () => CHECK_CREDENTIALS,
  InvalidSignatureException: () => CHECK_CREDENTIALS,
  MissingAuthenticationTokenException: () => CHECK_CREDENTIALS,
  UnrecognizedClientException: () => CHECK_CREDENTIALS,
  CredentialsProviderError: () => NO_CREDENTIALS,
  EAI_AGAIN: () => CHECK_ENDPOINT,
  ECONNREFUSED: () => CHECK_ENDPOINT,
  ENOTFOUND: () => CHECK_ENDPOINT,
};

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
    `${asked.operation} on ${tableText(asked.tableName, asked.region)}: ${reason}`,
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
