import { setTimeout as delay } from 'node:timers/promises';
import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreUnavailableError } from '#shared/errors.ts';
import { type Asked, storeFailure, storeUnavailable } from './failure.ts';
import { CALLED_OFF } from './messages.ts';

/** Waits for a number of milliseconds. Rejects if the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits with a timer. */
export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal });

/** What requests to one table need. */
export interface DynamoDbTable {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly sleep: Sleep;
  /** Returns a number from 0 to less than 1. */
  readonly random: () => number;
}

/** The name of an action of the API, and the signal that aborts it. */
export interface Call {
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

async function askedOf(table: DynamoDbTable, { operation }: Call): Promise<Asked> {
  // Without a configured region, the SDK throws here.
  const region = await Promise.resolve()
    .then(() => table.client.config.region())
    .catch(() => undefined);
  return { operation, tableName: table.name, region };
}

/** The error of a call whose outcome is unknown for a reason that this adapter has found. */
export async function unavailable(
  table: DynamoDbTable,
  call: Call,
  reason: string,
): Promise<StoreUnavailableError> {
  return storeUnavailable(await askedOf(table, call), reason);
}

/**
 * Calls the API, or waits for a retry.
 *
 * @throws StoreUnavailableError if there is no usable answer.
 * @throws ConditionalCheckFailedException as the SDK does.
 */
export async function ask<T>(
  table: DynamoDbTable,
  call: Call,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const { signal } = call;
  try {
    return await send(signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw error;
    const asked = await askedOf(table, call);
    if (signal?.aborted) throw storeUnavailable(asked, CALLED_OFF, { cause: signal.reason });
    throw storeFailure(error, asked);
  }
}
