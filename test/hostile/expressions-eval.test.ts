import { describe, expect, it } from 'vitest';
import { at, isArray, type JsonObject, stringifyJson } from '#shared/core/json.ts';
import { file, find, starfold } from '#test/unit/local/cli/command.ts';

const MAX_OUTPUT_BYTES = 64 * 1024;
const MAX_ERROR_LENGTH = 501;
const OVER_BUDGET = /^operation cancelled: actual cost limit exceeded$/;
const CONTROL = 'control.kubestellar.io/v1alpha1';
const S = 'returned.status';

/** What each of the hostile columns reads; small enough to be kept. */
const STATUS: JsonObject = {
  readyReplicas: 1,
  list: Array.from({ length: 1_000 }, (_element, index) => index),
  text: 'a'.repeat(264_000),
  pattern: 'a{1000}'.repeat(500),
  digits: '9'.repeat(10_000),
};

/** Collectors that end with an error of the WEC's row. */
const EVALUATED: readonly (readonly [name: string, def: string, error: RegExp])[] = [
  ['loops', `${S}.list.all(a, ${S}.list.all(b, ${S}.list.all(c, c >= 0)))`, OVER_BUDGET],
  ['copies', `${S}.list.map(i, ${S}.text)`, OVER_BUDGET],
  ['searches', `${S}.list.all(i, !${S}.text.contains("b"))`, OVER_BUDGET],
  ['doubles', `[[1]]${'.map(a, [a, a])'.repeat(60)}`, OVER_BUDGET],
  ['output', `[${S}.text, ${S}.text, ${S}.text]`, OVER_BUDGET],
  ['digits', `int(${S}.digits)`, /./],
  ['pattern', `"x".matches(${S}.pattern)`, /./],
  ['key', `${S}[${S}.text]`, /./],
  ['cell', `${S}.text`, /takes more than \d+ bytes/],
];
/** Collectors that are refused. */
const REFUSED: readonly (readonly [name: string, def: string])[] = [
  ['literal', `"x".matches("${'a{1000}'.repeat(580)}")`],
  ['nested', '"x".matches("((a{100}){100}){100}")'],
];
const HONEST = 'honest';

function collector(name: string, def: string): JsonObject {
  const spec = { select: [{ name: 'c', def }] };
  return { apiVersion: CONTROL, kind: 'StatusCollector', metadata: { name, uid: name }, spec };
}

function deployment(more: JsonObject): JsonObject {
  const metadata = { name: 'web', namespace: 'shop', uid: 'u1', generation: 1 };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, ...more };
}

const COLLECTORS = [
  ...EVALUATED.map(([name, def]) => collector(name, def)),
  ...REFUSED.map(([name, def]) => collector(name, def)),
  collector(HONEST, `${S}.readyReplicas`),
];
const BINDING: JsonObject = {
  apiVersion: CONTROL,
  kind: 'Binding',
  metadata: { name: 'shop', uid: 'u2' },
  spec: {
    destinations: [{ clusterId: 'wec1' }],
    workload: {
      namespaceScope: [
        {
          ...{ group: 'apps', version: 'v1', resource: 'deployments' },
          ...{ namespace: 'shop', name: 'web' },
          statusCollectors: [...EVALUATED, ...REFUSED].map(([name]) => name).concat(HONEST),
        },
      ],
    },
  },
};

function listOf(value: unknown): readonly JsonObject[] {
  // The command prints lists of objects here.
  return isArray(value as JsonObject) ? (value as readonly JsonObject[]) : [];
}

describe('starfold eval, of hostile collectors beside an honest one', () => {
  const objects = [deployment({}), BINDING, ...COLLECTORS];
  const wds = file('wds.json', stringifyJson({ apiVersion: 'v1', kind: 'List', items: objects }));
  const wec = file('wec1.json', stringifyJson(deployment({ status: STATUS })));
  const run = starfold(['eval', '-f', wds, '--wec', `wec1=${wec}`, '-o', 'json']);
  const results = listOf(find(run.out, 'CombinedStatus', 'u1.u2')?.['results']);
  const resultOf = (name: string) => results.find((result) => result['name'] === name);

  it('exits with 0, and prints little', () => {
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(Buffer.byteLength(run.out)).toBeLessThan(MAX_OUTPUT_BYTES);
  });

  it.each(EVALUATED)('tells the error of the row: %s', (name, _def, error) => {
    const [rowError, ...more] = listOf(resultOf(name)?.['rowErrors']);
    const text = String(rowError?.['error']);
    expect(text).toMatch(error);
    expect(text.length).toBeLessThanOrEqual(MAX_ERROR_LENGTH);
    expect(more).toEqual([]);
  });

  it.each(REFUSED)('tells what is refused in the StatusCollector: %s', (name) => {
    expect(resultOf(name)).toBeUndefined();
    expect(at(find(run.out, 'StatusCollector', name), 'status', 'errors')).toEqual([
      expect.stringMatching(/^spec\.select\[0\]\.def, line \d+, column \d+: .+; .+$/),
    ]);
  });

  it('gives the honest one its result', () => {
    expect(resultOf(HONEST)).not.toHaveProperty('rowErrors');
    expect(listOf(resultOf(HONEST)?.['rows'])).toHaveLength(1);
  });
});
