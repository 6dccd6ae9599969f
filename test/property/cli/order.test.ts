import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '#local/cli/eval/evaluate.ts';
import { parseDocuments } from '#local/cli/input/parse-documents.ts';
import type { ReadFile } from '#local/cli/input/read-files.ts';
import { readWdsInput } from '#local/cli/input/wds-input.ts';
import { readReports, type WecFiles } from '#local/cli/input/wec-reports.ts';
import { FORMATS, textsOf } from '#local/cli/terminal/print.ts';
import { createBuiltInSchemas } from '#shared/adapters/kubernetes/built-in-schemas.ts';
import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { histories } from '#test/histories.ts';

const FIXTURES = join(import.meta.dirname, '..', '..', 'fixtures', 'cli');

function valuesOf(name: string): readonly JsonValue[] {
  const text = readFileSync(join(FIXTURES, name), 'utf8');
  return parseDocuments(text, name).map(({ value }) => value);
}

/** A second Binding, so that there are two of everything that could be mixed up. */
function variantOf(value: JsonValue): readonly JsonObject[] {
  if (!isObject(value) || value['kind'] !== 'Binding') return [];
  const metadata = { name: 'again', uid: '0b7a3c55-0f0e-4f5e-8f7e-5a8a4c1d2b99' };
  return [{ ...value, metadata }];
}

/** Asks for two objects what no number can be made of, so that there are two errors to tell. */
const UNSUMMABLE: readonly JsonObject[] = [
  {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'StatusCollector',
    metadata: { name: 'names' },
    spec: { combinedFields: [{ name: 'sum', type: 'SUM', subject: 'inventory.name' }] },
  },
  {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'erring', uid: '0b7a3c55-0f0e-4f5e-8f7e-5a8a4c1d2b77' },
    spec: {
      destinations: [{ clusterId: 'wec1' }],
      workload: {
        namespaceScope: [
          ['apps', 'deployments'],
          ['', 'services'],
        ].map(([group = '', resource = '']) => ({
          ...{ group, version: 'v1', resource, namespace: 'shop', name: 'web' },
          statusCollectors: ['names'],
        })),
      },
    },
  },
];

const WDS = valuesOf('wds.yaml');
const GIVEN = [...WDS, ...UNSUMMABLE, ...WDS.flatMap(variantOf), ...valuesOf('workstatuses.yaml')];

/** A WorkStatus of wec1 that is told twice, by objects of different names. */
function twins(): readonly JsonValue[] {
  const [list] = valuesOf('workstatuses.yaml');
  const items = at(list, 'items');
  const [first] = Array.isArray(items) ? items : [];
  if (!isObject(first)) throw new Error('the fixture has a List of WorkStatuses');
  const renamed = (name: string, readyReplicas: number): JsonObject => ({
    ...first,
    metadata: { name, namespace: 'wec3' },
    status: { observedGeneration: 2, readyReplicas },
  });
  return [renamed('a', 1), renamed('b', 2)];
}

/** Documents in some order, cut into some files. */
function files(values: readonly JsonValue[], cuts: readonly boolean[]): readonly ReadFile[] {
  const cut: JsonValue[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (cuts[index] === true) cut.push([]);
    cut.at(-1)?.push(value);
  }
  return cut.map((documents, file) => ({
    file: `${file}.yaml`,
    documents: documents.map((value, index) => ({ number: index + 1, value })),
  }));
}

async function evaluated(read: readonly ReadFile[], wecs: readonly WecFiles[]): Promise<string> {
  const ignore = (): void => {};
  const input = readWdsInput(read, ignore);
  const reports = readReports({ input, wecs }, ignore);
  const given = {
    input,
    reports,
    downstream: new Map(),
    schemas: createBuiltInSchemas(),
    wds: 'wds',
  };
  const { objects } = await evaluate({ ...given, nowMs: 1_763_726_400_000 });
  return FORMATS.flatMap((format) => [...textsOf(objects, format)]).join('');
}

describe('the order of files and objects', () => {
  it('does not matter: equal input gives the same bytes', async () => {
    const third = { spec: { destinations: [{ clusterId: 'wec3' }, { clusterId: 'wec1' }] } };
    const values = [...GIVEN, ...twins()].map((value) =>
      isObject(value) && at(value, 'metadata', 'name') === 'again'
        ? { ...value, spec: { ...(isObject(value['spec']) ? value['spec'] : {}), ...third.spec } }
        : value,
    );
    const wecs = ['wec1', 'wec2'].map((wec) => ({
      wec,
      files: files(valuesOf(`${wec}.yaml`), []),
    }));
    const expected = await evaluated(files(values, []), wecs);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(values, { minLength: values.length }),
        fc.array(fc.boolean(), { minLength: values.length, maxLength: values.length }),
        fc.shuffledSubarray(wecs, { minLength: wecs.length }),
        async (shuffled, cuts, shuffledWecs) => {
          expect(await evaluated(files(shuffled, cuts), shuffledWecs)).toBe(expected);
        },
      ),
      { numRuns: histories({ first: 30, all: 100 }) },
    );
    expect(expected).toContain('wec3');
    expect(expected.match(/starfold: StatusCollector names/g)).toHaveLength(4);
  });
});
