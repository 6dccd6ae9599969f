import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { allSlices } from '#shared/core/slices.ts';
import {
  explainAggregate,
  type FieldExplanation,
} from '#shared/core/status/kinds/explain-status.ts';
import { departureText } from '#shared/core/status/messages.ts';
import { condition, counts, deployment, reported } from '#test/fixtures/wec-rows.ts';

const DEADLINE = condition('Progressing', ['False', 'ProgressDeadlineExceeded']);
const DONE = condition('Progressing', ['True', 'NewReplicaSetAvailable'], '10:05:00');
const ALL = [{ all: true }];

function finished(wec: string, more: JsonObject = {}): PerWecRow {
  return reported(wec, { ...counts(3, [3, 3, 3]), ...more });
}

function explain(workload: WorkloadObject, ...rows: readonly PerWecRow[]) {
  const { fields = [] } =
    allSlices(explainAggregate({ workload, specsByHash: new Map() }, rows)) ?? {};
  const byPath = new Map(fields.map((field) => [field.path, field]));
  return (path: string): FieldExplanation | undefined => byPath.get(path);
}

const widget: WorkloadObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w' },
};

describe('the explanation of an aggregated Deployment', () => {
  it('names the WEC with the lowest number, and the first by name if several have it', () => {
    const low = reported('wec2', counts(3, [3, 2, 1]));
    const field = explain(deployment(), finished('wec1'), low, { ...low, wec: 'wec3' });
    expect(field('availableReplicas')).toEqual({
      path: 'availableReplicas',
      value: 1,
      rule: 'lowest',
      documentation: 'rules.md#deployment',
      decidedBy: [{ wec: 'wec2', value: 1 }],
    });
  });

  it('names a WEC that has said nothing without a value', () => {
    const current = (wec: string) => reported(wec, counts(3, [3, 3, 3]), { sourceGeneration: 2 });
    const field = explain(deployment(2), current('wec1'), current('wec2'), { wec: 'wec3' });
    expect(field('observedGeneration')).toMatchObject({
      value: 1,
      decidedBy: [{ wec: 'wec1', value: 1 }, { wec: 'wec3' }],
    });
    expect(field('readyReplicas')).toMatchObject({ omitted: true, decidedBy: [{ wec: 'wec3' }] });
  });

  it('names the WECs of the status, the entry and the time of a condition', () => {
    const late = finished('wec3', { conditions: [DONE] });
    const failed = finished('wec1', { conditions: [DEADLINE] });
    const other = finished('wec2', { conditions: [condition('Progressing', ['True', 'New'])] });
    const field = explain(deployment(), failed, other, late);
    expect(field('conditions[Progressing]')).toMatchObject({
      rule: 'deciding-entry',
      value: { status: 'False', reason: 'ProgressDeadlineExceeded' },
      departs: departureText('condition', { status: 'False', reason: 'NewReplicaSetAvailable' }),
      decidedBy: [
        { wec: 'wec1', value: DEADLINE },
        { wec: 'wec3', value: DONE },
      ],
    });
  });

  it('says that all decide a condition that all report as True', () => {
    const conditions = [DONE];
    const field = explain(
      deployment(),
      finished('wec1', { conditions }),
      finished('wec2', { conditions }),
    );
    expect(field('conditions[Progressing]')).toMatchObject({ rule: 'condition', decidedBy: ALL });
  });

  it('says that all decide a message that counts the WECs', () => {
    const field = explain(
      deployment(),
      finished('wec1', { conditions: [DONE] }),
      finished('wec2'),
      finished('wec3'),
    );
    expect(field('conditions[Progressing]')).toMatchObject({
      value: { status: 'Unknown', reason: 'NotReportedByAllWECs' },
      decidedBy: ALL,
    });
  });

  it('names a departure with the WECs that decide it, and the literal value', () => {
    const rolling = reported('wec2', counts(4, [3, 3, 3]));
    const field = explain(deployment(), finished('wec1'), rolling, finished('wec3'));
    expect(field('replicas')).toMatchObject({
      value: 4,
      rule: 'old-and-updated',
      decidedBy: [{ wec: 'wec2', value: 4 }],
      departs: departureText('minimum', 3),
    });
  });

  it('names the WEC that has failed for the generation of the WDS', () => {
    const failed = reported(
      'wec1',
      { ...counts(3, [3, 3, 3]), conditions: [DEADLINE], observedGeneration: 2 },
      { generation: 2, sourceGeneration: 2 },
    );
    const field = explain(deployment(2), failed, finished('wec2'), finished('wec3'));
    expect(field('observedGeneration')).toMatchObject({
      value: 2,
      rule: 'current-generation',
      decidedBy: [{ wec: 'wec1', value: 2 }],
      departs: departureText('minimum', 1),
    });
  });

  it('shows a field that WECs report and no rule needs', () => {
    const field = explain(deployment(), finished('wec1', { collisionCount: 2 }), finished('wec2'));
    expect(field('collisionCount')).toEqual({
      path: 'collisionCount',
      omitted: true,
      rule: 'not-aggregated',
      documentation: 'rules.md#deployment',
    });
  });

  it('finds the WECs among many', () => {
    const names = Array.from({ length: 500 }, (_none, index) => `wec${1000 + index}`);
    const rows = names.map((wec) => finished(wec, { conditions: [DONE] }));
    const low = reported('wec1250', { ...counts(3, [3, 2, 1]), conditions: [DONE] });
    const field = explain(deployment(), ...rows.slice(0, 250), low, ...rows.slice(251));
    expect(field('availableReplicas')?.decidedBy).toEqual([{ wec: 'wec1250', value: 1 }]);
    expect(field('replicas')?.decidedBy).toEqual([{ wec: 'wec1000', value: 3 }]);
    expect(field('conditions[Progressing]')?.decidedBy).toEqual(ALL);
  });

  it('is missing if no WEC has returned a status', () => {
    const object = { workload: deployment(), specsByHash: new Map() };
    expect(allSlices(explainAggregate(object, [{ wec: 'wec1' }, { wec: 'wec2' }]))).toBeUndefined();
    expect(allSlices(explainAggregate(object, []))).toBeUndefined();
  });
});

