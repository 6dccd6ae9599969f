import type { ItemStore } from '#shared/ports/item-store.ts';
import type { MessageQueue } from '#shared/ports/message-queue.ts';

/** Who the operator is to AWS (STS, GetCallerIdentity). */
export interface CallerIdentity {
  readonly account: string;
  readonly arn: string;
  /** `AROA...:session` of a role, `AIDA...` of a user: what SQS records as the sender. */
  readonly userId: string;
}

/** A stack of CloudFormation. */
export interface Stack {
  /** Such as `UPDATE_COMPLETE`. */
  readonly status: string;
  /** In CloudFormation's own words; `''` where it says nothing. */
  readonly reason: string;
  /** When it was made or last updated, in milliseconds since the epoch. */
  readonly changedMs: number;
  readonly outputs: ReadonlyMap<string, string>;
}

/** How a Lambda function stands (Lambda, GetFunctionConfiguration). */
export interface FunctionState {
  /** `Active`, `Pending`, `Inactive`, `Failed`. */
  readonly state: string;
  /** `Successful`, `InProgress`, `Failed`. */
  readonly lastUpdate: string;
  /** Why it is so, where it is not well; else `''`. */
  readonly reason: string;
  /** RFC 3339. */
  readonly changed: string;
  /** ARN of its role. */
  readonly role: string;
}

/** What a Lambda function has answered. */
export interface Invocation {
  /** JSON text: its answer, or the error that it ended with. */
  readonly payload: string;
  readonly failed: boolean;
}

/** How many messages a queue has, about. */
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
 * An account of AWS in one region, as far as an operator's commands ask it. Every method throws what the SDK throws, which
 * `explainFault` explains.
 */
export interface Account {
  /** @throws where none is configured. */
  region(): Promise<string>;
  identity(): Promise<CallerIdentity>;
  /** `undefined`: there is no such stack. */
  stack(name: string): Promise<Stack | undefined>;
  stackNames(): Promise<readonly string[]>;
  /** `undefined`: there is no such function. */
  functionState(name: string): Promise<FunctionState | undefined>;
  /** Invokes a function and waits for its answer. */
  invoke(name: string, payload: string): Promise<Invocation>;
  queueCounts(queueUrl: string): Promise<QueueCounts>;
  /**
   * How long the oldest message of each queue has waited, in seconds: the most in the minutes from `fromMs` to `toMs`
   * (milliseconds since the epoch). In the order of the names; `undefined` where CloudWatch has no data.
   */
  oldestMessageSeconds(
    queueNames: readonly string[],
    period: { readonly fromMs: number; readonly toMs: number },
  ): Promise<readonly (number | undefined)[]>;
  /** A role or user of this account; `undefined`: there is none of that name. */
  principal(name: PrincipalName): Promise<Principal | undefined>;
  itemStore(tableName: string): ItemStore;
  messageQueue(queueUrl: string): MessageQueue;
}
