import { randomBytes } from 'node:crypto';
import {
  type DynamoDBClient,
  QueryCommand,
  type QueryCommandInput,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { checkItemSizes, itemBytes } from '#shared/adapters/item-size.ts';
import { runConcurrently } from '#shared/concurrency.ts';
import type {
  Delete,
  Item,
  ItemKey,
  ItemStore,
  Page,
  Put,
  Query,
} from '#shared/ports/item-store.ts';
import { batchGet, batchWrite } from './batch.ts';
import { deleteIf, putIf } from './conditional-write.ts';
import { itemAttributes, keyAttributes, toItem, toKey } from './item-attributes.ts';
import { ask, type DynamoDbTable, type Sleep, sleep } from './table.ts';

/** DynamoDB rejects an empty bound, and bounds in the wrong order. */
function isEmptyRange({ from = '', to }: Query): boolean {
  if (to === undefined) return false;
  return to === '' || Buffer.compare(Buffer.from(from), Buffer.from(to)) > 0;
}

function sortKeyCondition(from: string, to: string | undefined): string {
  if (to === undefined) return from === '' ? '' : ' AND sk >= :from';
  return from === '' ? ' AND sk <= :to' : ' AND sk BETWEEN :from AND :to';
}

function inputOf(tableName: string, query: Query): QueryCommandInput {
  const { pk, from = '', to, limit, cursor } = query;
  return {
    TableName: tableName,
    ConsistentRead: true,
    KeyConditionExpression: `pk = :pk${sortKeyCondition(from, to)}`,
    ExpressionAttributeValues: {
      ':pk': { S: pk },
      ...(from === '' ? {} : { ':from': { S: from } }),
      ...(to === undefined ? {} : { ':to': { S: to } }),
    },
    ...(limit === undefined ? {} : { Limit: limit }),
    ...(cursor === undefined ? {} : { ExclusiveStartKey: keyAttributes({ pk, sk: cursor }) }),
  };
}

/**
 * Reads one page of a range, with strong consistency: the result of one Query of DynamoDB, at most 1 MB. The cursor is the sort
 * key at which DynamoDB stopped.
 */
async function queryPage(table: DynamoDbTable, query: Query, signal?: AbortSignal): Promise<Page> {
  if (isEmptyRange(query)) return { items: [] };
  const command = new QueryCommand(inputOf(table.name, query));
  const answer = await ask(table, { operation: 'Query', signal }, (options) =>
    table.client.send(command, options),
  );
  const items = (answer.Items ?? []).map(toItem);
  const last = answer.LastEvaluatedKey;
  return last === undefined ? { items } : { items, cursor: toKey(last).sk };
}

/**
 * The actions of the DynamoDB API that each method of the store may call, as IAM names them. After a lost answer, a put or
 * delete with a condition reads the item again.
 *
 * @internal for the test that compares the roles with it
 */
export const DYNAMODB_ACTIONS = {
  get: ['dynamodb:BatchGetItem'],
  query: ['dynamodb:Query'],
  put: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:PutItem'],
  delete: ['dynamodb:BatchGetItem', 'dynamodb:BatchWriteItem', 'dynamodb:DeleteItem'],
} as const satisfies Record<keyof ItemStore, readonly string[]>;

/** The table, and the sources of time and randomness. */
export interface DynamoDbItemStoreOptions {
  readonly client: DynamoDBClient;
  /** The name or ARN of a table with the keys `pk` and `sk`, both S. */
  readonly tableName: string;
  /** Default: a timer. */
  readonly sleep?: Sleep;
  /** Returns a number from 0 to less than 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Returns eight bytes that are unique to a put. Default: random bytes. */
  readonly createPutId?: () => Uint8Array;
}

// Limits of BatchGetItem and BatchWriteItem (API Reference).
const MAX_KEYS_PER_GET = 100;
const MAX_REQUESTS_PER_WRITE = 25;
// Less than the API's 16 MB, so that a request arrives within the client's timeout.
const MAX_BYTES_PER_WRITE = 4 * 1024 * 1024;
/** The maximum number of concurrent requests of one call. */
const MAX_CONCURRENT_REQUESTS = 16;
const PUT_ID_BYTES = 8;

type Job = () => Promise<void>;

function mapKey({ pk, sk }: ItemKey): string {
  return JSON.stringify([pk, sk]);
}

/** Keeps one element for each key. DynamoDB rejects a batch that names a key twice. */
function distinct<T>(all: readonly T[], keyOf: (one: T) => ItemKey): readonly T[] {
  return [...new Map(all.map((one) => [mapKey(keyOf(one)), one])).values()];
}

/**
 * Divides elements into groups with a maximum number of elements and of bytes. An element that exceeds the bytes has a group of
 * its own.
 */
function batches<T>(
  all: readonly T[],
  limits: { readonly count: number; readonly bytes: number },
  bytesOf: (one: T) => number,
): readonly (readonly T[])[] {
  const groups: T[][] = [];
  let bytes = 0;
  for (const one of all) {
    const group = groups.at(-1);
    const size = bytesOf(one);
    if (group === undefined || group.length === limits.count || bytes + size > limits.bytes) {
      groups.push([one]);
      bytes = size;
    } else {
      group.push(one);
      bytes += size;
    }
  }
  return groups;
}

async function getItems(
  table: DynamoDbTable,
  keys: readonly ItemKey[],
  signal?: AbortSignal,
): Promise<readonly (Item | undefined)[]> {
  const found = new Map<string, Item>();
  const limits = { count: MAX_KEYS_PER_GET, bytes: Number.POSITIVE_INFINITY };
  const jobs = batches(
    distinct(keys, (key) => key),
    limits,
    () => 0,
  ).map(
    (batch): Job =>
      async () => {
        for (const attributes of await batchGet(table, batch.map(keyAttributes), signal)) {
          const item = toItem(attributes);
          found.set(mapKey(item), item);
        }
      },
  );
  await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
  return keys.map((key) => found.get(mapKey(key)));
}

interface Write {
  readonly request: WriteRequest;
  readonly bytes: number;
}

function writeJobs(
  table: DynamoDbTable,
  writes: readonly Write[],
  signal: AbortSignal | undefined,
): readonly Job[] {
  const limits = { count: MAX_REQUESTS_PER_WRITE, bytes: MAX_BYTES_PER_WRITE };
  return batches(writes, limits, ({ bytes }) => bytes).map(
    (batch): Job =>
      () =>
        batchWrite(
          table,
          batch.map(({ request }) => request),
          signal,
        ),
  );
}

async function putItems(
  table: DynamoDbTable,
  { puts, createPutId }: { readonly puts: readonly Put[]; readonly createPutId: () => Uint8Array },
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  checkItemSizes(puts);
  const took = puts.map(() => true);
  const jobs: Job[] = [];
  const writes: Write[] = [];
  for (const [index, { item, condition }] of puts.entries()) {
    if (condition === undefined)
      writes.push({
        request: { PutRequest: { Item: itemAttributes(item) } },
        bytes: itemBytes(item),
      });
    else
      jobs.push(async () => {
        took[index] = await putIf(table, { item, condition, putId: createPutId() }, signal);
      });
  }
  jobs.push(...writeJobs(table, writes, signal));
  await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
  return took;
}

async function deleteItems(
  table: DynamoDbTable,
  deletes: readonly Delete[],
  signal?: AbortSignal,
): Promise<readonly boolean[]> {
  const held = deletes.map(() => true);
  const jobs: Job[] = [];
  const keys: ItemKey[] = [];
  for (const [index, { key, version }] of deletes.entries()) {
    if (version === undefined) keys.push(key);
    else
      jobs.push(async () => {
        held[index] = await deleteIf(table, { key, version }, signal);
      });
  }
  const writes = distinct(keys, (key) => key).map(
    (key): Write => ({ request: { DeleteRequest: { Key: keyAttributes(key) } }, bytes: 0 }),
  );
  jobs.push(...writeJobs(table, writes, signal));
  await runConcurrently(jobs, MAX_CONCURRENT_REQUESTS);
  return held;
}

/**
 * Creates the item store in a DynamoDB table. An item is stored with the attributes `pk`, `sk`, `version` (S), `body` (S or B)
 * and `expiresAt` (N). If it was put on a condition, it also has `putId` (B): see `putIf`.
 *
 * Every failure of DynamoDB, of the network or of the credentials becomes a `StoreUnavailableError` whose message names the
 * table, the fault and the remedy. The client retries requests as it is configured. The part of a batch that DynamoDB leaves
 * undone is retried here.
 */
export function createDynamoDbItemStore(options: DynamoDbItemStoreOptions): ItemStore {
  const table: DynamoDbTable = {
    client: options.client,
    name: options.tableName,
    sleep: options.sleep ?? sleep,
    random: options.random ?? Math.random,
  };
  const { createPutId = () => randomBytes(PUT_ID_BYTES) } = options;
  return {
    get: (keys, signal) => getItems(table, keys, signal),
    query: (query, signal) => queryPage(table, query, signal),
    put: (puts, signal) => putItems(table, { puts, createPutId }, signal),
    delete: (deletes, signal) => deleteItems(table, deletes, signal),
  };
}
