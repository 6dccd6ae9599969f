import type { ChangeJournal, JournalEntry, JournaledKeys } from '#shared/ports/change-journal.ts';
import { isDatabaseFailure, type SqliteDatabase } from './database.ts';
import { storeOperations } from './unavailable.ts';

/** So many of the last entries are kept. A reader that has missed more reads everything again. */
const KEPT_ENTRIES = 20_000;
/** In so many portions the entries are removed. */
const REMOVALS = 64;
/** How often a subscription looks for entries of other threads and processes, in milliseconds. */
const LOOK_MS = 100;

/** Options of a journal. */
export interface SqliteJournalOptions {
  readonly keys: readonly JournaledKeys[];
  /** Now, in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Default: 20,000. */
  readonly keptEntries?: number;
  /** Default: 100. */
  readonly lookMs?: number;
}

// A key that is not given is the last one plus 1. The last entry is never removed, so the keys only grow.
const TABLE = `CREATE TABLE IF NOT EXISTS journal (
  seq INTEGER PRIMARY KEY,
  pk TEXT NOT NULL,
  sk TEXT NOT NULL
) STRICT`;
const EVENTS = { insert: 'new', update: 'new', delete: 'old' } as const;
type TableEvent = keyof typeof EVENTS;

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Whether a column begins with a text. */
function begins(column: string, prefix: string): string {
  return `substr(${column}, 1, ${prefix.length}) = ${literal(prefix)}`;
}

function createTrigger(
  event: TableEvent,
  { keys, keptEntries = KEPT_ENTRIES }: SqliteJournalOptions,
) {
  const row = EVENTS[event];
  const meant = keys.filter(({ lives }) => event !== 'update' || lives !== true);
  const isMeant = meant.map(
    ({ pk, sk }) => `${begins(`${row}.pk`, pk)} AND ${begins(`${row}.sk`, sk)}`,
  );
  // Seldom, because a removal writes another page.
  const every = Math.ceil(keptEntries / REMOVALS);
  return `CREATE TRIGGER items_${event}_journaled AFTER ${event} ON items
  WHEN ${[...isMeant.map((one) => `(${one})`), 'false'].join(' OR ')} BEGIN
    INSERT INTO journal (pk, sk) VALUES (${row}.pk, ${row}.sk);
    DELETE FROM journal
      WHERE seq <= last_insert_rowid() - ${keptEntries} AND last_insert_rowid() % ${every} = 0;
  END`;
}

function run(database: SqliteDatabase, sql: string, ...values: readonly (string | number)[]): void {
  database.prepare(sql).run(...values);
}

/** Removes the triggers. Returns whether all of them existed, so no change is missing in the journal. */
function dropTriggers(database: SqliteDatabase): boolean {
  const names = Object.keys(EVENTS).map((event) => `items_${event}_journaled`);
  const existing = database
    .prepare(
      `SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name IN (${names.map(literal).join(', ')})`,
    )
    .all();
  for (const name of names) run(database, `DROP TRIGGER IF EXISTS ${name}`);
  return existing.length === names.length;
}

const LAST = 'SELECT max(seq) AS seq FROM journal';

/**
 * Begins a journal with one entry about nothing. The revisions begin at the present time in microseconds, so they are greater than
 * those of an earlier journal, unless that had more than a million changes a second.
 */
function beginAnew(database: SqliteDatabase, nowMs: number): void {
  const former = Number(database.prepare(LAST).get()?.['seq'] ?? 0);
  run(database, 'DELETE FROM journal');
  run(database, `INSERT INTO journal VALUES (?, '', '')`, Math.max(former + 1, nowMs * 1000));
}

/** Stops the journal of a database, if it has one: nobody reads it, and it costs a write for each change. */
export function dropSqliteJournal(database: SqliteDatabase): void {
  database.transaction(() => {
    if (dropTriggers(database)) run(database, `DELETE FROM journal WHERE seq < (${LAST})`);
  });
}

/**
 * Calls the listeners when the last revision has changed. Other threads and processes write the file too, so it looks again and
 * again, as long as there are listeners.
 */
class Lookout {
  readonly #look: () => number;
  readonly #lookMs: number;
  readonly #listeners = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  /** Not a number at first: a listener is called once for what happened before. */
  #last = Number.NaN;

  constructor(look: () => number, lookMs: number) {
    this.#look = look;
    this.#lookMs = lookMs;
  }

  subscribe(listener: () => void): () => void {
    // One function may be subscribed twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    if (this.#timer === undefined) {
      this.#timer = setInterval(() => this.#check(), this.#lookMs);
      this.#timer.unref();
    }
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  #check(): void {
    let last: number;
    try {
      last = this.#look();
    } catch (error) {
      if (!isDatabaseFailure(error)) throw error;
      // The file is locked, or closed. The next look finds what has changed meanwhile.
      return;
    }
    if (last === this.#last) return;
    this.#last = last;
    for (const listener of [...this.#listeners]) listener();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#last = Number.NaN;
  }
}

/**
 * Opens the journal of an item store. Triggers put the entries in the transaction of the change, whichever thread or process makes
 * it. If the file had no journal, or if it was stopped, the journal begins anew. The journal stays when the file is opened again.
 */
export function openSqliteJournal(
  database: SqliteDatabase,
  options: SqliteJournalOptions,
): ChangeJournal {
  database.transaction(() => {
    run(database, TABLE);
    if (!dropTriggers(database)) beginAnew(database, options.nowMs);
    // All of them are in the schema now, in the same transaction.
    for (const event of Object.keys(EVENTS) as TableEvent[])
      run(database, createTrigger(event, options));
  });
  const operation = storeOperations(database);
  const select = database.prepare('SELECT seq, pk, sk FROM journal WHERE seq > ? ORDER BY seq');
  const last = database.prepare(LAST);
  const first = database.prepare('SELECT min(seq) AS seq FROM journal');
  const revision = (): number => Number(last.get()?.['seq']);
  const lookout = new Lookout(revision, options.lookMs ?? LOOK_MS);
  return {
    revision: () => operation('journal', undefined, revision),
    after: (from) =>
      operation('journal', undefined, () => {
        // Read before the entries: what is added meanwhile comes with the next call.
        const until = revision();
        if (from < Number(first.get()?.['seq']) - 1) return undefined;
        const entries = select.all(from).map(
          ({ seq, pk, sk }): JournalEntry => ({
            revision: Number(seq),
            pk: String(pk),
            sk: String(sk),
          }),
        );
        return { revision: Math.max(until, entries.at(-1)?.revision ?? 0), entries };
      }),
    subscribe: (listener) => lookout.subscribe(listener),
  };
}
