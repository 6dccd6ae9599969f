import {
  type AggregatePart,
  aggregateFold,
  groupRows,
  noneErrors,
} from '#shared/core/collector/aggregate-fold.ts';
import {
  type ErrorTable,
  errorMerger,
  listErrors,
  NO_ERRORS,
} from '#shared/core/collector/column-errors.ts';
import {
  type AggregateCollector,
  type CompiledCollector,
  columnNames,
  type SelectCollector,
} from '#shared/core/collector/compiled-collector.ts';
import { RowEvaluation } from '#shared/core/collector/row-evaluation.ts';
import { selectedCells } from '#shared/core/collector/select-fold.ts';
import { errorTexts, WHOLE_SHARE } from '#shared/core/collector/share.ts';
import { RowFolding } from '#shared/core/fold/fold.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { jsonBytes } from '#shared/core/json-size.ts';
import { MAX_QUERY_STEPS, QUERY_BYTES_OF_STEP, QUERY_ROW_STEPS } from '#shared/core/limits.ts';
import { groupsLeftOut, partOfGroups } from './messages.ts';
import type { QueryPrice } from './query-price.ts';
import type { QueriedRow } from './status-query.ts';

/** An answer holds as many bytes of rows as a StatusCollector's result. */
const MAX_BYTES = WHOLE_SHARE.bytes;
/** No answer has as many rows. */
const KEY_DIGITS = 9;

/** What an answer has. */
interface Finished {
  readonly rows: readonly JsonObject[];
  /** What the whole answer lacks, and the remedy. */
  readonly remarks: readonly JsonObject[];
  readonly errors: readonly ErrorTable[];
}

/** The rows of an answer so far. */
interface Answer {
  /** Whether the answer has no room for another row. */
  readonly isFull: boolean;
  /** Takes a row. Returns false if it belongs to the next answer. */
  take(evaluation: RowEvaluation, row: QueriedRow): boolean;
  /** @param isPart whether other answers have other rows of the query */
  finish(isPart: boolean): Finished;
}

/** What a row of an answer is about. */
function identityOf({ workload, kind, row }: Pick<QueriedRow, 'workload' | 'kind' | 'row'>) {
  const { group, resource, namespace, name } = workload;
  return { workload: { group, resource, kind, namespace, name }, wec: row.wec };
}

/** The rows of a plain selection, in the order in which they come. */
class Selection implements Answer {
  readonly #collector: SelectCollector;
  readonly #merge: ReturnType<typeof errorMerger>;
  readonly #rows: JsonObject[] = [];
  #bytes = 0;
  #errors: ErrorTable = NO_ERRORS;

  constructor(collector: SelectCollector) {
    this.#collector = collector;
    this.#merge = errorMerger(errorTexts(WHOLE_SHARE, collector.columns.length));
  }

  get isFull(): boolean {
    return this.#rows.length >= this.#collector.limit;
  }

