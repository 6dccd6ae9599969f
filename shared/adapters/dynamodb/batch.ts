import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { ItemAttributes } from './item-attributes.ts';
import { leftUnprocessed } from './messages.ts';
import { ask, type Call, type DynamoDbTable, unavailable } from './table.ts';

const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
/** The maximum number of consecutive answers that leave everything undone. The last attempt is made after 13 s at most. */
const MAX_FRUITLESS_ANSWERS = 8;

/** Exponential backoff with full jitter (AWS, "Exponential Backoff And Jitter"): from 0 up to a bound that doubles. */
function waitMs(fruitless: number, random: () => number): number {
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** fruitless);
}

interface Batch<T> {
  readonly call: Call;
  readonly work: readonly T[];
  /** Sends a request for the work, and returns the part that DynamoDB did not do. */
  readonly attempt: (work: readonly T[]) => Promise<readonly T[]>;
}

/**
 * Sends requests until nothing is left. DynamoDB leaves a part of a batch undone if the table is throttled, or if the answer
 * would be too large. It does not report which of them is the reason, so each further attempt waits.
 */
async function finish<T>(table: DynamoDbTable, batch: Batch<T>): Promise<void> {
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
        leftUnprocessed(rest.length, batch.work.length, fruitless),
      );
    const ms = waitMs(fruitless, table.random);
    await ask(table, call, () => table.sleep(ms, call.signal));
  }
}

/**
 * Reads the items under at most 100 distinct keys, in any order, with strong consistency.
 *
 * @throws StoreUnavailableError also if the table stays throttled.
 */
export async function batchGet(
  table: DynamoDbTable,
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
    // The table may be named by its ARN, and the answer may then use another name. There is only one table in an answer.
    found.push(...Object.values(answer.Responses ?? {}).flat());
    return Object.values(answer.UnprocessedKeys ?? {}).flatMap(({ Keys }) => Keys ?? []);
  };
  await finish(table, { call, work: keys, attempt });
  return found;
}

/**
 * Puts and deletes at most 25 items with distinct keys, without conditions.
 *
 * @throws StoreUnavailableError also if the table stays throttled.
 */
export async function batchWrite(
  table: DynamoDbTable,
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
