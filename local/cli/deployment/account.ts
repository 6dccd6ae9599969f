import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';

/** The identity of the operator in AWS (STS, GetCallerIdentity). */
export interface CallerIdentity {
  readonly account: string;
  readonly arn: string;
  /** `AROA...:session` of a role, `AIDA...` of a user. SQS records this as the sender. */
  readonly userId: string;
}

/** A stack of CloudFormation. */
export interface Stack {
  /** Such as `UPDATE_COMPLETE`. */
  readonly status: string;
  /** In CloudFormation's own words. `''` if there is no reason. */
  readonly reason: string;
  /** When it was created or last updated, in milliseconds since the epoch. */
  readonly changedMs: number;
  readonly outputs: ReadonlyMap<string, string>;
}

/** The state of a Lambda function (Lambda, GetFunctionConfiguration). */
export interface FunctionState {
  /** `Active`, `Pending`, `Inactive`, `Failed`. */
  readonly state: string;
  /** `Successful`, `InProgress`, `Failed`. */
  readonly lastUpdate: string;
  /** The reason if the function is not ready, otherwise `''`. */
  readonly reason: string;
  /** RFC 3339. */
  readonly changed: string;
  /** ARN of its role. */
  readonly role: string;
}

/** The answer of a Lambda function. */
export interface Invocation {
  /** JSON text: the answer of the function, or its error. */
  readonly payload: string;
  readonly failed: boolean;
}

/** The approximate numbers of messages in a queue. */
export interface QueueCounts {
  readonly waiting: number;
  readonly inFlight: number;
}

/** A role or user, by its unique identifier. */
export interface Principal {
  /** `AROA...` or `AIDA...`. */
  readonly id: string;
  readonly arn: string;
}

/** A role or user, by its name. */
export interface PrincipalName {
  readonly type: 'role' | 'user';
  readonly name: string;
}

/**
 * An AWS account in one region, as far as an operator's commands use it. Every method throws what the SDK throws, which
 * `explainFault` explains.
 */
export interface Account {
  /** @throws if none is configured */
  region(): Promise<string>;
  identity(): Promise<CallerIdentity>;
  /** Returns `undefined` if there is no such stack. */
  stack(name: string): Promise<Stack | undefined>;
  stackNames(): Promise<readonly string[]>;
  /** Returns `undefined` if there is no such function. */
  functionState(name: string): Promise<FunctionState | undefined>;
  /** Invokes a function and waits for its answer. */
  invoke(name: string, payload: string): Promise<Invocation>;
  queueCounts(queueUrl: string): Promise<QueueCounts>;
  /**
   * How long the oldest message of each queue has waited, in seconds: the maximum in the minutes from `fromMs` to
   * `toMs` (milliseconds since the epoch). In the order of the names. `undefined` if CloudWatch has no data.
   */
  oldestMessageSeconds(
    queueNames: readonly string[],
    period: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly (number | undefined)[]>;
  /** A role or user of this account, or `undefined` if there is none of that name. */
  principal(name: PrincipalName): Promise<Principal | undefined>;
  itemStore(tableName: string): ItemStore;
  messageQueue(queueUrl: string): MessageQueue;
}
