/** The text of a thrown value: the message of an error, or any other value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * A failure that Starfold names. If it is `retryable`, the message is delivered again; otherwise it goes to the dead-letter
 * queue.
 */
export abstract class AppError extends Error {
  abstract override readonly name: string;
  /** Stable, of low cardinality, for metrics and tests. */
  abstract readonly code: string;
  abstract readonly retryable: boolean;
}

/** The base of the class of a failure that may end by itself, with the name and the code of the class. */
function retryable<Name extends string, Code extends string>(errorName: Name, errorCode: Code) {
  return class extends AppError {
    override readonly name = errorName;
    readonly code = errorCode;
    readonly retryable: boolean = true;
  };
}

/** Like {@link retryable}, for a failure that every attempt has. */
function permanent<Name extends string, Code extends string>(errorName: Name, errorCode: Code) {
  return class extends retryable(errorName, errorCode) {
    override readonly retryable = false;
  };
}

/** The item store did not answer, or not in time. */
export class StoreUnavailableError extends retryable('StoreUnavailableError', 'store-unavailable') {
  constructor(operation: string, options?: ErrorOptions) {
    super(`item store unavailable: ${operation}`, options);
  }
}

/** An item is larger than the store accepts. */
export class ItemTooLargeError extends permanent('ItemTooLargeError', 'item-too-large') {
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

/** A newer release has written the body of an item. The work waits until this function has that release, too. */
export class NewerBodyError extends retryable('NewerBodyError', 'newer-body') {
  constructor(
    kind: string,
    { pk, sk }: { readonly pk: string; readonly sk: string },
    { written, supported }: { readonly written: number; readonly supported: number },
  ) {
    super(
      `item ${pk} ${sk}: a newer release has written this ${kind} (version ${written}, known is ${supported}): deploy that release everywhere`,
    );
  }
}

/** A newer release has sent a message. The message waits until this function has that release, too. */
export class NewerMessageError extends retryable('NewerMessageError', 'newer-message') {
  constructor(
    kind: string,
    { written, supported }: { readonly written: number; readonly supported: number },
  ) {
    super(
      `a newer release has sent this ${kind} (version ${written}, known is ${supported}): deploy that release everywhere`,
    );
  }
}

/** The body of an item does not match its kind of item. */
export class BodyError extends permanent('BodyError', 'body') {
  constructor(
    kind: string,
    { pk, sk }: { readonly pk: string; readonly sk: string },
    faults: readonly string[],
  ) {
    super(
      `item ${pk} ${sk} is not a valid ${kind}: ${faults.join('; ')}: has another program changed the table?`,
    );
  }
}

/** The message queue did not answer, or not in time. */
export class QueueUnavailableError extends retryable('QueueUnavailableError', 'queue-unavailable') {
  constructor(operation: string, options?: ErrorOptions) {
    super(`message queue unavailable: ${operation}`, options);
  }
}

/** The queue holds its maximum for one tenant. It accepts nothing more for the tenant until some messages have been handled. */
export class QueueFullError extends retryable('QueueFullError', 'queue-full') {
  constructor(
    tenant: string,
    held: { readonly messages: number; readonly bytes: number },
    bound: { readonly messages: number; readonly bytes: number },
  ) {
    const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
    super(
      `${tenant} has ${held.messages} messages (${mebibytes(held.bytes)} MiB) that wait, of ${bound.messages} (${mebibytes(bound.bytes)} MiB) that may`,
    );
  }
}

/** A message is larger than the queue accepts. */
export class MessageTooLargeError extends permanent('MessageTooLargeError', 'message-too-large') {
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

/** The queue rejects a message because of its content. A retry cannot help. */
export class MessageRefusedError extends permanent('MessageRefusedError', 'message-refused') {
  readonly group: string | undefined;
  constructor(group: string | undefined, reason: string, options?: ErrorOptions) {
    super(`the queue rejects a message of group ${group ?? '(none)'}: ${reason}`, options);
    this.group = group;
  }
}

/** An API server did not answer, or asked for a later retry. */
export class ApiUnavailableError extends retryable('ApiUnavailableError', 'api-unavailable') {
  readonly operation: string;
  readonly reason: string;
  /** The number of seconds after which the API server asks for a retry (its Retry-After). Absent if it did not say. */
  readonly retryAfterSeconds: number | undefined;
  /** The HTTP status code of the answer. Absent if there was no answer. */
  readonly status: number | undefined;
  constructor(
    operation: string,
    reason: string,
    options?: ErrorOptions & { readonly retryAfterSeconds?: number; readonly status?: number },
  ) {
    super(`API server unavailable: ${operation}: ${reason}`, options);
    this.operation = operation;
    this.reason = reason;
    this.retryAfterSeconds = options?.retryAfterSeconds;
    this.status = options?.status;
  }
}

/** The credentials do not allow the operation (401, 403). */
export class ApiForbiddenError extends retryable('ApiForbiddenError', 'api-forbidden') {
  readonly operation: string;
  readonly reason: string;
  /** Whether the API server rejects the credentials (401), or there are none to send. Other credentials may help. */
  readonly unauthenticated: boolean;
  constructor(
    operation: string,
    reason: string,
    options?: ErrorOptions & { readonly unauthenticated?: boolean },
  ) {
    super(`API server denies: ${operation}: ${reason}`, options);
    this.operation = operation;
    this.reason = reason;
    this.unauthenticated = options?.unauthenticated ?? false;
  }
}

/** The object has changed since it was read, or already exists (409). */
export class ApiConflictError extends retryable('ApiConflictError', 'api-conflict') {
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`conflict: ${operation}: ${reason}`, options);
  }
}

