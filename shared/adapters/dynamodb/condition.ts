import type { Item, PutCondition } from '#shared/ports/item-store.ts';
import type { ItemAttributes } from './item-attributes.ts';

/** The parameters of PutItem and DeleteItem for a condition. */
export interface ConditionParameters {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: ItemAttributes;
}

const VERSION_NAME = { '#version': 'version' };

/**
 * The condition that the stored item has exactly this version. DynamoDB treats a comparison with a missing attribute as false.
 */
export function hasVersion(version: string): ConditionParameters {
  return {
    ConditionExpression: '#version = :version',
    ExpressionAttributeNames: VERSION_NAME,
    ExpressionAttributeValues: { ':version': { S: version } },
  };
}

function isNewer({ version }: Item): ConditionParameters {
  // If the item does not exist, every attribute is missing.
  const unversioned = 'attribute_not_exists(#version)';
  if (version === undefined)
    return { ConditionExpression: unversioned, ExpressionAttributeNames: VERSION_NAME };
  return {
    // DynamoDB compares strings by their UTF-8 bytes, as the port requires.
    ConditionExpression: `${unversioned} OR #version < :version`,
    ExpressionAttributeNames: VERSION_NAME,
    ExpressionAttributeValues: { ':version': { S: version } },
  };
}

/** If the item does not exist, `pk` is missing too. */
function succeeds(item: Item): ConditionParameters {
  const { ConditionExpression, ExpressionAttributeNames, ...values } = isNewer(item);
  return {
    ConditionExpression: `attribute_exists(#pk) AND attribute_not_exists(#expiresAt) AND (${ConditionExpression})`,
    ExpressionAttributeNames: {
      ...ExpressionAttributeNames,
      '#pk': 'pk',
      '#expiresAt': 'expiresAt',
    },
    ...values,
  };
}

/** Translates the port's condition of a put into DynamoDB's. */
export function putCondition(item: Item, condition: PutCondition): ConditionParameters {
  switch (condition.type) {
    case 'absent':
      return {
        ConditionExpression: 'attribute_not_exists(#pk)',
        ExpressionAttributeNames: { '#pk': 'pk' },
      };
    case 'newer':
      return isNewer(item);
    case 'succeeds':
      return succeeds(item);
    case 'unchanged':
      return hasVersion(condition.version);
  }
}
