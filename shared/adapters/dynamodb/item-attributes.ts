import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item, ItemKey } from '#shared/ports/item-store.ts';

/** An item in the form of DynamoDB's API: values by attribute name. */
export type ItemAttributes = Record<string, AttributeValue>;

/** The attribute that identifies the conditional put which stored an item. It is not part of the port's item. */
export const PUT_ID_ATTRIBUTE = 'putId';

/** The primary key of the table. */
export function keyAttributes({ pk, sk }: ItemKey): ItemAttributes {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** The attributes of an item. Text is stored as S, bytes as B, and `expiresAt` as N (time to live needs seconds as N). */
export function itemAttributes(item: Item): ItemAttributes {
  const { version, body, expiresAt } = item;
  const attributes = keyAttributes(item);
  if (version !== undefined) attributes['version'] = { S: version };
  if (body !== undefined) attributes['body'] = typeof body === 'string' ? { S: body } : { B: body };
  if (expiresAt !== undefined) attributes['expiresAt'] = { N: String(expiresAt) };
  return attributes;
}

/** The key of an item that was read. */
export function toKey(attributes: ItemAttributes): ItemKey {
  // Both are key attributes of the table, with the type S.
  return { pk: attributes['pk']?.S ?? '', sk: attributes['sk']?.S ?? '' };
}

/** The inverse of {@link itemAttributes}. Other attributes are left out. */
export function toItem(attributes: ItemAttributes): Item {
  const version = attributes['version']?.S;
  const body = attributes['body']?.S ?? attributes['body']?.B;
  const expiresAt = attributes['expiresAt']?.N;
  return {
    ...toKey(attributes),
    ...(version === undefined ? {} : { version }),
    ...(body === undefined ? {} : { body }),
    ...(expiresAt === undefined ? {} : { expiresAt: Number(expiresAt) }),
  };
}