/** The API server rejects the content of an object (400, 413, 422). */
export class ApiInvalidError extends permanent('ApiInvalidError', 'api-invalid') {
  /** The API server's own message. */
  readonly reason: string;
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`API server rejects the object: ${operation}: ${reason}`, options);
    this.reason = reason;
  }
}

/** The object, its namespace or its resource does not exist (404). */
export class ApiNotFoundError extends retryable('ApiNotFoundError', 'api-not-found') {
  constructor(operation: string, reason: string, options?: ErrorOptions) {
    super(`not found: ${operation}: ${reason}`, options);
  }
}

/** A resourceVersion or a page of a list has expired (410). */
export class ResourceExpiredError extends retryable('ResourceExpiredError', 'resource-expired') {
  constructor(operation: string, options?: ErrorOptions) {
    super(`too old: ${operation}`, options);
  }
}

/** Other processes changed the same state in every attempt. A later delivery may succeed. */
export class ContentionError extends retryable('ContentionError', 'contention') {
  constructor(what: string) {
    super(`${what} changed in every attempt; this will be retried`);
  }
}

/** The handling of a message has ended the process. It is not retried for a while. */
export class EndsProcessError extends retryable('EndsProcessError', 'ends-process') {
  constructor(group: string) {
    super(`handling messages of ${group} has ended the process; they are retried within an hour`);
  }
}

/** A kubeconfig cannot be used. The message names the file, the fault and the remedy. */
export class KubeConfigError extends permanent('KubeConfigError', 'kubeconfig') {
  /** The kubeconfig file, or the place of the kubeconfig. */
  readonly file: string;
  readonly faultAndRemedy: string;
  constructor(file: string, faultAndRemedy: string, options?: ErrorOptions) {
    super(`kubeconfig ${file}: ${faultAndRemedy}`, options);
    this.file = file;
    this.faultAndRemedy = faultAndRemedy;
  }
}

/** A type of cluster that the writer connects to, as messages name it. */
export interface ClusterType {
  readonly title: string;
  /** The setting with its clusters. */
  readonly setting: string;
  /** The environment variable with the places of their kubeconfigs. */
  readonly variable: string;
}

/** Workload description spaces. */
export const WDS_CLUSTER: ClusterType = {
  title: 'WDS',
  setting: 'wdses',
  variable: 'WDS_KUBECONFIGS',
};

/** Clusters with Fleet's objects. */
export const FLEET_CLUSTER: ClusterType = {
  title: 'management cluster',
  setting: 'fleet.upstreams',
  variable: 'FLEET_KUBECONFIGS',
};

/** A variable such as WDS_KUBECONFIGS cannot be read. The message names the cluster, the fault and the remedy. */
export class KubeconfigPlacesError extends permanent('KubeconfigPlacesError', 'kubeconfig-places') {
  constructor({ variable }: ClusterType, faultAndRemedy: string) {
    super(`${variable}: ${faultAndRemedy}`);
  }
}

/** A message is for a WDS, or a management cluster of Fleet, that is not registered. The message waits until it is. */
export class UnknownWdsError extends retryable('UnknownWdsError', 'unknown-wds') {
  readonly wds: string;
  constructor(wds: string, known: Iterable<string>, { title, setting } = WDS_CLUSTER) {
    const names = [...known].join(', ') || 'none';
    super(
      `${title} ${wds} is not registered: add it, with the place of its kubeconfig, to ${setting} in infra/settings.yml and deploy again (registered: ${names})`,
    );
    this.wds = wds;
  }
}

/** Why the credentials of a cluster cannot be read, or do not work. */
export type WdsCredentialsFault =
  /** There is no such secret or parameter. */
  | 'missing'
  /** The function may not read it. */
  | 'denied'
  /** The function may not decrypt it, or its key cannot be used. */
  | 'decryption'
  /** AWS rejects the function's own credentials: they are expired or missing. */
  | 'aws-credentials'
  /** No usable answer: network, region, throttling, a failure of the service. */
  | 'unavailable'
  /** AWS rejects the request for another reason. */
  | 'refused-by-aws'
  /** The value is binary. */
  | 'binary'
  /** The value is empty. */
  | 'empty'
  /** The value is not a kubeconfig, or not one that works in a Lambda function. */
  | 'unusable'
  /** The cluster rejects the credentials (401), and there are no newer ones that it accepts. */
  | 'unauthenticated';

