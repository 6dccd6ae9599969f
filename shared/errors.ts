/** A failure that Starfold names. `retryable` decides between redelivery and the dead-letter queue. */
export abstract class AppError extends Error {
  abstract override readonly name: string;
  /** Stable, of low cardinality: for metrics and tests. */
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** The item store did not answer, or not in time. */
export class StoreUnavailableError extends AppError {
  override readonly name = 'StoreUnavailableError';
  readonly code = 'store-unavailable';
  readonly retryable = true;
  constructor(operation: string, options?: ErrorOptions) {
    super(`item store unavailable: ${operation}`, options);
  }
}

/** An item is larger than the store takes. */
export class ItemTooLargeError extends AppError {
  override readonly name = 'ItemTooLargeError';
  readonly code = 'item-too-large';
  readonly retryable = false;
  readonly pk: string;
  readonly sk: string;
  readonly bytes: number;
  constructor(pk: string, sk: string, bytes: number) {
    super(`item ${pk} ${sk} has ${bytes} bytes; the store takes at most 409600`);
    this.pk = pk;
    this.sk = sk;
    this.bytes = bytes;
  }
}

/** The message queue did not answer, or not in time. */
export class QueueUnavailableError extends AppError {
  override readonly name = 'QueueUnavailableError';
  readonly code = 'queue-unavailable';
  readonly retryable = true;
  constructor(operation: string, options?: ErrorOptions) {
    super(`message queue unavailable: ${operation}`, options);
  }
}

/** A message is larger than the queue takes. */
export class MessageTooLargeError extends AppError {
  override readonly name = 'MessageTooLargeError';
  readonly code = 'message-too-large';
  readonly retryable = false;
  readonly group: string | undefined;
  readonly bytes: number;
  constructor(group: string | undefined, bytes: number) {
    super(
      `message of group ${group ?? '(none)'} has ${bytes} bytes; the queue takes at most 1048576`,
    );
    this.group = group;
    this.bytes = bytes;
  }
}

/** An API server did not answer, or asked to come back later. */
export class ApiUnavailableError extends AppError {
  override readonly name = 'ApiUnavailableError';
  readonly code = 'api-unavailable';
  readonly retryable = true;
  /** Seconds after which the API server wants to be asked again (its Retry-After); absent where it did not say. */
  readonly retryAfterSeconds: number | undefined;
  constructor(
    operation: string,
    reason: string,
    options?: ErrorOptions & { readonly retryAfterSeconds?: number },
  ) {
    super(`API server unavailable: ${operation}: ${reason}`, options);
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}

/** The credentials do not allow the operation (401, 403). */
export class ApiForbiddenError extends AppError {
  override readonly name = 'ApiForbiddenError';
  readonly code = 'api-forbidden';
  readonly retryable = true;
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`API server refuses: ${operation}: ${reason}`, options);
  }
}

/** The object has changed since it was read, or exists already (409). */
export class ApiConflictError extends AppError {
  override readonly name = 'ApiConflictError';
  readonly code = 'api-conflict';
  readonly retryable = true;
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`conflict: ${operation}: ${reason}`, options);
  }
}

/** The API server refuses the content of an object (400, 413, 422). */
export class ApiInvalidError extends AppError {
  override readonly name = 'ApiInvalidError';
  readonly code = 'api-invalid';
  readonly retryable = false;
  /** The API server's own words. */
  readonly reason: string;
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`API server refuses the object: ${operation}: ${reason}`, options);
    this.reason = reason;
  }
}

/** The object, its namespace or its resource does not exist (404). */
export class ApiNotFoundError extends AppError {
  override readonly name = 'ApiNotFoundError';
  readonly code = 'api-not-found';
  readonly retryable = true;
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`not found: ${operation}: ${reason}`, options);
  }
}

/** A resourceVersion or a page of a list has expired (410). */
export class ResourceExpiredError extends AppError {
  override readonly name = 'ResourceExpiredError';
  readonly code = 'resource-expired';
  readonly retryable = true;
  constructor(operation: string, options?: ErrorOptions) {
    super(`too old: ${operation}`, options);
  }
}

/** Others kept changing the same state; a later delivery will find it calmer. */
export class ContentionError extends AppError {
  override readonly name = 'ContentionError';
  readonly code = 'contention';
  readonly retryable = true;
  constructor(what: string) {
    super(`${what} kept changing while it was worked on; it will be tried again`);
  }
}

/** A kubeconfig cannot be used. The message names the file, the fault and the remedy. */
export class KubeConfigError extends AppError {
  override readonly name = 'KubeConfigError';
  readonly code = 'kubeconfig';
  readonly retryable = false;
  /** The kubeconfig file, or what stands for it. */
  readonly file: string;
  constructor(file: string, faultAndRemedy: string, options?: ErrorOptions) {
    super(`kubeconfig ${file}: ${faultAndRemedy}`, options);
    this.file = file;
  }
}
