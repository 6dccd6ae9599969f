import { describe, expect, it } from 'vitest';
import { createDestinations } from '#shared/core/binding/destinations.ts';
import type { WorkloadMembership } from '#shared/core/binding/workload-membership.ts';
import type { CompiledCollector } from '#shared/core/collector/compiled-collector.ts';
import { compileStatusCollector } from '#shared/core/collector/status-collector.ts';
import { otherLifeErrors } from '#shared/core/desired/other-life-fold.ts';
import { oversizedErrors } from '#shared/core/desired/oversized-fold.ts';
import {
  createWorkloadFold,
  statusTooLarge,
  type WorkloadResult,
} from '#shared/core/desired/workload-fold.ts';
import type { WorkloadInputs } from '#shared/core/desired/workload-inputs.ts';
import { foldRows } from '#shared/core/fold/fold.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';
import { counts, deployment, reported } from '#test/fixtures/wec-rows.ts';

const REF = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' };

interface Asked {
  readonly wecs?: readonly string[];
  readonly collectors?: readonly string[];
  readonly singleton?: boolean;
  readonly multi?: boolean;
  readonly policyUid?: string;
}

function membership(binding: string, asked: Asked = {}): WorkloadMembership {
  const { wecs = ['wec1', 'wec2'], policyUid } = asked;
  return {
    binding,
    bindingUid: `uid-${binding}`,
    ...(policyUid === undefined ? {} : { policyUid }),
    version: 'v1',
    modulation: {
      statusCollectors: asked.collectors ?? [],
      wantSingletonReportedState: asked.singleton ?? false,
      wantMultiWECReportedState: asked.multi ?? false,
    },
    destinations: createDestinations(wecs.join(), wecs),
  };
}

function compiled(spec: JsonObject): CompiledCollector {
  const compilation = compileStatusCollector(spec);
  if (!compilation.ok) throw new Error(compilation.errors.join('; '));
  return compilation.collector;
}

const NUMBER = { name: 'n', type: 'COUNT' };

const COLLECTORS = new Map([
  ['count', compiled({ combinedFields: [{ name: 'n', type: 'COUNT' }], limit: 5 })],
  ['names', compiled({ select: [{ name: 'wec', def: 'inventory.name' }], limit: 20 })],
  [
    'facts',
    compiled({
      select: [
        { name: 'replicas', def: 'returned.status.replicas' },
        { name: 'object', def: 'obj.metadata.name' },
        { name: 'at', def: 'string(propagation.lastReturnedUpdateTimestamp)' },
      ],
      limit: 20,
    }),
  ],
  [
    'sum',
    compiled({
      combinedFields: [{ name: 'total', type: 'SUM', subject: 'returned.status.word' }],
      limit: 5,
    }),
  ],
]);

function fold(
  memberships: readonly WorkloadMembership[],
  rows: readonly PerWecRow[],
  more: Partial<WorkloadInputs> = {},
): WorkloadResult {
  const made = createWorkloadFold({
    ref: REF,
    object: deployment(),
    memberships,
    collectors: COLLECTORS,
    specs: new Map(),
    ...more,
  });
  return made.finish(foldRows(made, rows));
}

const ROWS = [
  reported('wec1', counts(3, [3, 3, 3])),
  reported('wec2', counts(3, [3, 2, 2])),
  reported('wec3', counts(3, [3, 1, 1])),
];

/** The first cells of a collector's rows in the CombinedStatus of a Binding. */
function cells({ desired }: WorkloadResult, index: number, collector: number): unknown {
  const results = desired.combinedStatuses[index]?.object['results'];
  const rows = at(Array.isArray(results) ? results[collector] : undefined, 'rows');
  return Array.isArray(rows) ? rows.map((row) => at(row, 'columns')) : rows;
}