describe('the explanation of addresses', () => {
  const service: WorkloadObject = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'LoadBalancer' },
  };
  const at = (wec: string, ...ips: readonly string[]): PerWecRow =>
    reported(wec, { loadBalancer: { ingress: ips.map((ip) => ({ ip })) } });

  it('names the WECs that contribute to a union, or all if they are more than ten', () => {
    const rows = Array.from({ length: 12 }, (_none, index) =>
      at(`wec${10 + index}`, `192.0.2.${index}`),
    );
    const all = explain(service, ...rows)('loadBalancer');
    expect(all).toMatchObject({ rule: 'union', decidedBy: ALL });
    const some = explain(service, at('wec1', '::a', '::b'), at('wec2', '::b'), at('wec3', '::c'));
    expect(some('loadBalancer')).toMatchObject({
      rule: 'union',
      decidedBy: [{ wec: 'wec1' }, { wec: 'wec3' }],
    });
  });

  it('says that all decide a list that all have', () => {
    const field = explain(service, at('wec1', 'a'), at('wec2', 'a'), at('wec3', 'a'));
    expect(field('loadBalancer')).toMatchObject({ rule: 'same-in-all', decidedBy: ALL });
  });
});

describe('the explanation of a kind without a rule of its own', () => {
  const rows = [
    reported('wec1', { nodes: 3, ready: true, version: '1', size: { port: 1, host: 'a' } }),
    reported('wec2', { nodes: 1, ready: false, version: '1', size: { port: 2, host: 'b' } }),
    reported('wec3', { nodes: 2, ready: true, version: '1', size: { port: 1, host: 'a' } }),
  ];

  it('has the members of maps, and what WECs disagree about', () => {
    const field = explain(widget, ...rows);
    expect(field('nodes')).toMatchObject({
      value: 1,
      rule: 'lowest',
      decidedBy: [{ wec: 'wec2' }],
    });
    expect(field('ready')).toMatchObject({ value: false, rule: 'true-in-all' });
    expect(field('version')).toMatchObject({ rule: 'same-in-all', decidedBy: ALL });
    expect(field('size.port')).toMatchObject({ value: 1, decidedBy: [{ wec: 'wec1', value: 1 }] });
    expect(field('size.host')).toMatchObject({
      omitted: true,
      rule: 'same-in-all',
      documentation: 'rules.md#every-other-kind',
      decidedBy: [
        { wec: 'wec1', value: 'a' },
        { wec: 'wec2', value: 'b' },
      ],
    });
  });

  it('names the WEC whose list has null, because such a list has no common value', () => {
    const lists = [reported('wec1', { zones: ['a'] }), reported('wec2', { zones: [null] })];
    expect(explain(widget, ...lists)('zones[0]')).toMatchObject({
      omitted: true,
      rule: 'same-in-all',
      decidedBy: [{ wec: 'wec2', value: null }],
    });
  });

  it('names the WEC whose generation is the lowest in the numbers of the WDS', () => {
    const at = (wec: string, sourceGeneration: number): PerWecRow =>
      reported(wec, { observedGeneration: 1 }, { sourceGeneration });
    const object = { ...widget, metadata: { name: 'w', generation: 3 } };
    const field = explain(object, at('wec1', 3), at('wec2', 2), at('wec3', 3));
    expect(field('observedGeneration')).toMatchObject({
      value: 2,
      rule: 'lowest-generation',
      decidedBy: [{ wec: 'wec2', value: 1 }],
    });
  });

  it('is missing if there are no WECs', () => {
    const object = { workload: widget, specsByHash: new Map() };
    expect(allSlices(explainAggregate(object, []))).toBeUndefined();
  });

  it('names a WEC without the field', () => {
    const field = explain(widget, ...rows, reported('wec4', { nodes: 4 }));
    expect(field('version')).toMatchObject({ omitted: true, decidedBy: [{ wec: 'wec4' }] });
    expect(field('ready')).toMatchObject({ value: false, decidedBy: [{ wec: 'wec2' }] });
    const missing = explain(widget, ...rows, { wec: 'wec4' });
    expect(missing('nodes')).toMatchObject({
      value: 0,
      decidedBy: [{ wec: 'wec2', value: 1 }, { wec: 'wec4' }],
    });
  });
});
