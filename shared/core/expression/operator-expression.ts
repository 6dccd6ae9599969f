import { NO_LIST, noneOf } from '#shared/core/field-messages.ts';
import {
  isArray,
  isNumber,
  isObject,
  type JsonObject,
  type JsonValue,
  member,
  stringifyJson,
} from '#shared/core/json.ts';
import { unknownFields } from '#shared/core/known-members.ts';
import { readJsonPath } from './json-path.ts';
import {
  argsWithPath,
  longAsCel,
  NO_OPERAND,
  nestedDeeper,
  PATH_MISSING,
  PATH_WITH_ARGS,
} from './messages.ts';
import { MAX_DEPTH, MAX_LENGTH } from './syntax-fault.ts';

/** Receives the errors of the translation, and checks the CEL texts in it. */
export interface OperatorReport {
  /** Reports an error: the field, the problem, the remedy. */
  error(text: string): void;
  /** Whether a text among the arguments is valid CEL. If it is not, its error is reported. */
  isCel(field: string, text: string): boolean;
}

/** The position of a part of the expression. */
interface Location {
  /** Path of the part, for messages. */
  readonly field: string;
  readonly depth: number;
}

interface Operator {
  /** The number of arguments. For And and Or, the minimum. */
  readonly arity: number;
  readonly takesMore: boolean;
  readonly write: (operands: readonly string[]) => string;
}

/** Joins operands. A single operand is joined with the neutral value, so that the result is still a bool. */
function chain(operator: string, neutral: string): (operands: readonly string[]) => string {
  return (operands) =>
    (operands.length === 1 ? [...operands, neutral] : operands).join(` ${operator} `);
}

const OPERATORS: ReadonlyMap<JsonValue | undefined, Operator> = new Map([
  ['Not', { arity: 1, takesMore: false, write: ([operand]) => `!${operand}` }],
  ['And', { arity: 1, takesMore: true, write: chain('&&', 'true') }],
  ['Or', { arity: 1, takesMore: true, write: chain('||', 'false') }],
  ['Equal', { arity: 2, takesMore: false, write: (operands) => operands.join(' == ') }],
] satisfies [string, Operator][]);
const OPERATOR_NAMES = ['Path', ...OPERATORS.keys()].join(', ');
const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'args']);
/** An expression can have thousands of parts, all of them wrong. */
const MAX_ERRORS = 10;

function isAbsent(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === '';
}

class Translator {
  readonly #field: string;
  readonly #report: OperatorReport;
  #errors = 0;
  /** Each part makes at least one character of CEL, and each CEL text at least its own characters. */
  #charactersLeft = MAX_LENGTH;

  constructor(field: string, report: OperatorReport) {
    this.#field = field;
    this.#report = report;
  }

  get ok(): boolean {
    return this.#errors === 0;
  }

  /** The CEL of an expression. Errors are reported. If there are any, the returned text must not be used. */
  expression(value: JsonObject, location: Location): string {
    const [unknown] = unknownFields(value, location.field, MEMBERS);
    if (unknown !== undefined) return this.#fault(`${unknown.path}: ${unknown.problem}`);
    const op = member(value, 'op');
    if (op === 'Path') return this.#path(value, location);
    const operator = OPERATORS.get(op);
    if (operator === undefined)
      return this.#fault(`${location.field}.op: ${noneOf(OPERATOR_NAMES)}`);
    if (!isAbsent(member(value, 'path')))
      return this.#fault(`${location.field}.path: ${argsWithPath(String(op))}`);
    const args = this.#args(value, location.field);
    if (args === undefined) return '';
    const { arity, takesMore, write } = operator;
    if (args.length !== arity && !(takesMore && args.length > arity)) {
      const wanted = `${takesMore ? 'at least ' : ''}${arity}`;
      return this.#fault(`${location.field}.args: ${op} takes ${wanted}, not ${args.length}`);
    }
    return write(
      args.map((arg, index) =>
        this.#operand(arg, {
          field: `${location.field}.args[${index}]`,
          depth: location.depth + 1,
        }),
      ),
    );
  }

  #path(value: JsonObject, { field }: Location): string {
    const args = this.#args(value, field);
    if (args === undefined) return '';
    if (args.length > 0) return this.#fault(`${field}.args: ${PATH_WITH_ARGS}`);
    const path = member(value, 'path');
    if (typeof path !== 'string') return this.#fault(`${field}.path: ${PATH_MISSING}`);
    const reading = readJsonPath(path);
    return reading.ok ? reading.text : this.#fault(`${field}.path: ${reading.problem}`);
  }

  #args(value: JsonObject, field: string): readonly JsonValue[] | undefined {
    const args = member(value, 'args');
    if (isAbsent(args)) return [];
    if (isArray(args)) return args;
    this.#fault(`${field}.args: ${NO_LIST}`);
    return undefined;
  }

  #operand(value: JsonValue, location: Location): string {
    if (!this.#spend(typeof value === 'string' ? Math.max(value.length, 1) : 1)) return '';
    if (typeof value === 'string') return this.#cel(value, location.field);
    // The JSON text of these values is valid CEL.
    if (value === null || typeof value === 'boolean' || isNumber(value))
      return stringifyJson(value);
    if (!isObject(value)) return this.#fault(`${location.field}: ${NO_OPERAND}`);
    if (location.depth > MAX_DEPTH)
      return this.#fault(`${this.#field}: ${nestedDeeper('is', MAX_DEPTH)}; nest less deeply`);
    const text = this.expression(value, location);
    return member(value, 'op') === 'Path' ? text : `(${text})`;
  }

  #cel(text: string, field: string): string {
    if (!this.#report.isCel(field, text)) {
      this.#errors += 1;
      return '';
    }
    // A comment in the text would hide a parenthesis on the same line.
    return `(${text}\n)`;
  }

  #spend(characters: number): boolean {
    if (this.#charactersLeft < 0) return false;
    this.#charactersLeft -= characters;
    if (this.#charactersLeft >= 0) return true;
    this.#fault(`${this.#field}: ${longAsCel(MAX_LENGTH)}`);
    return false;
  }

  #fault(text: string): string {
    this.#errors += 1;
    if (this.#errors <= MAX_ERRORS) this.#report.error(text);
    return '';
  }
}

/**
 * Translates an expression in the older form, `{op, path, args}`, to CEL (KubeStellar's first proposal for combined
 * status; docs/architecture.md, section 9.9). Path takes a `path` (see {@link readJsonPath}). Not takes 1 argument,
 * Equal takes 2, And and Or take at least 1 in `args`. An argument is an expression, CEL text, a number, true, false or
 * null.
 *
 * @param field names the expression in messages
 * @returns `undefined` if the expression is invalid. Its errors are then reported.
 */
export function translateOperators(
  value: JsonObject,
  field: string,
  report: OperatorReport,
): string | undefined {
  const translator = new Translator(field, report);
  const text = translator.expression(value, { field, depth: 1 });
  return translator.ok ? text : undefined;
}

/** The name of the column for an expression: the last field of its path, or `value` if the expression is not a Path. */
export function operatorColumnName(value: JsonObject): string {
  const path = member(value, 'path');
  const isPath = member(value, 'op') === 'Path' && typeof path === 'string';
  const reading = isPath ? readJsonPath(path) : undefined;
  return reading?.ok === true ? reading.name : 'value';
}
