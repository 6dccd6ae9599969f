import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  PutItemCommand,
} from '@aws-sdk/client-dynamodb';
import { itemBytes } from '#shared/adapters/item-size.ts';
import { type Item, MAX_ITEM_BYTES, type PutCondition } from '#shared/ports/item-store.ts';
import { batchGet } from './batch.ts';
import { hasVersion, putCondition } from './condition.ts';
import {
  type ItemAttributes,
  itemAttributes,
  keyAttributes,
  PUT_ID_ATTRIBUTE,
} from './item-attributes.ts';
import { perhapsDeleted, perhapsPut } from './messages.ts';
import { ask, type Call, type DynamoDbTable, unavailable } from './table.ts';

/** The result of the SDK's call. If a retry was rejected, the first request may be the reason. */
type Ending = 'took effect' | 'refused' | 'refused after a retry';

async function endingOf(write: Promise<unknown>): Promise<Ending> {
  try {
    await write;
    return 'took effect';
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return (error.$metadata.attempts ?? 1) > 1 ? 'refused after a retry' : 'refused';
  }
}

async function readOne(
  table: DynamoDbTable,
  key: ItemAttributes,
  signal?: AbortSignal,
): Promise<ItemAttributes | undefined> {
  const [stored] = await batchGet(table, [key], signal);
  return stored;
}

/** Returns the attributes to store, with the id of the put unless the item would be too large with it. */
function identified(item: Item, putId: Uint8Array): ItemAttributes {
  const bytes = itemBytes(item) + PUT_ID_ATTRIBUTE.length + putId.length;
  const attributes = itemAttributes(item);
  return bytes > MAX_ITEM_BYTES ? attributes : { ...attributes, [PUT_ID_ATTRIBUTE]: { B: putId } };
}

function equalValues(a: ItemAttributes, b: ItemAttributes, name: string): boolean {
  const [one, other] = [a[name], b[name]];
  return (
    one?.S === other?.S &&
    one?.N === other?.N &&
    Buffer.compare(one?.B ?? new Uint8Array(), other?.B ?? new Uint8Array()) === 0
  );
}

function isSame(a: ItemAttributes, b: ItemAttributes): boolean {
  return ['version', 'body', 'expiresAt', PUT_ID_ATTRIBUTE].every((name) =>
    equalValues(a, b, name),
  );
}

/** A put with a condition. */
export interface ConditionalPut {
  readonly item: Item;
  readonly condition: PutCondition;
  /** Eight bytes that are unique to this put. */
  readonly putId: Uint8Array;
}

/**
 * Puts an item on a condition. Returns whether the put took effect.
 *
 * If an answer is lost, the SDK retries the request. The condition may then fail because the first request has put the item. So
 * after a retry, the item is read again. If it is the item of this put, the put took effect. Equal content is not enough
 * evidence, because another process may have put the same content: two writers of results put the same pending `APPLIED`, and
 * exactly one of them may continue. Therefore a conditional put stores a unique id in the item. If an item has no room for the
 * id and is stored with the same content, either process may have put it. Then `StoreUnavailableError` is thrown.
 *
 * `false` may also mean that the put took effect, and another put replaced the item before the retry. For the caller, this is
 * the same as a crash after the put followed by a repeated message. Every user of the store must accept that.
 */
export async function putIf(
  table: DynamoDbTable,
  { item, condition, putId }: ConditionalPut,
  signal?: AbortSignal,
): Promise<boolean> {
  const call: Call = { operation: 'PutItem', signal };
  const attributes = identified(item, putId);
  const command = new PutItemCommand({
    TableName: table.name,
    Item: attributes,
    ...putCondition(item, condition),
  });
  const ending = await endingOf(ask(table, call, (options) => table.client.send(command, options)));
  if (ending !== 'refused after a retry') return ending === 'took effect';
  const stored = await readOne(table, keyAttributes(item), signal);
  if (stored === undefined || !isSame(stored, attributes)) return false;
  if (PUT_ID_ATTRIBUTE in attributes) return true;
  throw await unavailable(table, call, perhapsPut(item));
}

/** A delete with a condition. */
export interface ConditionalDelete {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly version: string;
}

/**
 * Deletes an item if it has a version. Returns whether it did. If an answer was lost and the item no longer exists, it is
 * unknown which process deleted the item. Then `StoreUnavailableError` is thrown.
 */
export async function deleteIf(
  table: DynamoDbTable,
  { key, version }: ConditionalDelete,
  signal?: AbortSignal,
): Promise<boolean> {
  const call: Call = { operation: 'DeleteItem', signal };
  const command = new DeleteItemCommand({
    TableName: table.name,
    Key: keyAttributes(key),
    ...hasVersion(version),
  });
  const ending = await endingOf(ask(table, call, (options) => table.client.send(command, options)));
  if (ending !== 'refused after a retry') return ending === 'took effect';
  if ((await readOne(table, keyAttributes(key), signal)) !== undefined) return false;
  throw await unavailable(table, call, perhapsDeleted(key));
}