describe('the status of a workload object', () => {
  it('is copied from the only WEC of the Bindings that ask for it', () => {
    const asked = membership('one', { wecs: ['wec2'], singleton: true });
    const { desired } = fold([asked, membership('other', { wecs: ['wec1'] })], ROWS);
    expect(desired).toEqual({
      version: 'v1',
      uid: 'wds-web',
      bindings: ['one', 'other'],
      combinedStatuses: [],
      status: {
        type: 'status',
        status: counts(3, [3, 2, 2]),
        labels: {
          'kubestellar.io/executing-count': '1',
          'managed-by.kubestellar.io/singletonstatus': 'true',
          'managed-by.kubestellar.io/multiwecstatus': null,
        },
      },
    });
  });

  it('is aggregated over the union of overlapping destinations', () => {
    const a = membership('a', { wecs: ['wec1', 'wec2'], multi: true });
    const b = membership('b', { wecs: ['wec2', 'wec3'], multi: true });
    const { desired } = fold([a, b], ROWS);
    expect(desired.status).toMatchObject({
      type: 'status',
      status: { replicas: 3, readyReplicas: 1 },
    });
  });

  it('takes no row of a WEC that is the destination only of a Binding that asks for nothing', () => {
    const a = membership('a', { wecs: ['wec1', 'wec2'], multi: true });
    const { desired } = fold([a, membership('b', { wecs: ['wec3'] })], ROWS);
    expect(desired.status).toMatchObject({ status: { readyReplicas: 2 } });
  });

  it('is cleared if no Binding asks for it', () => {
    expect(fold([membership('a')], ROWS).desired.status.type).toBe('none');
    expect(fold([], []).desired).toMatchObject({ version: 'v1', status: { type: 'none' } });
  });

  it('is cleared if no WEC has returned one', () => {
    const { desired } = fold([membership('a', { multi: true })], [{ wec: 'wec1' }]);
    expect(desired.status).toMatchObject({ type: 'none' });
  });

  it.each<[string, WorkloadObject]>([
    ['v1', { apiVersion: 'v1', kind: 'Service', metadata: {} }],
    ['v1beta1', { apiVersion: 'example.org/v1beta1', kind: 'Thing', metadata: {} }],
  ])(
    'is reported in the version %s of an object that no Binding names anymore',
    (version, object) => {
      expect(fold([], [], { object }).desired.version).toBe(version);
    },
  );

  it('of a Namespace is never touched, but collected', () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { uid: 'u' } };
    const asked = membership('a', { multi: true, collectors: ['count'] });
    const ref = { wds: 'wds1', group: '', resource: 'namespaces', namespace: '', name: 'shop' };
    const { desired } = fold([asked], ROWS, { object, ref });
    expect(desired.status).toEqual({ type: 'untouched' });
    expect(desired.combinedStatuses[0]).toMatchObject({
      namespace: 'kubestellar-report',
      name: 'u.uid-a',
    });
  });
});

describe('the API version of an object', () => {
  const hostile = { ...membership('aaa', { multi: true }), version: 'v9' };
  const honest = membership('b', { multi: true });

  it('is the one in which the WDS has reported it, whatever a Binding says', () => {
    expect(fold([hostile, honest], ROWS).desired.version).toBe('v1');
  });

  it('is the one under which it was last known, once it is gone', () => {
    const gone = { object: undefined, lastVersion: 'v1' };
    expect(fold([hostile, honest], ROWS, gone).desired.version).toBe('v1');
  });
});

