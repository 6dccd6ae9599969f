import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import packageJson from '#package.json' with { type: 'json' };
import { at } from '#shared/core/json.ts';
import {
  CHART,
  chartSchema,
  chartValues,
  chartValuesTable,
  STARFOLD_CHART,
  sections,
} from './chart-values.ts';

const text = (file: string): string => readFileSync(`${STARFOLD_CHART}/${file}`, 'utf8');
const { schema, schemaOf } = chartSchema(STARFOLD_CHART);

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
