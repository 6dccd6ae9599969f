import { QueryCommand, type QueryCommandInput } from '@aws-sdk/client-dynamodb';
import type { Page, Query } from '#shared/ports/item-store.ts';
import { keyAttributes, toItem, toKey } from './item-attributes.ts';
import { ask, type Table } from './table.ts';

/** DynamoDB refuses bounds in the wrong order, and empty ones. */
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
 * One page of a range, strongly consistent: what DynamoDB returns for one Query, at most 1 MB. The cursor is the sort key
 * that DynamoDB looked at last.
 */
export async function queryPage(table: Table, query: Query, signal?: AbortSignal): Promise<Page> {
  if (isEmptyRange(query)) return { items: [] };
  const command = new QueryCommand(inputOf(table.name, query));
  const answer = await ask(table, { operation: 'Query', signal }, (options) =>
    table.client.send(command, options),
  );
  const items = (answer.Items ?? []).map(toItem);
  const last = answer.LastEvaluatedKey;
  return last === undefined ? { items } : { items, cursor: toKey(last).sk };
}