describe('an object without results', () => {
  const asked = membership('a', { multi: true, collectors: ['count'] });
  const nothing = { status: { type: 'untouched' }, combinedStatuses: [], bindings: ['a'] };

  it('is one that a Binding names and nobody has seen: it is not changed', () => {
    const { desired, bindingErrors } = fold([asked], ROWS, { object: undefined });
    expect(desired).toEqual({ ...nothing, version: 'v1' });
    expect(bindingErrors.size).toBe(0);
  });

  it('is one that no Binding names and no source has reported: its owned parts are removed', () => {
    const labels = {
      'kubestellar.io/executing-count': null,
      'managed-by.kubestellar.io/multiwecstatus': null,
      'managed-by.kubestellar.io/singletonstatus': null,
    };
    expect(fold([], [], { object: undefined, lastVersion: 'v1beta1' }).desired).toEqual({
      version: 'v1beta1',
      status: { type: 'none', labels },
      combinedStatuses: [],
      bindings: [],
    });
    expect(fold([], [], { object: undefined }).desired.version).toBe('');
  });

  it('is one that is being deleted', () => {
    const base = deployment();
    const metadata = { ...base.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
    const object = { ...base, metadata };
    expect(fold([asked], ROWS, { object }).desired).toEqual({ ...nothing, version: 'v1' });
    expect(fold([], [], { object }).desired).toEqual({ ...nothing, version: 'v1', bindings: [] });
  });
});

describe('CombinedStatuses', () => {
  it('are one for each Binding that names collectors, over its own destinations', () => {
    const a = membership('a', { wecs: ['wec1', 'wec2'], collectors: ['count', 'names'] });
    const b = membership('b', {
      wecs: ['wec2', 'wec3', 'wec4'],
      collectors: ['count'],
      policyUid: 'p',
    });
    const c = membership('c');
    const result = fold([a, b, c], ROWS);
    expect(result.desired.combinedStatuses.map(({ namespace, name }) => [namespace, name])).toEqual(
      [
        ['shop', 'wds-web.uid-a'],
        ['shop', 'wds-web.p'],
      ],
    );
    expect(cells(result, 0, 0)).toEqual([[{ type: 'Number', float: '2' }]]);
    expect(cells(result, 0, 1)).toEqual([
      [{ type: 'String', string: 'wec1' }],
      [{ type: 'String', string: 'wec2' }],
    ]);
    expect(cells(result, 1, 0)).toEqual([[{ type: 'Number', float: '2' }]]);
  });

  it('count a destination that has said nothing, with an empty status', () => {
    const result = fold([membership('a', { collectors: ['count'] })], [{ wec: 'wec1' }]);
    expect(cells(result, 0, 0)).toEqual([[{ type: 'Number', float: '1' }]]);
  });

  it('see the object, the returned status and when it was returned', () => {
    const row = reported('wec1', { replicas: 4 }, { lastUpdate: '2026-01-01T00:00:00Z' });
    const result = fold([membership('a', { collectors: ['facts'] })], [row]);
    expect(cells(result, 0, 0)).toEqual([
      [
        { type: 'Number', float: '4' },
        { type: 'String', string: 'web' },
        { type: 'String', string: '2026-01-01T00:00:00Z' },
      ],
    ]);
  });

  it.each([
    ['select', { select: [{ name: 'stale', def: 'propagation.stale' }] }],
    ['group', { groupBy: [{ name: 'stale', def: 'propagation.stale' }], combinedFields: [NUMBER] }],
    ['filter', { filter: '!propagation.stale', select: [{ name: 'stale', def: 'false' }] }],
    [
      'sum',
      {
        groupBy: [{ name: 'stale', def: '!has(returned.status.replicas)' }],
        combinedFields: [{ name: 'n', type: 'SUM', subject: 'propagation.stale ? 1 : 0' }],
      },
    ],
  ])('see which WECs are stale if they %s by it', (form, spec) => {
    const collectors = new Map([['stale', compiled(spec)]]);
    const wecs = ['wec1', 'wec2', 'wec3'];
    const silent = new Map([['wec2', undefined]]);
    const rows = [...ROWS.slice(0, 2), { wec: 'wec3' }];
    const result = fold([membership('a', { wecs, collectors: ['stale'] })], rows, {
      collectors,
      silent,
    });
    const bool = (value: boolean) => ({ type: 'Bool', bool: value });
    const number = (value: number) => ({ type: 'Number', float: String(value) });
    const expected: Readonly<Record<string, unknown>> = {
      select: [[bool(false)], [bool(true)], [bool(true)]],
      group: [
        [bool(false), number(1)],
        [bool(true), number(2)],
      ],
      filter: [[bool(false)]],
      sum: [
        [bool(false), number(1)],
        [bool(true), number(1)],
      ],
    };
    expect(cells(result, 0, 0)).toEqual(expected[form]);
  });

  it('see the labels of WECs, and {} for a WEC without labels', () => {
    const spec = {
      groupBy: [
        { name: 'region', def: '"region" in inventory.labels ? inventory.labels.region : ""' },
      ],
      combinedFields: [
        NUMBER,
        { name: 'replicas', type: 'SUM', subject: 'returned.status.replicas' },
      ],
    };
    const collectors = new Map([['regions', compiled(spec)]]);
    const inventory = new Map([['wec2', { labels: { region: 'eu' }, annotations: {} }]]);
    const result = fold([membership('a', { collectors: ['regions'] })], ROWS, {
      collectors,
      inventory,
    });
    expect(cells(result, 0, 0)).toEqual([
      [
        { type: 'String', string: '' },
        { type: 'Number', float: '1' },
        { type: 'Number', float: '3' },
      ],
      [
        { type: 'String', string: 'eu' },
        { type: 'Number', float: '1' },
        { type: 'Number', float: '3' },
      ],
    ]);
  });

  it('see the spec and the metadata that WECs have returned, where they are known', () => {
    const spec = {
      select: [
        { name: 'spec', def: 'has(returned.spec) ? returned.spec.replicas : 0' },
        { name: 'made', def: 'has(returned.metadata) ? returned.metadata : {}' },
      ],
    };
    const collectors = new Map([['returned', compiled(spec)]]);
    const specs = new Map<string, JsonValue>([['hash', { replicas: 7 }]]);
    const created = '2026-01-01T00:00:00Z';
    const rows: readonly PerWecRow[] = [
      { wec: 'wec1', row: { wec: 'wec1', uid: 'u1', generation: 2, specHash: 'hash', created } },
      { wec: 'wec2', row: { wec: 'wec2', uid: '', generation: 0, status: { replicas: 1 } } },
      { wec: 'wec3' },
      { wec: 'wec4', row: { wec: 'wec4', uid: 'u4', generation: 2 } },
    ];
    const wecs = rows.map(({ wec }) => wec);
    const result = fold([membership('a', { wecs, collectors: ['returned'] })], rows, {
      collectors,
      specs,
    });
    const number = (value: number) => ({ type: 'Number', float: String(value) });
    const object = (value: JsonObject) => ({ type: 'Object', object: value });
    expect(cells(result, 0, 0)).toEqual([
      [number(7), object({ uid: 'u1', generation: 2, creationTimestamp: created })],
      [number(0), object({})],
      [number(0), object({})],
      [number(0), object({ uid: 'u4', generation: 2 })],
    ]);
  });

  it('are kept, without a result, if a collector is missing', () => {
    const { desired } = fold([membership('a', { collectors: ['gone', 'count'] })], ROWS);
    const results = desired.combinedStatuses[0]?.object['results'];
    expect(results).toMatchObject([{ name: 'count' }]);
    const { desired: none } = fold([membership('a', { collectors: ['gone'] })], ROWS);
    expect(none.combinedStatuses[0]?.object['results']).toEqual([]);
  });

  it('have no owner if the object has no uid', () => {
    const object = { ...deployment(), metadata: { name: 'web' } };
    const { desired } = fold([membership('a', { collectors: ['count'] })], ROWS, { object });
    expect(desired.combinedStatuses[0]?.name).toBe('.uid-a');
  });
});

describe('the errors for each Binding', () => {
  it('name the first five WECs whose status was too large and count the others, for every Binding', () => {
    const wecs = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'];
    const rows = wecs.toReversed().map((wec): PerWecRow => ({ wec, oversizedBytes: 500_000 }));
    const a = membership('a', { wecs });
    const b = membership('b', { wecs: ['w9'] });
    const { bindingErrors } = fold([a, b], rows);
    const first = wecs.slice(0, 5).map((wec) => [wec, 500_000] as const);
    const texts = oversizedErrors(REF, { count: 7, first });
    expect(texts).toHaveLength(6);
    expect(bindingErrors).toEqual(
      new Map([
        ['a', texts],
        ['b', texts],
      ]),
    );
  });

  describe('of objects that were made for an earlier one', () => {
    const metadata = { name: 'web', uid: 'new', creationTimestamp: '2026-03-01T10:00:00Z' };
    const object = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { completions: 1 } };
    const said = (wec: string, more: Partial<WecRow>) => reported(wec, { active: 1 }, more);
    const older = { created: '2026-03-01T09:00:00Z' };
    const wecs = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7'];
    const rows = [
      said('w1', { sourceUid: 'old' }),
      said('w2', { specHash: 'other' }),
      ...wecs.slice(2).map((wec) => said(wec, older)),
      said('w9', older),
    ];
    const specs = new Map([['other', { completions: 2 }]]);
    it('name the first five of those that qualify and count the others, for Bindings that ask for status', () => {
      const asking = membership('a', { wecs, multi: true });
      const other = membership('b', { wecs: ['w9'], collectors: ['count'] });
      const { desired, bindingErrors } = fold([asking, other], rows, { object, specs });
      expect(desired.status).toMatchObject({ type: 'none' });
      expect(bindingErrors).toEqual(
        new Map([
          [
            'a',
            otherLifeErrors(REF, {
              count: 7,
              first: [
                ['w1', 'source'],
                ['w2', 'spec'],
                ['w3', 'age'],
                ['w4', 'age'],
                ['w5', 'age'],
              ],
            }),
          ],
        ]),
      );
    });

    it('report the one WEC whose status is not copied', () => {
      const asking = membership('a', { wecs: ['w3'], singleton: true });
      expect(fold([asking], rows, { object }).bindingErrors).toEqual(
        new Map([['a', otherLifeErrors(REF, { count: 1, first: [['w3', 'age']] })]]),
      );
    });

    it('are missing if nothing would be returned anyway', () => {
      const wrongNumber = membership('a', { wecs, singleton: true });
      expect(fold([wrongNumber], rows, { object }).bindingErrors).toEqual(
        new Map([['a', [{ singletonWecs: 7 }]]]),
      );
    });
  });

  it('say nothing of an oversized status of a WEC that is not a destination', () => {
    const rows = [{ wec: 'wec9', oversizedBytes: 500_000 }];
    expect(fold([membership('a')], rows).bindingErrors.size).toBe(0);
  });

  it.each([
    ['two WECs', { singleton: true, wecs: ['wec1', 'wec2'] }],
    ['no WEC', { singleton: true, wecs: [] }],
    ['no WEC, also where several would do', { singleton: true, multi: true, wecs: [] }],
  ])('report that singleton status is requested from %s', (_name, asked) => {
    const { bindingErrors } = fold([membership('a', asked), membership('b')], []);
    expect(bindingErrors).toEqual(new Map([['a', [{ singletonWecs: asked.wecs.length }]]]));
  });

  it.each([
    ['goes to one WEC', [membership('a', { singleton: true, wecs: ['wec1'] })]],
    ['goes to several that may be aggregated', [membership('a', { singleton: true, multi: true })]],
    ['asks for no singleton status', [membership('a', { multi: true, wecs: [] })]],
  ])('say nothing of the number of WECs of an object that %s', (_name, memberships) => {
    expect(fold(memberships, []).bindingErrors.size).toBe(0);
  });

  it('repeat what a collector could not convert, for its own Binding alone', () => {
    const a = membership('a', { wecs: ['wec1'], collectors: ['sum'] });
    const row = reported('wec1', { word: 'many' });
    const { bindingErrors } = fold([a, membership('b')], [row]);
    expect([...bindingErrors.keys()]).toEqual(['a']);
    expect(bindingErrors.get('a')?.[0]).toMatch(
      /^StatusCollector sum, column total, deployments\.apps shop\/web: /,
    );
  });
});