/**
 * The credentials of a WDS, or a management cluster of Fleet, cannot be read, or do not work. The message names the cluster,
 * the place of its kubeconfig, the fault and the remedy, and nothing from the kubeconfig. Always retryable: an operator has to
 * mend the fault, and writes wait until then.
 */
export class WdsCredentialsError extends retryable('WdsCredentialsError', 'wds-credentials') {
  readonly wds: string;
  readonly fault: WdsCredentialsFault;
  constructor(
    at: {
      readonly wds: string;
      readonly location: string;
      readonly fault: WdsCredentialsFault;
      /** Default: a WDS. */
      readonly clusterType?: ClusterType;
    },
    faultAndRemedy: string,
    options?: ErrorOptions,
  ) {
    super(
      `${(at.clusterType ?? WDS_CLUSTER).title} ${at.wds}: kubeconfig in ${at.location}: ${faultAndRemedy}`,
      options,
    );
    this.wds = at.wds;
    this.fault = at.fault;
  }
}

/** What WECs report of an object is too large to be read at once. */
export class ReportsTooLargeError extends permanent('ReportsTooLargeError', 'reports-too-large') {
  /** @param name the name of the object in the API */
  constructor(name: string, mebibytes: number) {
    super(
      `what WECs report of ${name} takes more than ${mebibytes} MiB, too much to explain it: read it by wecstatuses, and leave it out of lists by --field-selector metadata.name!=${name}`,
    );
  }
}

/** Text that should continue a list does not come from such a list. */
export class InvalidContinuationError extends permanent(
  'InvalidContinuationError',
  'invalid-continuation',
) {
  constructor() {
    super('the continue token does not belong to this list: start the list again without it');
  }
}

/** The evaluation of a query was ended. The same query would be ended again. */
export class QueryEndedError extends permanent('QueryEndedError', 'query-ended') {
  /** Whether it took too long. Otherwise, it took too much memory, or its thread crashed. */
  readonly isLate: boolean;
  constructor(reason: string, { isLate }: { readonly isLate: boolean }) {
    super(
      `the query was ended: ${reason}: ask about fewer workload objects, with a filter, or with simpler expressions`,
    );
    this.isLate = isLate;
  }
}

/** No query can be evaluated now. */
export class QueryUnavailableError extends retryable('QueryUnavailableError', 'query-unavailable') {
  constructor(reason: string) {
    super(`the query was not evaluated: ${reason}`);
  }
}

/** A receiver of events did not answer in time, or answered when it will accept events again. This concerns all events. */
export class ReceiverUnavailableError extends retryable(
  'ReceiverUnavailableError',
  'receiver-unavailable',
) {
  /** The seconds after which the receiver accepts events again, if it has answered that. */
  readonly retryAfterSeconds?: number;
  constructor(
    about: {
      readonly receiver: string;
      readonly fault: string;
      readonly retryAfterSeconds?: number;
    },
    options?: ErrorOptions,
  ) {
    const { receiver, fault, retryAfterSeconds } = about;
    super(`receiver ${receiver}: ${fault}: the event is sent again`, options);
    if (retryAfterSeconds !== undefined) this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A receiver of events answered that it does not accept an event now. This says nothing about other events. */
export class ReceiverFailedError extends retryable('ReceiverFailedError', 'receiver-failed') {
  constructor(receiver: string, fault: string) {
    super(`receiver ${receiver}: ${fault}: the event is sent again`);
  }
}

/** A document in a store of AWS cannot be read. The message names the document, its place, the fault and the remedy. */
export class StoredDocumentError extends retryable('StoredDocumentError', 'stored-document') {
  constructor(
    { title, location }: { readonly title: string; readonly location: string },
    faultAndRemedy: string,
    options?: ErrorOptions,
  ) {
    super(`${title} ${location}: ${faultAndRemedy}`, options);
  }
}

/** A receiver of events does not accept an event, and would not if it got the event again. */
export class ReceiverRefusedError extends permanent('ReceiverRefusedError', 'receiver-refused') {
  /** Whether the receiver says that it wants no events any more. */
  readonly isGone: boolean;
  constructor(receiver: string, fault: string, isGone = false) {
    super(
      isGone
        ? `receiver ${receiver}: ${fault}: the webhook is disabled until Starfold starts again, and its events are dead letters: correct its url, or remove it and its name in the rules, and start Starfold again`
        : `receiver ${receiver}: ${fault}: the event is a dead letter, which is tried again every hour: correct the receiver, or its url and secret`,
    );
    this.isGone = isGone;
  }
}
