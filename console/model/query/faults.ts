import { splitMoreErrors } from '#shared/core/collector/messages.ts';
import { VARIABLES } from '#shared/core/expression/expression.ts';
import { at, isArray, isObject, type JsonValue, textAt } from '#shared/core/json.ts';
import { nearestName } from '#shared/core/nearest-name.ts';
import { type Range, withoutStrings } from './cel-tokens.ts';
import { columnName, combinedName, editorField, type Query, type SentQuery } from './query.ts';

/** What may be written instead of a part of a field. */
export interface Proposal extends Range {
  readonly text: string;
}

/** Something that is wrong in a field, and where. */
export interface Fault {
  /** As of `FieldProblem`. */
  readonly field: string;
  readonly message: string;
  /** The part of the text that it is about. Absent: the whole field. */
  readonly range?: Range;
  readonly proposal?: Proposal;
  /** Whether it is found in rows, not in the text: the query has an answer all the same. */
  readonly isOfRows?: true;
}

/** What the API finds wrong with a field (`details.causes` of a Status). */
export interface Cause {
  readonly field: string;
  readonly message: string;
}

const PLACE = /^line (\d+), column (\d+): /;
const WORD = /[\w.]+|./suy;

/** An offset in UTF-16 units of a line and a column, which count from 1 in code points. */
function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const shown = Array.from(lines[line - 1] ?? '').slice(0, column - 1);
  return before + shown.join('').length;
}

