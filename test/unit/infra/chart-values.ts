import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { at, isArray, isObject, type JsonValue, parseJson } from '#shared/core/json.ts';

/** The forwarder's chart. */
export const CHART = 'infra/charts/event-forwarder';
/** The chart of the whole of Starfold. */
export const STARFOLD_CHART = 'infra/charts/starfold';

/** A value of a chart, as values.yaml explains it. */
export interface ChartValue {
  /** Such as `source.select.resources`. */
  readonly path: string;
  readonly standard: JsonValue;
  readonly comment: string;
}

interface Line {
  readonly path: readonly string[];
  readonly comment: string;
}

const KEY = /^( *)([A-Za-z]+):/;

/** The keys of the file, with the comment that stands directly above each. */
function linesOf(text: string): readonly Line[] {
  const lines: Line[] = [];
  let comment: string[] = [];
  let above: string[] = [];
  for (const line of text.split('\n')) {
    const remark = /^ *# (.*)$/.exec(line)?.[1];
    if (remark !== undefined) {
      comment.push(remark);
      continue;
    }
    const [, indent = '', key] = KEY.exec(line) ?? [];
    if (key !== undefined) {
      above = [...above.slice(0, indent.length / 2), key];
      lines.push({ path: above, comment: comment.join(' ') });
    }
    comment = [];
  }
  return lines;
}

function isInside(inner: Line, outer: Line): boolean {
  return (
    inner.path.length > outer.path.length && outer.path.every((key, at) => inner.path[at] === key)
  );
}

/**
 * Every value of values.yaml that has an explanation: those of a section whose parts have their own are these parts.
 *
 * @throws Error that names the values without one.
 */
export function chartValues(chart = CHART): readonly ChartValue[] {
  const text = readFileSync(`${chart}/values.yaml`, 'utf8');
  const lines = linesOf(text);
  const values: JsonValue = parse(text);
  const explained = lines.filter(
    (line) =>
      line.comment !== '' && !lines.some((other) => isInside(other, line) && other.comment !== ''),
  );
  const bare = lines.filter(
    (line) =>
      !isObject(at(values, ...line.path) ?? null) &&
      !explained.some((value) => value === line || isInside(line, value)),
  );
  if (bare.length > 0)
    throw new Error(`no comment above ${bare.map(({ path }) => path.join('.')).join(', ')}`);
  return explained.map(({ path, comment }) => ({
    path: path.join('.'),
    standard: at(values, ...path) ?? null,
    comment,
  }));
}

/** The table of a chart's README. */
export function chartValuesTable(chart = CHART): string {
  const rows = chartValues(chart).map(
    ({ path, standard, comment }) =>
      `| \`${path}\` | \`${JSON.stringify(standard)}\` | ${comment.replaceAll('|', '\\|')} |`,
  );
  return ['| value | default | |', '|---|---|---|', ...rows].join('\n');
}

/** The schema of a chart's values. */
export function chartSchema(chart: string) {
  const schema: JsonValue = parseJson(readFileSync(`${chart}/values.schema.json`, 'utf8'));
  /** The schema of a value: a reference is followed. */
  const resolved = (node: JsonValue | undefined): JsonValue | undefined => {
    const reference = at(node, '$ref');
    if (typeof reference !== 'string') return node;
    return at(schema, ...reference.slice('#/'.length).split('/'));
  };
  const schemaOf = (path: string): JsonValue | undefined =>
    path
      .split('.')
      .reduce<JsonValue | undefined>(
        (node, key) => resolved(at(resolved(node), 'properties', key)),
        schema,
      );
  return { schema, schemaOf };
}

/** Every schema of a mapping with fields. */
export function sections(node: JsonValue): readonly JsonValue[] {
  if (isArray(node)) return node.flatMap(sections);
  if (!isObject(node)) return [];
  const own = isObject(node['properties']) && node['type'] === 'object' ? [node] : [];
  return [...own, ...Object.values(node).flatMap(sections)];
}
