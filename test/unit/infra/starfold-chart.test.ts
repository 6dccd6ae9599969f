import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '#package.json' with { type: 'json' };
import { at, isArray, isObject, type JsonValue, parseJson } from '#shared/core/json.ts';
import { CHART, chartValues, chartValuesTable, STARFOLD_CHART } from './chart-values.ts';

const text = (file: string): string => readFileSync(`${STARFOLD_CHART}/${file}`, 'utf8');
const schema: JsonValue = parseJson(text('values.schema.json'));

/** The schema of a value: a reference is followed. */
function resolved(node: JsonValue | undefined): JsonValue | undefined {
  const reference = at(node, '$ref');
  if (typeof reference !== 'string') return node;
  return at(schema, ...reference.slice('#/'.length).split('/'));
}

function schemaOf(path: string): JsonValue | undefined {
  return path
    .split('.')
    .reduce<JsonValue | undefined>(
      (node, key) => resolved(at(resolved(node), 'properties', key)),
      schema,
    );
}

/** Every schema of a mapping with fields. */
function sections(node: JsonValue): readonly JsonValue[] {
  if (isArray(node)) return node.flatMap(sections);
  if (!isObject(node)) return [];
  const own = isObject(node['properties']) && node['type'] === 'object' ? [node] : [];
  return [...own, ...Object.values(node).flatMap(sections)];
}

describe('the chart of the whole of Starfold', () => {
  it('has the version of the project', () => {
    const chart = parse(text('Chart.yaml'));
    expect([chart.version, chart.appVersion]).toEqual([packageJson.version, packageJson.version]);
  });

  it('explains every value in its README as in values.yaml', () => {
    expect(text('README.md')).toContain(chartValuesTable(STARFOLD_CHART));
  });

  it.each(chartValues(STARFOLD_CHART))('says in its schema what $path may be', ({ path }) => {
    const node = schemaOf(path);
    expect(at(node, 'type') ?? at(node, 'enum') ?? at(node, 'anyOf')).toBeDefined();
  });

  it('rejects unknown values in every section', () => {
    const all = sections(schema);
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((section) => at(section, 'additionalProperties') !== false)).toEqual([]);
  });

  it('sees the same resources as the forwarder of a WDS', () => {
    const { resources } = parse(readFileSync(`${CHART}/values.yaml`, 'utf8')).rbac;
    expect(parse(text('values.yaml')).rbac.resources).toEqual(resources);
  });

  it('names every set of values in its README', () => {
    const sets = readdirSync(`${STARFOLD_CHART}/ci`);
    const named = [...text('README.md').matchAll(/`ci\/([a-z-]+\.yaml)`/g)].map(([, file]) => file);
    expect(named.sort()).toEqual(sets.sort());
  });

  it('has an image of nobody, so that nobody else can publish it', () => {
    expect(parse(text('values.yaml')).image.repository).toBe('');
  });
});
