import { Scalar, stringify } from 'yaml';
import { Float, isArray, isObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';

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

function yamlValue(value: JsonValue): unknown {
  if (value instanceof Float) {
    const scalar = new Scalar(value.value);
    scalar.minFractionDigits = 1;
    return scalar;
  }
  if (isArray(value)) return value.map(yamlValue);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, entry]) => [key, yamlValue(entry)]),
  );
}

/** YAML text that has the same meaning in YAML 1.1 and 1.2. */
export function prettyYaml(value: JsonValue): string {
  return stringify(yamlValue(value), {
    schema: 'yaml-1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
    sortMapEntries: true,
  });
}

/** Objects as a `v1` List (JSON) or as a stream of documents (YAML). */
export function printObjects(objects: readonly JsonValue[], format: Format): string {
  if (format === 'yaml') return objects.map(prettyYaml).join('---\n');
  return `${prettyJson({ apiVersion: 'v1', items: objects, kind: 'List', metadata: {} })}\n`;
}
