import { askOk, pathOf, RefusedError, warningsOf } from '#local/cli/door/ask-json.ts';
import { DoorUnavailableError } from '#local/cli/door/door.ts';
import type { InputError } from '#local/cli/terminal/cli-error.ts';
import { at, isObject, type JsonObject, member, parseJson, textAt } from '#shared/core/json.ts';
import { backoffMs, type Waiting } from '#shared/watch/backoff.ts';
import { linesOf } from './lines.ts';
import { answersAgain, tryingAgain } from './messages.ts';
import type { Printer, Shown } from './printer.ts';
import { QuietGuard } from './quiet-guard.ts';
import { digestOf, revisionOf } from './read-rows.ts';
import { type Asked, type Asking, pagesOf, queryOf } from './request.ts';
import { keyOf, parseRows, type TablePage, type TableRow, typeFor } from './table.ts';

/** What a watch needs. */
export interface FollowParts {
  readonly asking: Asking;
  /** A list, without a single name. */
  readonly asked: Asked;
  readonly printer: Printer;
  /** Objects in a page. 0: all. */
  readonly limit: number;
  readonly waiting: Waiting;
  readonly notice: (text: string) => void;
}

/**
 * An API server that starts may refuse for a moment what it allows: it has not read accounts and roles yet. An answer of it is kept
 * for 10 seconds (docs/api.md, "Permissions"). So many refusals in a row are some 20 seconds.
 */
const MAX_REFUSALS = 7;

const GONE = 410;
/** The server has not reached the revision: its state was lost. */
const AHEAD = 504;

/** The changes since a revision are not known: everything is listed again. */
class ExpiredError extends Error {}

/** What is known of an object that was printed. */
interface Known {
  readonly digest: string;
  readonly row: TableRow;
}

function isExpired(code: unknown): boolean {
  return code === GONE || code === AHEAD;
}

/**
 * Lists objects and prints each change, as long as the signal does not abort. It remembers what it has printed. So if a watch
 * cannot be continued, it lists again and prints what has changed in the meantime.
 */
class Follower {
  readonly #parts: FollowParts;
  #known = new Map<string, Known>();
  #revision = '';
  #failures = 0;
  #refusals = 0;
  #hasBegun = false;
  #isOut = false;

  constructor(parts: FollowParts) {
    this.#parts = parts;
  }

  get #hasEnded(): boolean {
    return this.#parts.asking.signal.aborted;
  }

  async run(): Promise<void> {
    while (!this.#hasEnded) {
      try {
        if (this.#revision === '') await this.#list();
        await this.#watch();
      } catch (error) {
        if (this.#hasEnded) return;
        this.#judge(error);
      }
      if (this.#failures > 0) await this.#pause();
    }
  }

  /** @throws what no retry can help */
  #judge(error: unknown): void {
    const isGone = error instanceof RefusedError && isExpired(error.code);
    // Even a server that says so each time is not asked all the time.
    this.#failures += 1;
    if (error instanceof ExpiredError || isGone) {
      this.#revision = '';
      return;
    }
    if (!(this.#hasBegun && this.#mayPass(error))) throw error;
    if (this.#isOut) return;
    this.#isOut = true;
    this.#parts.notice(tryingAgain(error.message));
  }

  /** Whether a retry may help. */
  #mayPass(error: unknown): error is InputError {
    if (error instanceof DoorUnavailableError) return true;
    this.#refusals += 1;
    return error instanceof RefusedError && this.#refusals <= MAX_REFUSALS;
  }

  async #pause(): Promise<void> {
    const { waiting, asking } = this.#parts;
    await waiting.sleep(backoffMs(this.#failures, waiting.random), asking.signal);
  }

  #isBack(): void {
    this.#refusals = 0;
    if (this.#isOut) this.#parts.notice(answersAgain(this.#parts.asking.door.name));
    this.#isOut = false;
  }

  async #list(): Promise<void> {
    const { asking, asked, printer, limit } = this.#parts;
    const listed = new Set<string>();
    let revision = '';
    const request = { accept: typeFor(printer), limit, include: 'Object' };
    for await (const page of pagesOf(asking, asked, request)) {
      this.#failures = 0;
      this.#isBack();
      // Every page has the revision at which the first was begun.
      revision ||= revisionOf(page, []);
      const table = parseRows(page, printer, asking.door.name);
      for (const { object } of table.rows) listed.add(keyOf(object));
      this.#print(table);
    }
    for (const [key, { row }] of this.#known) if (!listed.has(key)) this.#remove(key, row);
    this.#revision = revision;
    this.#hasBegun = true;
  }

  /** Prints what is not known: a list, and a watch from an earlier revision, repeat. */
  #print(table: TablePage): void {
    const shown = table.rows.flatMap((row): readonly Shown[] => {
      const key = keyOf(row.object);
      const digest = digestOf(row.object);
      const known = this.#known.get(key);
      this.#known.set(key, { digest, row });
      if (known?.digest === digest) return [];
      return [{ row, event: known === undefined ? 'ADDED' : 'MODIFIED' }];
    });
    this.#parts.printer.print(table, shown);
  }

  /** Prints what was known: of what is gone, a server only knows the name. */
  #remove(key: string, row: TableRow): void {
    this.#known.delete(key);
    this.#parts.printer.print({ columns: [] }, [{ row, event: 'DELETED' }]);
  }

  async #watch(): Promise<void> {
    const { asking, asked, printer } = this.#parts;
    const query = queryOf(asked, {
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: this.#revision,
      includeObject: 'Object',
    });
    const path = pathOf(asked.collection);
    const quiet = new QuietGuard(asking.signal);
    let hasSpoken = false;
    try {
      const request = { method: 'GET', path, query, accept: typeFor(printer) } as const;
      const answer = await askOk(asking.door, { ...request, signal: quiet.signal });
      this.#isBack();
      for (const text of warningsOf(answer)) asking.onWarning(text);
      for await (const line of linesOf(answer.body)) {
        quiet.heard();
        this.#event(line);
        hasSpoken = true;
        this.#failures = 0;
      }
    } finally {
      quiet.stop();
    }
    // A server that ends each watch at once is not asked all the time.
    if (!hasSpoken) this.#failures += 1;
  }

  #event(line: string): void {
    const event = parseJson(line);
    const type = textAt(event, 'type');
    const object = member(event, 'object');
    if (!isObject(object)) return;
    if (type === 'ERROR') throw this.#errorOf(object);
    const { printer, asking } = this.#parts;
    const table = parseRows(object, printer, asking.door.name);
    if (type === 'DELETED')
      for (const row of table.rows) {
        const key = keyOf(row.object);
        const known = this.#known.get(key);
        if (known !== undefined) this.#remove(key, known.row);
      }
    else if (type !== 'BOOKMARK') this.#print(table);
    this.#revision = revisionOf(object, table.rows);
  }

  #errorOf(status: JsonObject): Error {
    const code = Number(at(status, 'code'));
    const message = `${this.#parts.asking.door.name}: ${textAt(status, 'message')}`;
    return isExpired(code) ? new ExpiredError(message) : new DoorUnavailableError(message);
  }
}

/**
 * Prints a list and its changes until the signal aborts, through restarts of the server.
 *
 * @throws RefusedError, and before the first list is complete DoorUnavailableError
 */
export function follow(parts: FollowParts): Promise<void> {
  return new Follower(parts).run();
}
