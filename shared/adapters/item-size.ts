import { ItemTooLargeError } from '#shared/errors.ts';
import { type Item, MAX_ITEM_BYTES, type Put } from '#shared/ports/item-store.ts';

/** DynamoDB's limit for the items of one page of a query, in bytes (Query API, "Paginating the results"). */
export const MAX_PAGE_BYTES = 1024 * 1024;

function bodyBytes(body: string | Uint8Array): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.length;
}

function numberBytes(value: number): number {
  const digits = String(value).replace(/\D/g, '').replace(/^0+/, '').replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + (value < 0 ? 2 : 1);
}

/**
 * The size of an item in bytes as DynamoDB counts it: the names and values of its attributes. A number counts as one byte for
 * every two significant digits, and one more (Developer Guide, "DynamoDB item sizes and formats").
 */
export function itemBytes(item: Item): number {
  const { pk, sk, version, body, expiresAt } = item;
  let bytes = 'pk'.length + Buffer.byteLength(pk) + 'sk'.length + Buffer.byteLength(sk);
  if (version !== undefined) bytes += 'version'.length + Buffer.byteLength(version);
  if (body !== undefined) bytes += 'body'.length + bodyBytes(body);
  if (expiresAt !== undefined) bytes += 'expiresAt'.length + numberBytes(expiresAt);
  return bytes;
}

/** @throws ItemTooLargeError for the first item that is larger than a store accepts. */
export function checkItemSizes(puts: readonly Put[]): void {
  for (const { item } of puts) {
    const bytes = itemBytes(item);
    if (bytes > MAX_ITEM_BYTES) throw new ItemTooLargeError(item.pk, item.sk, bytes);
  }
}
