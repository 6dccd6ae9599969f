import { Float, isArray, isObject, type JsonValue } from '#shared/core/json.ts';

/** A line of a document. */
export interface YamlLine {
  readonly text: string;
  /** The field of the top that the line belongs to: `replicas`, or `conditions[Ready]` for an entry of conditions. */
  readonly field: string;
}

/** Texts that YAML 1.1 and 1.2 both read as themselves without quotes. */
const PLAIN = /^[A-Za-z/_][\w./-]*(?: [\w./()-]+)*$/;
/** Texts with double quotes that single quotes keep as they are. */
const NEEDS_NO_ESCAPE = /^(?=.*")[ !-&(-[\]-~]+$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|inf|nan)$/i;

function scalar(value: JsonValue): string {
  if (value instanceof Float) return String(value.value);
  if (typeof value !== 'string') return String(value);
  if (PLAIN.test(value) && !WORDS.test(value)) return value;
  return NEEDS_NO_ESCAPE.test(value) ? `'${value}'` : JSON.stringify(value);
}

function isEmpty(value: JsonValue): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0;
}

function isBlock(value: JsonValue): boolean {
  return (isArray(value) || isObject(value)) && !isEmpty(value);
}

function leaf(value: JsonValue): string {
  if (!isEmpty(value)) return scalar(value);
  return isArray(value) ? '[]' : '{}';
}

function listLines(items: readonly JsonValue[]): readonly string[] {
  return items.flatMap((item) => {
    if (!isBlock(item)) return [`- ${leaf(item)}`];
    const [first = '', ...rest] = yamlLines(item);
    return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
  });
}

function entryLines(key: string, value: JsonValue): readonly string[] {
  const name = scalar(key);
  if (!isBlock(value)) return [`${name}: ${leaf(value)}`];
  const indent = isArray(value) ? '' : '  ';
  return [`${name}:`, ...yamlLines(value).map((line) => `${indent}${line}`)];
}

/** A value as lines of YAML, as kubectl prints it but in the order of the value. */
export function yamlLines(value: JsonValue): readonly string[] {
  if (isArray(value) && value.length > 0) return listLines(value);
  if (!isObject(value) || isEmpty(value)) return [leaf(value)];
  return Object.entries(value).flatMap(([key, one]) => entryLines(key, one));
}

function typeOf(entry: JsonValue): string {
  const type = isObject(entry) ? entry['type'] : undefined;
  return typeof type === 'string' ? type : '';
}

/** The lines of a status, each with the field that it belongs to. */
export function statusLines(status: JsonValue): readonly YamlLine[] {
  if (!isObject(status)) return yamlLines(status).map((text) => ({ text, field: '' }));
  return Object.entries(status).flatMap(([key, value]): readonly YamlLine[] => {
    if (key !== 'conditions' || !isArray(value) || value.length === 0)
      return entryLines(key, value).map((text) => ({ text, field: key }));
    const entries = value.flatMap((entry) =>
      listLines([entry]).map((text) => ({ text, field: `conditions[${typeOf(entry)}]` })),
    );
    return [{ text: 'conditions:', field: 'conditions' }, ...entries];
  });
}