/** From an offset to the end of what stands there. At the end of a text, its last character. */
function rangeAt(text: string, at: number): Range {
  if (text === '') return { from: 0, to: 0 };
  const from = Math.min(at, text.length - 1);
  WORD.lastIndex = from;
  return { from, to: from + (WORD.exec(text)?.[0].length ?? 1) };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

const UNKNOWN_MEMBER = /^(\w+) has no member "(\w+)"; did you mean (\w+\.\w+)\?/;
const UNDECLARED = /^undeclared reference to '(\w+)'/;
const MEANT = /did you mean (\S+)\?$/;

/** Where a pattern next occurs in the code of an expression. */
function found(text: string, pattern: string, from: number): Range | undefined {
  const search = new RegExp(pattern, 'g');
  search.lastIndex = from;
  const match = search.exec(withoutStrings(text));
  return match === null ? undefined : { from: match.index, to: match.index + match[0].length };
}

function proposalOf(text: string, message: string, at: number): Proposal | undefined {
  const [, variable = '', member = '', meant] = UNKNOWN_MEMBER.exec(message) ?? [];
  if (meant !== undefined) {
    const range = found(text, `\\b${variable}\\s*\\.\\s*${escaped(member)}\\b`, 0);
    return range === undefined ? undefined : { ...range, text: meant };
  }
  const [, word] = UNDECLARED.exec(message) ?? [];
  const near = word === undefined ? undefined : nearestName(word, VARIABLES);
  if (word === undefined || near === undefined) return undefined;
  const range = found(text, `\\b${escaped(word)}\\b`, at);
  return range === undefined ? undefined : { ...range, text: near };
}

/** The text of a field of the editor. */
export function fieldText(query: Query, field: string): string {
  const [list = '', index, part = ''] = field.split('.');
  const value = (query as unknown as Readonly<Record<string, unknown>>)[list];
  if (index === undefined) return typeof value === 'string' ? value : '';
  const line: unknown = Array.isArray(value) ? value[Number(index)] : undefined;
  const text = (line as Readonly<Record<string, unknown>> | undefined)?.[part];
  return typeof text === 'string' ? text : '';
}

function faultOf(query: Query, field: string, problem: string): Fault {
  const text = fieldText(query, field);
  const [place = '', line, column] = PLACE.exec(problem) ?? [];
  const message = problem.slice(place.length);
  if (line !== undefined) {
    const at = offsetOf(text, Number(line), Number(column));
    const proposal = proposalOf(text, message, at);
    const range = proposal ?? rangeAt(text, at);
    return {
      ...{ field, message, range: { from: range.from, to: range.to } },
      ...(proposal === undefined ? {} : { proposal }),
    };
  }
  const [, meant] = MEANT.exec(message) ?? [];
  if (meant === undefined || field !== 'resource') return { field, message };
  return { field, message, proposal: { from: 0, to: text.length, text: meant } };
}

/** What the API finds wrong with a question, in the fields of the editor. */
export function faultsOf(
  query: Query,
  sent: SentQuery,
  causes: readonly Cause[],
): readonly Fault[] {
  return causes.map(({ field, message }) => faultOf(query, editorField(field, sent), message));
}

/** The fields of the columns of an answer, by the names of the columns; `''` is the filter. */
function fieldsOfColumns(query: Query): ReadonlyMap<string, string> {
  return new Map([
    ['', 'filter'],
    ...query.select.map((line, index) => [columnName(line), `select.${index}.def`] as const),
    ...query.groupBy.map((line, index) => [columnName(line), `groupBy.${index}.def`] as const),
    ...query.combined.map(
      (line, index) => [combinedName(line), `combined.${index}.subject`] as const,
    ),
  ]);
}

/** How many rows have the same error, and where the first is. */
interface RowsWithError {
  readonly column: string;
  readonly text: string;
  readonly count: number;
  readonly wec: string;
}

function counted(errors: readonly JsonValue[]): readonly RowsWithError[] {
  const byText = new Map<string, RowsWithError>();
  for (const error of errors) {
    if (!isObject(error) || error['columnName'] === undefined) continue;
    const column = textAt(error, 'columnName');
    const { text, more } = splitMoreErrors(textAt(error, 'error'));
    const key = `${column}\n${text}`;
    const known = byText.get(key);
    byText.set(key, {
      ...{ column, text, wec: known?.wec ?? textAt(error, 'wec') },
      count: (known?.count ?? 0) + 1 + more,
    });
  }
  return [...byText.values()];
}

const NO_KEY = /^no such key: (\w+)$/;

/** The names that a part of an expression may have: those behind the names before it. */
export type NamesBehind = (path: readonly string[]) => readonly string[];

/** Where an expression uses a key that rows do not have, and the name that was probably meant. */
function keyFault(text: string, key: string, namesBehind: NamesBehind) {
  const range = found(text, `\\.\\s*${escaped(key)}\\b`, 0);
  if (range === undefined) return {};
  const from = range.to - key.length;
  const before = /[\w.]+$/.exec(withoutStrings(text).slice(0, from))?.[0] ?? '';
  const near = nearestName(key, namesBehind(before.split('.').filter((one) => one !== '')));
  const place = { from, to: range.to };
  if (near === undefined || near === key) return { range: place };
  return { range: place, proposal: { ...place, text: near } };
}

/** The errors of rows, in the fields of the editor: each text once, with the number of its rows. */
export function rowFaults(
  query: Query,
  errors: readonly JsonValue[],
  namesBehind: NamesBehind,
): readonly Fault[] {
  const fields = fieldsOfColumns(query);
  return counted(errors).map(({ column, text, count, wec }): Fault => {
    const field = fields.get(column) ?? '';
    const [, key] = NO_KEY.exec(text) ?? [];
    const where = key === undefined ? {} : keyFault(fieldText(query, field), key, namesBehind);
    const rows = count === 1 ? `in ${wec}` : `in ${count} rows, first in ${wec}`;
    const message = wec === '' ? text : `${text}, ${rows}`;
    return { field, message, ...where, isOfRows: true };
  });
}

/** The errors about a whole answer. */
export function wholeErrors(errors: readonly JsonValue[]): readonly string[] {
  return errors.flatMap((error) =>
    isObject(error) && error['columnName'] === undefined ? [textAt(error, 'error')] : [],
  );
}

/** The causes in the details of a Status that name a field. */
export function causesIn(details: JsonValue | undefined): readonly Cause[] {
  const causes = isObject(details) ? details['causes'] : undefined;
  if (!isArray(causes)) return [];
  return causes.flatMap((cause) => {
    const field = at(cause, 'field');
    return typeof field === 'string' ? [{ field, message: textAt(cause, 'message') }] : [];
  });
}

/** A text with what is proposed. */
export function withProposal(text: string, { from, to, text: better }: Proposal): string {
  return text.slice(0, from) + better + text.slice(to);
}

const TOO_EXPENSIVE = /takes at least (\d+) steps/;

/** The steps that a question takes at least, if it is too expensive whatever the data. */
export function leastSteps(faults: readonly Fault[]): number | undefined {
  for (const { message } of faults) {
    const [, steps] = TOO_EXPENSIVE.exec(message) ?? [];
    if (steps !== undefined) return Number(steps);
  }
  return undefined;
}
