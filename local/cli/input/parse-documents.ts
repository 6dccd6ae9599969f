import { type Document, LineCounter, type Node, parseAllDocuments, visit } from 'yaml';
import { InputError } from '#local/cli/terminal/cli-error.ts';
import { at, Float, isArray, isObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { messageOf } from '#shared/errors.ts';
import { KUBECTL_YAML } from '#shared/kubectl-yaml.ts';
import {
  correctThere,
  documentIn,
  endlessAlias,
  itemIn,
  LARGE_ALIASES,
  lineIn,
  nestedTooDeep,
  noAnchor,
  notJson,
  notYaml,
  placeIn,
  readAsBooleans,
  UNREADABLY_DEEP,
  wordRead,
} from './document-messages.ts';
import { objectTitle } from './object-title.ts';

/** Far deeper than any object of Kubernetes. Processing an object needs stack for each level. */
const MAX_DEPTH = 500;
/** At most this many steps of the path to a part that is too deep are shown. */
const STEPS_SHOWN = 4;

type Step = string | number;

function stepsOf(value: JsonValue): readonly (readonly [step: Step, inner: JsonValue])[] {
  if (isArray(value)) return value.map((inner, index) => [index, inner]);
  return isObject(value) ? Object.entries(value) : [];
}

/** The path to the first part of a value that is too deep, or `undefined` if there is none. */
function wayTooDeep(value: JsonValue, depth = 0): readonly Step[] | undefined {
  if (depth > MAX_DEPTH) return [];
  for (const [step, inner] of stepsOf(value)) {
    const way = wayTooDeep(inner, depth + 1);
    if (way !== undefined) return [step, ...way];
  }
  return undefined;
}

function shown(way: readonly Step[]): string {
  const steps = way.slice(0, STEPS_SHOWN);
  const text = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return `${text.replace(/^\./, '')}…`;
}

function inObject(location: string, value: JsonValue, way: readonly Step[]): string {
  const title = objectTitle((...path) => at(value, ...path));
  return `${location}${title}: ${nestedTooDeep(shown(way), MAX_DEPTH)}`;
}

/**
 * The error of a document that is too deeply nested to process: its location, the item of a list, the object, the field and
 * the remedy. `undefined` for any other document.
 */
function nestingFault(location: string, value: JsonValue): string | undefined {
  const way = wayTooDeep(value);
  if (way === undefined) return undefined;
  const [list, index, ...inner] = way;
  const items = at(value, 'items');
  if (list !== 'items' || typeof index !== 'number' || !isArray(items))
    return inObject(location, value, way);
  return inObject(itemIn(location, index + 1), items[index] ?? null, inner);
}

/** The error of an alias (`*name`) of a YAML document, and the remedy. */
interface AliasFault {
  /** Its offset in the text, in UTF-16 units. */
  readonly offset: number;
  readonly problem: string;
}

function problemOf(name: string, target: Node | undefined, around: readonly unknown[]): string {
  if (target === undefined) return noAnchor(name);
  return around.includes(target) ? endlessAlias(name) : '';
}

/** The first alias of a document that refers to nothing, or to a part that contains the alias itself. */
function aliasFault(document: Document.Parsed): AliasFault | undefined {
  const anchors = new Map<string, Node>();
  let fault: AliasFault | undefined;
  visit(document, {
    Alias: (_key, { source, range }, path) => {
      const problem = problemOf(source, anchors.get(source), path);
      if (problem === '') return undefined;
      // A parsed node has its position.
      fault = { offset: range?.[0] ?? 0, problem };
      return visit.BREAK;
    },
    // Called before what is inside the node.
    Value: (_key, node) => {
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return fault;
}

/** One document of a stream, numbered from 1. */
export interface ParsedDocument {
  readonly number: number;
  readonly value: JsonValue;
}

const INT64_LIMIT = 2n ** 63n;
/** A boolean that every reader recognizes. */
const PLAIN_BOOLEAN = /^(?:true|false)$/i;

function integer(value: bigint): JsonValue {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value >= -INT64_LIMIT && value < INT64_LIMIT ? value : number;
}

function floating(value: number): JsonValue {
  if (!Number.isFinite(value)) throw new InputError(notJson(value));
  return Number.isSafeInteger(value) ? new Float(value) : value;
}

/** A value of the YAML library, without losing the type of numbers: integers are `bigint`. */
function jsonOf(value: unknown): JsonValue {
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return floating(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, jsonOf(entry)]));
  // With kubectl's tags, the rest is null, a boolean or a text.
  return value as JsonValue;
}

/** The beginning of the YAML library's error about aliases of aliases of aliases. */
const TOO_MANY_ALIASES = /^Excessive alias count/;

/** The location of a document, and its line counter. */
interface DocumentLocation {
  readonly location: string;
  readonly lines: LineCounter;
}

function faultAt(
  { location, lines }: DocumentLocation,
  offset: number,
  problem: string,
): InputError {
  return new InputError(`${placeIn(location, lines.linePos(offset))}: ${problem}`);
}

/** Why a valid YAML document has no value. */
function valueFault(
  document: Document.Parsed,
  within: DocumentLocation,
  cause: unknown,
): InputError {
  if (cause instanceof InputError)
    return new InputError(`${within.location}: ${cause.message}`, { cause });
  const fault = aliasFault(document);
  if (fault !== undefined) return faultAt(within, fault.offset, fault.problem);
  const title = objectTitle((...path) => document.getIn(path));
  const problem = TOO_MANY_ALIASES.test(messageOf(cause))
    ? LARGE_ALIASES
    : correctThere(messageOf(cause));
  return new InputError(`${within.location}${title}: ${problem}`, { cause });
}

function documentValue(document: Document.Parsed, within: DocumentLocation): JsonValue {
  const [error] = document.errors;
  if (error?.code === 'RESOURCE_EXHAUSTION') throw faultAt(within, error.pos[0], UNREADABLY_DEEP);
  if (error !== undefined) throw faultAt(within, error.pos[0], notYaml(error.message));
  try {
    return jsonOf(document.toJS({ maxAliasCount: 1000 }));
  } catch (cause) {
    throw valueFault(document, within, cause);
  }
}

/** Receives remarks about a file in addition to its content. */
type Notice = (text: string) => void;

/** One notice for a document with words that look like texts and are booleans. */
function noticeOf(
  document: Document.Parsed,
  { location, lines }: DocumentLocation,
): readonly string[] {
  const words: string[] = [];
  let offset: number | undefined;
  visit(document, {
    Scalar: (_key, { source, value, type, range }) => {
      if (typeof value !== 'boolean' || type !== 'PLAIN') return;
      if (source === undefined || PLAIN_BOOLEAN.test(source)) return;
      offset ??= range?.[0];
      const word = wordRead(source, value);
      if (!words.includes(word)) words.push(word);
    },
  });
  if (words.length === 0) return [];
  const { line } = lines.linePos(offset ?? 0);
  return [`${lineIn(location, line)}: ${readAsBooleans(words.join(', '))}`];
}

function parseYaml(text: string, file: string, notice: Notice): readonly ParsedDocument[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    ...KUBECTL_YAML,
    intAsBigInt: true,
    prettyErrors: false,
    logLevel: 'error',
    lineCounter: lines,
  });
  // If there is no document, the result is a list that marks this.
  const documents = Array.isArray(parsed) ? parsed : [];
  return documents
    .map((document, index) => {
      const within = { location: documentIn(file, index + 1), lines };
      const value = documentValue(document, within);
      for (const one of noticeOf(document, within)) notice(one);
      return { number: index + 1, value };
    })
    .filter(({ value }) => value !== null);
}

/**
 * The documents of a text: JSON, or a stream of YAML. Empty documents are left out. Numbers keep their types: an
 * integer beyond 2^53 is a `bigint`, `3.0` is a {@link Float}.
 *
 * @param file the name of the text in messages
 * @param notice is called with words that kubectl reads as booleans, such as `y` and `on`
 * @throws InputError that names file, document, line and column
 */
export function parseDocuments(
  text: string,
  file: string,
  notice: Notice = () => undefined,
): readonly ParsedDocument[] {
  const documents = parseText(text, file, notice);
  for (const { number, value } of documents) {
    const fault = nestingFault(documentIn(file, number), value);
    if (fault !== undefined) throw new InputError(fault);
  }
  return documents;
}

function parseText(text: string, file: string, notice: Notice): readonly ParsedDocument[] {
  const content = text.replace(/^\uFEFF/, '');
  if (/^\s*[{[]/.test(content)) {
    try {
      return [{ number: 1, value: parseJson(content) }];
    } catch {
      // It may be YAML that begins with a brace. If it is not, YAML's message has the line and column.
    }
  }
  return parseYaml(content, file, notice);
}
