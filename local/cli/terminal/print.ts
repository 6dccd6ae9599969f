import { Scalar, stringify } from 'yaml';
import { Float, isArray, isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { NUMBER_TAGS } from '#shared/kubectl-yaml.ts';

/** Formats for programs. */
export const FORMATS = ['yaml', 'json'] as const;
/** A format for programs. */
export type Format = (typeof FORMATS)[number];

/** JSON text with the members of every object sorted by name and an indent of two spaces, like kubectl's output. */
export function prettyJson(value: JsonValue, indent = ''): string {
  const inner = `${indent}    `;
  if (isArray(value)) {
    if (value.length === 0) return '[]';
    const entries = value.map((entry) => `${inner}${prettyJson(entry, inner)}`);
    return `[\n${entries.join(',\n')}\n${indent}]`;
  }
  if (!isObject(value) || Object.keys(value).length === 0) return stringifyJson(value);
  const members = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => `${inner}${JSON.stringify(key)}: ${prettyJson(entry, inner)}`);
  return `{\n${members.join(',\n')}\n${indent}}`;
}

/**
 * Characters that kubectl rejects in YAML or takes for the end of a line (go-yaml, reader): controls, line separators, marks of
 * the byte order, halves of surrogate pairs.
 */
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be printed as they are.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/gu;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Texts of several lines that kubectl does not read from a block: whitespace at the beginning, or a tab where a line begins. */
const NO_BLOCK = /^(?:\n|[\t ].*\n)|\n\t/s;

/** A text. Only double quotes allow escapes. To kubectl, `<<` is the key of a merge even in quotes, but not with a tag. */
function yamlText(text: string): string | Scalar<string> {
  const isMerge = text === '<<';
  if (!(isMerge || NO_BLOCK.test(text)) && text.search(UNPRINTABLE) === -1) return text;
  const scalar = new Scalar(text);
  scalar.type = Scalar.QUOTE_DOUBLE;
  if (isMerge) scalar.tag = 'tag:yaml.org,2002:str';
  return scalar;
}

function yamlValue(value: JsonValue): unknown {
  if (typeof value === 'string') return yamlText(value);
  if (value instanceof Float) {
    const scalar = new Scalar(value.value);
    scalar.minFractionDigits = 1;
    return scalar;
  }
  if (isArray(value)) return value.map(yamlValue);
  if (!isObject(value)) return value;
  return new Map(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [yamlText(key), yamlValue(entry)]),
  );
}

/** YAML text that has the same meaning in YAML 1.1, in YAML 1.2 and for kubectl. */
export function prettyYaml(value: JsonValue): string {
  const text = stringify(yamlValue(value), {
    schema: 'yaml-1.1',
    // A Map is an object here, not the list that YAML 1.1 calls `omap`.
    customTags: (tags) => [
      ...NUMBER_TAGS,
      ...tags.filter((tag) => typeof tag === 'string' || !tag.tag.endsWith(':omap')),
    ],
    lineWidth: 0,
    // In quotes, kubectl misreads a line that begins with an escaped space: line breaks are escaped too.
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    aliasDuplicateObjects: false,
  });
  return text.replace(UNPRINTABLE, escaped);
}

const LIST_HEAD = '{\n    "apiVersion": "v1",\n    "items": [';
const LIST_TAIL = '],\n    "kind": "List",\n    "metadata": {}\n}\n';
const ITEM_INDENT = '        ';

/** The texts of objects, one after the other, as a `v1` List (JSON) or as a stream of documents (YAML). */
export class ObjectTexts {
  readonly #format: Format;
  #count = 0;

  constructor(format: Format) {
    this.#format = format;
  }

  next(object: JsonValue): string {
    const isFirst = this.#count === 0;
    this.#count += 1;
    if (this.#format === 'yaml') return `${isFirst ? '' : '---\n'}${prettyYaml(object)}`;
    return `${isFirst ? LIST_HEAD : ','}\n${ITEM_INDENT}${prettyJson(object, ITEM_INDENT)}`;
  }

  /** What stands after the last object. */
  end(): string {
    if (this.#format === 'yaml') return '';
    return this.#count === 0 ? `${LIST_HEAD}${LIST_TAIL}` : `\n    ${LIST_TAIL}`;
  }
}

/** The texts of all objects. The whole text is never in memory. */
export function* textsOf(objects: Iterable<JsonValue>, format: Format): Generator<string> {
  const texts = new ObjectTexts(format);
  for (const object of objects) yield texts.next(object);
  yield texts.end();
}