describe('a status that is too large for an API server', () => {
  const large = { ...counts(3, [3, 3, 3]), text: 'x'.repeat(1_000_000) };
  const rows = [reported('wec1', large)];
  const result = fold(
    [
      membership('returns', { wecs: ['wec1'], singleton: true }),
      membership('collects', { wecs: ['wec1'], collectors: ['names'] }),
    ],
    rows,
  );

  it('is cleared, with the labels that say so', () => {
    expect(result.desired.status).toEqual({
      type: 'none',
      labels: {
        'kubestellar.io/executing-count': '1',
        'managed-by.kubestellar.io/singletonstatus': null,
        'managed-by.kubestellar.io/multiwecstatus': null,
      },
    });
  });

  it('is reported in the Bindings that ask for it, and the other results are not affected', () => {
    expect([...result.bindingErrors]).toEqual([['returns', [statusTooLarge(REF, 1_000_107)]]]);
    expect(cells(result, 0, 0)).toEqual([[{ type: 'String', string: 'wec1' }]]);
  });

  it('is among the dropped content, also if it is nested too deep', () => {
    expect(result.dropped).toEqual(result.bindingErrors.get('returns'));
    let deep: JsonValue = null;
    for (let level = 0; level <= 500; level += 1) deep = [deep];
    const singleton = [membership('returns', { wecs: ['wec1'], singleton: true })];
    const { dropped } = fold(singleton, [reported('wec1', { ...counts(3, [3, 3, 3]), deep })]);
    expect(dropped).toEqual([statusTooLarge(REF, Number.POSITIVE_INFINITY)]);
  });
});
