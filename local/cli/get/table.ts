import { InputError } from '#local/cli/terminal/cli-error.ts';
import {
  at,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  textAt,
} from '#shared/core/json.ts';
import { noTable } from './messages.ts';

/** A Table (Kubernetes API concepts, "Receiving resources as Tables"). */
const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** A column of a Table. */
export interface TableColumn {
  readonly name: string;
  /** 0: always shown. Greater: shown with `-o wide`. */
  readonly priority: number;
}

/** A row of a Table, with what is included of its object. */
export interface TableRow {
  readonly cells: readonly string[];
  readonly object: JsonObject;
}

/** A page of a Table. */
export interface TablePage {
  /** Empty in later pages of some servers. */
  readonly columns: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

function cellText(value: JsonValue): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : String(value);
}

function columnOf(definition: JsonValue): TableColumn {
  return {
    name: textAt(definition, 'name'),
    priority: Number(member(definition, 'priority') ?? 0),
  };
}

function rowOf(row: JsonValue): TableRow {
  const cells = member(row, 'cells');
  const object = member(row, 'object');
  return {
    cells: isArray(cells) ? cells.map(cellText) : [],
    object: isObject(object) ? object : {},
  };
}

/** What decides the form in which objects are asked for. */
export interface Wish {
  /** Whether rows with cells are wanted instead of whole objects. */
  readonly isTable: boolean;
}

/** The header `Accept` for rows or objects. */
export function typeFor({ isTable }: Wish): string {
  return isTable ? TABLE_TYPE : 'application/json';
}

function objectRow(object: JsonValue): readonly TableRow[] {
  return isObject(object) ? [{ cells: [], object }] : [];
}

/**
 * The rows of a page of a list, or of one object. Without a Table, they have no cells.
 *
 * @throws InputError if a Table is wanted, and a server has answered with something else
 */
export function parseRows(page: JsonObject, { isTable }: Wish, place: string): TablePage {
  if (isTable) return parseTable(page, place);
  const { items } = page;
  return { columns: [], rows: isArray(items) ? items.flatMap(objectRow) : objectRow(page) };
}

function parseTable(page: JsonObject, place: string): TablePage {
  const { kind, columnDefinitions: columns, rows } = page;
  if (kind !== 'Table') throw new InputError(noTable(place));
  return {
    columns: isArray(columns) ? columns.map(columnOf) : [],
    rows: isArray(rows) ? rows.map(rowOf) : [],
  };
}

/** What identifies the object of a row in a list. */
export function keyOf(object: JsonObject): string {
  return JSON.stringify([
    at(object, 'metadata', 'namespace') ?? '',
    textAt(object, 'metadata', 'name'),
  ]);
}
