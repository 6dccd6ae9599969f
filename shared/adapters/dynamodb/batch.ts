import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { ItemAttributes } from './item-attributes.ts';
import { ask, type Call, type Table, unavailable } from './table.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
/** So many answers in a row that leave everything undone, and it is given up: after 13 s at most. */
const MAX_FRUITLESS_ANSWERS = 8;

/** Exponential backoff with full jitter (AWS, "Exponential Backoff And Jitter"): from 0 up to a bound that doubles. */
function waitMs(fruitless: number, random: () => number): number {
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** fruitless);
}

interface Batch<T> {
  readonly call: Call;
  readonly work: readonly T[];
  /** Asks for the work; returns what DynamoDB did not do of it. */
  readonly attempt: (work: readonly T[]) => Promise<readonly T[]>;
}

/**
 * Asks until nothing is left. DynamoDB leaves a part of a batch undone when the table is throttled, or its answer would
 * be too large; it does not say which, so each further attempt waits.
 */
async function finish<T>(table: Table, batch: Batch<T>): Promise<void> {
  const { call, attempt } = batch;
  let left = batch.work;
  let fruitless = 0;
  for (;;) {
    const rest = await attempt(left);
    if (rest.length === 0) return;
    fruitless = rest.length < left.length ? 0 : fruitless + 1;
    left = rest;
    if (fruitless === MAX_FRUITLESS_ANSWERS)
      throw await unavailable(
        table,
        call,
        `${rest.length} of ${batch.work.length} keys are left unprocessed after ${fruitless} attempts, the table is throttled`,
      );
    const ms = waitMs(fruitless, table.random);
    await ask(table, call, () => table.sleep(ms, call.signal));
  }
}

/**
 * The items under at most 100 distinct keys, in no particular order, strongly consistent.
 *
 * @throws StoreUnavailableError also when the table stays throttled.
 */
export async function batchGet(
  table: Table,
  keys: readonly ItemAttributes[],
  signal?: AbortSignal,
): Promise<readonly ItemAttributes[]> {
  const call: Call = { operation: 'BatchGetItem', signal };
  const found: ItemAttributes[] = [];
  const attempt = async (work: readonly ItemAttributes[]): Promise<readonly ItemAttributes[]> => {
    const command = new BatchGetItemCommand({
      RequestItems: { [table.name]: { Keys: [...work], ConsistentRead: true } },
    });
    const answer = await ask(table, call, (options) => table.client.send(command, options));
    // A table may be named by its ARN, and the answer may then name it otherwise: there is only the one.
    found.push(...Object.values(answer.Responses ?? {}).flat());
    return Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
  };
  await finish(table, { call, work: keys, attempt });
  return found;
}

/**
 * Puts and deletes at most 25 items with distinct keys, without conditions.
 *
 * @throws StoreUnavailableError also when the table stays throttled.
 */
export async function batchWrite(
  table: Table,
  requests: readonly WriteRequest[],
  signal?: AbortSignal,
): Promise<void> {
  const call: Call = { operation: 'BatchWriteItem', signal };
  const attempt = async (work: readonly WriteRequest[]): Promise<readonly WriteRequest[]> => {
    const command = new BatchWriteItemCommand({ RequestItems: { [table.name]: [...work] } });
    const answer = await ask(table, call, (options) => table.client.send(command, options));
    return Object.values(answer.UnprocessedItems ?? {}).flat();
  };
  await finish(table, { call, work: requests, attempt });
}
