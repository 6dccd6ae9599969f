import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDynamoDbItemStore } from '#shared/adapters/dynamodb/item-store.ts';
import type { Page } from '#shared/ports/item-store.ts';
import {
  createTable,
  deleteTable,
  type LocalDynamoDb,
  startDynalite,
} from '#test/fakes/dynamodb-table.ts';
import { createMemoryItemStore } from '#test/fakes/memory-item-store.ts';
import { histories } from '#test/histories.ts';
import { apply, operations, VERSIONS } from './item-store-operations.ts';

type Answer = Awaited<ReturnType<typeof apply>>;

/** Where a page ends is DynamoDB's affair: a limit may be reached with the last item, and a cursor follows. */
function withoutPages(answer: Answer): unknown {
  return answer.flatMap((one): readonly unknown[] =>
    typeof one === 'object' && 'items' in one ? one.items : [one],
  );
}

function pageSizes(answer: Answer): readonly number[] {
  return answer
    .filter((one): one is Page => typeof one === 'object' && 'items' in one)
    .map((page) => page.items.length);
}

describe('the item store in DynamoDB', () => {
  let dynamoDb: LocalDynamoDb;
  let tables = 0;
  beforeAll(async () => {
    dynamoDb = await startDynalite();
  });
  afterAll(() => dynamoDb.close());

  // dynalite compares the strings of a condition, the bounds of a range, and a cursor with its bound, as JavaScript does.
  const versions = VERSIONS.filter((version) => version < '\ud800');
  const sequences = operations(versions).map((sequence) =>
    sequence.filter(
      (step) =>
        step.type !== 'query' || (step.query.from !== '\uffff' && step.query.to !== '\u{10000}'),
    ),
  );

  it('answers every sequence of operations as the fake in memory does', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (sequence) => {
        const { client } = dynamoDb;
        tables += 1;
        const tableName = `property-${tables}`;
        await createTable(client, tableName);
        const store = createDynamoDbItemStore({ client, tableName });
        const memory = createMemoryItemStore();
        for (const step of sequence) {
          const answer = await apply(store, step);
          expect(withoutPages(answer)).toStrictEqual(withoutPages(await apply(memory, step)));
          if (step.type === 'query')
            expect(Math.max(...pageSizes(answer))).toBeLessThanOrEqual(step.query.limit ?? 16);
        }
        await deleteTable(client, tableName);
      }),
      { numRuns: histories({ first: 4, all: 8 }) },
    );
  });
});
