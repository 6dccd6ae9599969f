import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noReport } from '#local/cli/input/messages.ts';
import { unknownBeginning } from '#shared/core/expression/messages.ts';
import { at, isArray, type JsonValue } from '#shared/core/json.ts';
import { file, find, fixture, items, starfold } from './command.ts';

/** The Deployment as a WEC returns it: made from the WDS's current generation where the replicas are the same. */
function returned(replicas: number, status: string): string {
  return `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  generation: 7
  managedFields:
    - { manager: kcm, subresource: status, time: "2026-11-21T11:00:00Z", fieldsV1: { "f:status": {} } }
spec: { replicas: ${replicas} }
status: ${status}
`;
}

const WECS = Object.entries({
  current: returned(3, '{ observedGeneration: 7, phase: Running, availableReplicas: 3 }'),
  behind: returned(2, '{ observedGeneration: 7, phase: Running, availableReplicas: 2 }'),
  silent: returned(3, '{ observedGeneration: 7, phase: Failed, availableReplicas: 3 }'),
}).flatMap(([wec, text]) => ['--wec', `${wec}=${file(`${wec}.yaml`, text)}`]);

const OLDER_FORM = readFileSync(fixture('older-form.yaml'), 'utf8');

function run(wds = OLDER_FORM, now = '2026-11-21T12:00:00Z') {
  return starfold(['eval', '-f', '-', ...WECS, '--now', now, '-o', 'json'], wds);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isArray(value) ? value : [];
}

/** The column names and rows of a collector's result, each cell by what is in it. */
function table(out: string, collector: string): unknown {
  const combined = items(out).find((one) => one['kind'] === 'CombinedStatus');
  const result = listOf(at(combined, 'results')).find((one) => at(one, 'name') === collector);
  const cellOf = (cell: JsonValue) => at(cell, 'string') ?? at(cell, 'float') ?? at(cell, 'object');
  const rows = listOf(at(result, 'rows')).map((row) => listOf(at(row, 'columns')).map(cellOf));
  return [at(result, 'columnNames'), ...rows];
}

describe('starfold eval, of StatusCollectors in the older form', () => {
  const evaluated = run();

  it('finds nothing wrong with them', () => {
    expect(evaluated).toMatchObject({
      code: 0,
      err: `starfold: ${noReport('nothing')}\n`,
    });
    const collectors = items(evaluated.out).filter((one) => one['kind'] === 'StatusCollector');
    expect(collectors).toHaveLength(7);
    for (const one of collectors) expect(one['status']).not.toHaveProperty('errors');
  });

  it.each<[string, unknown]>([
    ['num-wecs', [['count'], ['4']]],
    ['stale-ones', [['name'], ['behind'], ['nothing'], ['silent']]],
    [
      'pod-phase',
      [
        ['phase', 'count'],
        ['Failed', '1'],
        ['Running', '2'],
      ],
    ],
    [
      'available-replicas-histogram',
      [
        ['numAvailable', 'count'],
        ['2', '1'],
        ['3', '2'],
      ],
    ],
    ['sad-ones', [['wec'], ['behind']]],
    [
      'full-status',
      [
        ['wec', 'status'],
        ['behind', { observedGeneration: 7, phase: 'Running', availableReplicas: 2 }],
        ['current', { observedGeneration: 7, phase: 'Running', availableReplicas: 3 }],
        ['nothing', {}],
        ['silent', { observedGeneration: 7, phase: 'Failed', availableReplicas: 3 }],
      ],
    ],
    [
      'mixed',
      [
        ['since', 'wec'],
        ['2026-11-21T11:00:00Z', 'current'],
      ],
    ],
  ])('gives the result of %s', (collector, expected) => {
    expect(table(evaluated.out, collector)).toEqual(expected);
  });

  it('reports the error of an expression in its StatusCollector', () => {
    const wrong = OLDER_FORM.replace('"$.propagation.stale"', '"$.metadata.stale"');
    const { code, out } = run(wrong);
    expect(code).toBe(0);
    expect(at(find(out, 'StatusCollector', 'stale-ones'), 'status', 'errors')).toEqual([
      expect.stringContaining(`spec.filter.path: ${unknownBeginning('"$.metadata.stale"')}`),
    ]);
  });
});

describe('starfold eval, of a WEC whose ManagedCluster is not available', () => {
  const STALE = [['name'], ['behind'], ['nothing'], ['silent']];
  const FRESH = [['name'], ['behind'], ['nothing']];
  const TIME = 'lastTransitionTime: "2026-11-21T11:54:59Z"';

  it.each<[string, unknown, string, string]>([
    ['five minutes', FRESH, '', '2026-11-21T11:59:59Z'],
    ['a moment more', STALE, '', '2026-11-21T11:59:59.001Z'],
    [
      'less than five of its own leases',
      FRESH,
      'leaseDurationSeconds: 120',
      '2026-11-21T12:04:00Z',
    ],
    [
      'more than five of its own leases',
      STALE,
      'leaseDurationSeconds: 120',
      '2026-11-21T12:05:00Z',
    ],
    [
      'more than five leases of no length',
      STALE,
      'leaseDurationSeconds: 0',
      '2026-11-21T12:00:00Z',
    ],
  ])('for %s, reports whether it is stale', (...[_what, expected, spec, now]) => {
    const wds = OLDER_FORM.replace(
      'name: silent\nstatus:',
      `name: silent\nspec: { ${spec} }\nstatus:`,
    );
    expect(wds).not.toBe(OLDER_FORM);
    expect(table(run(wds, now).out, 'stale-ones')).toEqual(expected);
  });

  it.each<[string, unknown, string, string]>([
    ['says that it is not', STALE, 'status: Unknown', 'status: "False"'],
    ['says that it is', FRESH, 'status: Unknown', 'status: "True"'],
    ['does not say since when', STALE, TIME, 'reason: NoTime'],
    [
      'says nothing',
      FRESH,
      'type: ManagedClusterConditionAvailable',
      'type: HubAcceptedManagedCluster',
    ],
    ['has no conditions', FRESH, '  conditions:', '  others:'],
  ])('goes by the condition: it %s', (...[_what, expected, from, to]) => {
    const wds = OLDER_FORM.replace(from, to);
    expect(wds).not.toBe(OLDER_FORM);
    expect(table(run(wds).out, 'stale-ones')).toEqual(expected);
  });
});
