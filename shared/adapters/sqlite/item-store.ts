import type {
  SQLInputValue,
  SQLOutputValue,
  StatementResultingChanges,
  StatementSync,
} from 'node:sqlite';
import { checkItemSizes, itemBytes, MAX_PAGE_BYTES } from '#shared/adapters/item-size.ts';
import type { Delete, Item, ItemStore, Page, Put, Query } from '#shared/ports/item-store.ts';
import type { SqliteDatabase } from './database.ts';
import { storeOperations } from './unavailable.ts';

/** The item store in a SQLite database. */
export interface SqliteItemStore extends ItemStore {
  /** Removes the items whose `expiresAt` has passed, and returns their number. SQLite does not remove them by itself. */
  removeExpired(nowSeconds: number): Promise<number>;
}

const COLUMNS = 'pk, sk, version, body, expires_at';
const INSERT = `INSERT INTO items (${COLUMNS}) VALUES (?, ?, ?, ?, ?)`;
const REPLACE = `${INSERT} ON CONFLICT (pk, sk) DO UPDATE SET
  version = excluded.version, body = excluded.body, expires_at = excluded.expires_at`;

// A type instead of an interface: a row can only be cast to a type.
type ItemRow = {
  readonly pk: string;
  readonly sk: string;
  readonly version: string | null;
  readonly body: string | Uint8Array<ArrayBuffer> | null;
  readonly expires_at: number | null;
};

interface Statements {
  readonly get: StatementSync;
  readonly query: StatementSync;
  readonly queryAfter: StatementSync;
  readonly put: Readonly<Record<'always' | 'absent' | 'newer', StatementSync>>;
  readonly replaceOlder: StatementSync;
  readonly replaceUnchanged: StatementSync;
  readonly delete: StatementSync;
  readonly deleteUnchanged: StatementSync;
  readonly removeExpired: StatementSync;
}

function prepareStatements(database: SqliteDatabase): Statements {
  const select = `SELECT ${COLUMNS} FROM items WHERE pk = ?`;
  // The last sort key. In SQLite's order of types, every text is less than a blob.
  const upTo = `sk <= coalesce(?, x'') ORDER BY sk`;
  return {
    get: database.prepare(`${select} AND sk = ?`),
    query: database.prepare(`${select} AND sk >= ? AND ${upTo}`),
    queryAfter: database.prepare(`${select} AND sk > ? AND ${upTo}`),
    put: {
      always: database.prepare(REPLACE),
      absent: database.prepare(`${INSERT} ON CONFLICT (pk, sk) DO NOTHING`),
      newer: database.prepare(
        `${REPLACE} WHERE items.version IS NULL OR items.version < excluded.version`,
      ),
    },
    replaceOlder: database.prepare(
      `UPDATE items SET version = ?, body = ?, expires_at = ? WHERE pk = ? AND sk = ?
        AND items.expires_at IS NULL AND (items.version IS NULL OR items.version < ?)`,
    ),
    replaceUnchanged: database.prepare(
      'UPDATE items SET version = ?, body = ?, expires_at = ? WHERE pk = ? AND sk = ? AND version = ?',
    ),
    delete: database.prepare('DELETE FROM items WHERE pk = ? AND sk = ?'),
    deleteUnchanged: database.prepare('DELETE FROM items WHERE pk = ? AND sk = ? AND version = ?'),
    removeExpired: database.prepare('DELETE FROM items WHERE expires_at <= ?'),
  };
}

function toItem(row: Record<string, SQLOutputValue>): Item {
  // Only this file writes the table, with the types of an Item.
  const { pk, sk, version, body, expires_at } = row as ItemRow;
  return {
    pk,
    sk,
    ...(version === null ? {} : { version }),
    ...(body === null ? {} : { body }),
    ...(expires_at === null ? {} : { expiresAt: expires_at }),
  };
}

function runPut(
  statements: Statements,
  { item: { pk, sk }, condition }: Put,
  values: readonly SQLInputValue[],
): StatementResultingChanges {
  switch (condition?.type) {
    case 'unchanged':
      return statements.replaceUnchanged.run(...values, pk, sk, condition.version);
    case 'succeeds':
      return statements.replaceOlder.run(...values, pk, sk, ...values.slice(0, 1));
    default:
      return statements.put[condition?.type ?? 'always'].run(pk, sk, ...values);
  }
}

function applyPut(statements: Statements, put: Put): boolean {
  const { item } = put;
  const values: readonly SQLInputValue[] = [
    item.version ?? null,
    item.body ?? null,
    item.expiresAt ?? null,
  ];
  return runPut(statements, put, values).changes === 1;
}

function applyDelete(statements: Statements, { key, version }: Delete): boolean {
  if (version !== undefined)
    return statements.deleteUnchanged.run(key.pk, key.sk, version).changes === 1;
  statements.delete.run(key.pk, key.sk);
  return true;
}

function rowsOf(statements: Statements, query: Query): Iterable<Record<string, SQLOutputValue>> {
  const { pk, from = '', to = null, cursor } = query;
  return cursor === undefined
    ? statements.query.iterate(pk, from, to)
    : statements.queryAfter.iterate(pk, cursor, to);
}

function readPage(statements: Statements, query: Query): Page {
  const limit = query.limit ?? Number.POSITIVE_INFINITY;
  const items: Item[] = [];
  let bytes = 0;
  for (const row of rowsOf(statements, query)) {
    const item = toItem(row);
    const last = items.at(-1);
    bytes += itemBytes(item);
    if (last !== undefined && (items.length >= limit || bytes > MAX_PAGE_BYTES))
      return { items, cursor: last.sk };
    items.push(item);
  }
  return { items };
}

/**
 * Creates the item store in an open database. The sizes of items and pages have DynamoDB's limits, so that everything that
 * works here works there. A batch is one transaction, which the port does not promise.
 */
export function createSqliteItemStore(database: SqliteDatabase): SqliteItemStore {
  const statements = prepareStatements(database);
  const run = storeOperations(database);
  return {
    get: (keys, signal) =>
      run('get', signal, () =>
        keys.map(({ pk, sk }) => {
          const row = statements.get.get(pk, sk);
          return row && toItem(row);
        }),
      ),
    query: (query, signal) => run('query', signal, () => readPage(statements, query)),
    put: (puts, signal) =>
      run('put', signal, () => {
        checkItemSizes(puts);
        return database.write(() => puts.map((put) => applyPut(statements, put)));
      }),
    delete: (deletes, signal) =>
      run('delete', signal, () =>
        database.write(() => deletes.map((one) => applyDelete(statements, one))),
      ),
    removeExpired: (nowSeconds) =>
      run('removeExpired', undefined, () =>
        Number(statements.removeExpired.run(nowSeconds).changes),
      ),
  };
}
