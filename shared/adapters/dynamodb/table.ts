import { setTimeout as delay } from 'node:timers/promises';
import { ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { StoreUnavailableError } from '#shared/errors.ts';
import { type Asked, storeFailure, storeUnavailable } from './failure.ts';

/** Waits so many milliseconds; throws when the signal aborts. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Waits by the system's clock. */
export const sleep: Sleep = (ms, signal) => delay(ms, undefined, signal && { signal });

/** What is needed to ask one table. */
export interface Table {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly sleep: Sleep;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/** Name of an action of the API, and who may call it off. */
export interface Call {
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

async function askedOf(table: Table, { operation }: Call): Promise<Asked> {
  // Without a region the SDK throws when it is asked for one.
  const region = await Promise.resolve()
    .then(() => table.client.config.region())
    .catch(() => undefined);
  return { operation, tableName: table.name, region };
}

/** An error for a call whose outcome is not known for a reason of this adapter's own. */
export async function unavailable(
  table: Table,
  call: Call,
  reason: string,
): Promise<StoreUnavailableError> {
  return storeUnavailable(await askedOf(table, call), reason);
}

/**
 * Calls the API, or waits for it.
 *
 * @throws StoreUnavailableError when there is no answer, or none that can be used.
 * @throws ConditionalCheckFailedException as the SDK does.
 */
export async function ask<T>(
  table: Table,
  call: Call,
  send: (options: { readonly abortSignal?: AbortSignal }) => Promise<T>,
): Promise<T> {
  const { signal } = call;
  try {
    return await send(signal === undefined ? {} : { abortSignal: signal });
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) throw error;
    const asked = await askedOf(table, call);
    if (signal?.aborted) throw storeUnavailable(asked, 'called off', { cause: signal.reason });
    throw storeFailure(error, asked);
  }
}