  take(evaluation: RowEvaluation, row: QueriedRow): boolean {
    const columns = selectedCells(this.#collector, evaluation);
    if (columns !== undefined && !this.#add({ ...identityOf(row), columns })) return false;
    if (evaluation.errors.length > 0) this.#errors = this.#merge(this.#errors, evaluation.errors);
    return true;
  }

  /**
   * Returns false if the row belongs to the next answer. A row alone always fits: its steps pay for fewer bytes than an answer
   * holds.
   */
  #add(row: JsonObject): boolean {
    const bytes = jsonBytes(row);
    if (this.#rows.length > 0 && this.#bytes + bytes > MAX_BYTES) return false;
    this.#bytes += bytes;
    this.#rows.push(row);
    return true;
  }

  finish(): Finished {
    return { rows: this.#rows, errors: [this.#errors], remarks: [] };
  }
}

function aggregation(collector: AggregateCollector): Answer {
  const { limit } = collector;
  // With one group more than the limit, it is known whether there are more.
  const fold = aggregateFold({ ...collector, limit: limit + 1 }, WHOLE_SHARE);
  const folding = new RowFolding<RowEvaluation, AggregatePart>(fold);
  let taken = 0;
  return {
    isFull: false,
    take(evaluation) {
      folding.add(evaluation);
      taken += 1;
      return true;
    },
    finish(isPart) {
      const { groups, errors, conversions } = folding.part();
      const entries = groups.entries.slice(0, limit);
      const shown: AggregatePart = { groups: { entries }, errors, conversions };
      const made = groupRows(collector, shown);
      const isCut = groups.cut !== undefined || entries.length < groups.entries.length;
      return {
        rows: made.map(({ columns, rows }) => ({ columns, count: rows })),
        remarks: [
          ...(isPart ? [{ error: partOfGroups(taken) }] : []),
          ...(isCut ? [{ error: groupsLeftOut(entries.length) }] : []),
          ...(made[0]?.rows === 0 ? noneErrors(collector).map((error) => ({ ...error })) : []),
        ],
        errors: [errors, conversions],
      };
    },
  };
}

/**
 * The evaluation of a query over the rows of one answer. A row costs what its expressions cost a StatusCollector, and what it
 * costs to read it. Memory is bounded by the limits of the answer.
 */
export class StatusQueryRun {
  readonly #collector: CompiledCollector;
  readonly #answer: Answer;
  /** What each row is about, by its number. */
  readonly #taken: ReturnType<typeof identityOf>[] = [];
  readonly #isContinued: boolean;
  #steps = 0;
  #rowSteps = 0;
  #position: string | undefined;

  /** @param isContinued whether earlier answers have other rows of the same query */
  constructor(collector: CompiledCollector, isContinued = false) {
    this.#collector = collector;
    this.#isContinued = isContinued;
    this.#answer = collector.kind === 'select' ? new Selection(collector) : aggregation(collector);
  }

  /** The steps that were paid so far. */
  get steps(): number {
    return this.#steps;
  }

  /** What the answer has cost so far. */
  get price(): QueryPrice {
    return { rows: this.#taken.length, steps: this.#steps, rowSteps: this.#rowSteps };
  }

  /** Where the next answer begins. Undefined: nothing was taken yet. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Takes the next row. Returns false if the answer is full: this row and those after it belong to the next answer. */
  take(row: QueriedRow): boolean {
    if (this.#steps >= MAX_QUERY_STEPS || this.#answer.isFull) return false;
    // The numbers are in the order of the rows, so the first errors are those of the first rows.
    const key = String(this.#taken.length).padStart(KEY_DIGITS, '0');
    const evaluation = new RowEvaluation({ ...row.row, wec: key });
    if (!this.#answer.take(evaluation, row)) return false;
    this.#steps += QUERY_ROW_STEPS + Math.ceil(row.bytes / QUERY_BYTES_OF_STEP) + evaluation.steps;
    this.#rowSteps = Math.max(this.#rowSteps, evaluation.steps);
    this.#taken.push(identityOf(row));
    this.#position = row.position;
    return true;
  }

  /**
   * The answer: `status` of the query without `continue`.
   *
   * @param isEnd whether there are no more rows
   */
  status(isEnd: boolean): JsonObject {
    const names = columnNames(this.#collector);
    const isPart = !isEnd || this.#isContinued;
    const finished = this.#answer.finish(isPart);
    const listed = finished.errors.flatMap((table) => listErrors(table, names));
    const errors = [
      ...finished.remarks,
      ...listed.map(({ wec: key, columnName, error }) => ({
        // Each key is the number of a row that was taken.
        ...this.#taken[Number(key)],
        columnName,
        error,
      })),
    ];
    return {
      columnNames: names,
      rows: finished.rows,
      price: { ...this.price },
      ...(errors.length === 0 ? {} : { errors }),
    };
  }
}
