import { prettyJson, prettyYaml } from '#local/cli/terminal/print.ts';
import { ShortenedColumns } from '#local/cli/terminal/shortened-columns.ts';
import type { Terminal } from '#local/cli/terminal/terminal.ts';
import { splitMoreErrors } from '#shared/core/collector/messages.ts';
import {
  isArray,
  type JsonObject,
  type JsonValue,
  stringifyJson,
  textAt,
} from '#shared/core/json.ts';
import { MAX_QUERY_LIMIT } from '#shared/core/limits.ts';
import { type AnsweredGroup, mergeGroups } from '#shared/core/status-api/merge-groups.ts';
import { PART_OF_GROUPS } from '#shared/core/status-api/messages.ts';
import {
  NO_PRICE,
  priceOf,
  type QueryPrice,
  sumPrices,
} from '#shared/core/status-api/query-price.ts';
import { statusOf } from './ask.ts';
import { moreErrors, NO_ROWS } from './messages.ts';
import { errorText, groupColumns, objectText, type QueryOptions } from './spec.ts';

/** So many errors of rows are printed. */
const MAX_NOTICES = 10;
const NOTHING = '<none>';

/** How a result is printed. */
export interface ResultOptions extends QueryOptions {
  readonly allNamespaces?: true;
  readonly output: 'table' | 'json' | 'yaml';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

function cellText(cell: JsonValue): string {
  switch (textAt(cell, 'type')) {
    case 'String':
      return textAt(cell, 'string');
    case 'Number':
      return textAt(cell, 'float');
    case 'Null':
      return NOTHING;
    default: {
      const { bool, object, array } = cell as JsonObject; // every cell is an object
      return stringifyJson(bool ?? object ?? array);
    }
  }
}

/** How many errors are not shown. Answers give the number of those that they do not list. Undefined: none. */
function othersText(errors: readonly { readonly more: number }[]): string | undefined {
  const listed = Math.max(errors.length - MAX_NOTICES, 0);
  const others = errors.reduce((count, { more }) => count + more, listed);
  return others === 0 ? undefined : moreErrors(others, listed);
}

/** What the answers to a query have: rows are printed as they come, everything else at the end. */
export class QueryResult {
  readonly #options: ResultOptions;
  readonly #terminal: Terminal;
  readonly #columns: ShortenedColumns;
  readonly #rows: JsonValue[] = [];
  readonly #errors: JsonValue[] = [];
  #first: JsonObject | undefined;
  #price: QueryPrice | undefined = NO_PRICE;
  #taken = 0;
  #answers = 0;

  constructor(options: ResultOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
    this.#columns = new ShortenedColumns(terminal.isTerminal ? terminal.columns : undefined);
  }

  get #isTable(): boolean {
    return this.#options.output === 'table';
  }

  get #groups() {
    return groupColumns(this.#options);
  }

  /** How many rows are still wanted. Undefined: all. */
  get missing(): number | undefined {
    const { limit } = this.#options;
    // The first groups are known when the groups of all answers are merged.
    if (this.#groups !== undefined) return MAX_QUERY_LIMIT;
    return limit === undefined ? undefined : Math.max(limit - this.#taken, 0);
  }

  /** Whether the answers are about no report, and have no error. A count of nothing is a row. */
  get isEmpty(): boolean {
    return (this.#price?.rows ?? this.#taken) === 0 && this.#errors.length === 0;
  }

  take(answer: JsonObject): void {
    const status = statusOf(answer);
    const rows = listOf(status['rows']);
    if (this.#first === undefined) this.#first = answer;
    this.#answers += 1;
    this.#taken += rows.length;
    this.#price = sumPrices(this.#price, priceOf(answer));
    // Groups of several answers are merged here.
    this.#errors.push(
      ...listOf(status['errors']).filter(
        (error) => !textAt(error, 'error').startsWith(PART_OF_GROUPS),
      ),
    );
    if (this.#isTable && this.#groups === undefined) this.#print(rows, this.#answers === 1);
    else this.#rows.push(...rows);
  }

  #merged(): readonly JsonValue[] {
    const columns = this.#groups;
    if (columns === undefined) return this.#rows;
    const groups = this.#rows as unknown as readonly AnsweredGroup[]; // as the API answers
    const merged = this.#answers === 1 ? groups : mergeGroups(columns, groups);
    const wanted = merged.slice(0, this.#options.limit);
    return wanted.map(({ columns: cells, count }) => ({ columns: cells, count }));
  }

  #head(): readonly string[] {
    const names = listOf(this.#first && statusOf(this.#first)['columnNames']).map(String);
    const identity =
      this.#options.allNamespaces === true ? ['NAMESPACE', 'OBJECT', 'WEC'] : ['OBJECT', 'WEC'];
    const upper = names.map((name) => name.toUpperCase());
    return this.#groups === undefined ? [...identity, ...upper] : upper;
  }

  #cells(row: JsonValue): readonly string[] {
    const cells = listOf((row as JsonObject)['columns']).map(cellText);
    if (this.#groups !== undefined) return cells;
    const namespace =
      this.#options.allNamespaces === true ? [textAt(row, 'workload', 'namespace')] : [];
    return [...namespace, objectText(row), textAt(row, 'wec'), ...cells];
  }

  #print(rows: readonly JsonValue[], withHead: boolean): void {
    const lines = [
      ...(withHead && rows.length > 0 ? [this.#head()] : []),
      ...rows.map((row) => this.#cells(row)),
    ];
    if (lines.length > 0) this.#terminal.out(this.#columns.lines(lines));
  }

  end(): void {
    const rows = this.#merged();
    const { output } = this.#options;
    if (this.#isTable) this.#end(rows);
    else {
      const {
        continue: _continue,
        errors: _errors,
        price: _price,
        ...status
      } = statusOf(this.#first ?? {});
      const errors = this.#errors.length === 0 ? {} : { errors: this.#errors };
      const price = this.#price === undefined ? {} : { price: { ...this.#price } };
      const object = { ...this.#first, status: { ...status, rows, ...price, ...errors } };
      this.#terminal.out(output === 'yaml' ? prettyYaml(object) : `${prettyJson(object)}\n`);
    }
  }

  #end(rows: readonly JsonValue[]): void {
    if (this.#groups !== undefined) this.#print(rows, true);
    const errors = this.#errors.map((error) => splitMoreErrors(errorText(error)));
    for (const { text } of errors.slice(0, MAX_NOTICES)) this.#terminal.notice(text);
    const more = othersText(errors);
    if (more !== undefined) this.#terminal.notice(more);
    if (this.#taken === 0) this.#terminal.notice(NO_ROWS);
  }
}
