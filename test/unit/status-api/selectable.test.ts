import { describe, expect, it } from 'vitest';
import {
  selectableWec,
  selectableWecStatus,
  WEC_STATUS_FIELDS,
} from '#shared/core/status-api/selectable.ts';
import { EVERYTHING, selects } from '#shared/core/status-api/selector.ts';
import type { WecStatus } from '#shared/core/status-api/wec-status.ts';

const STATUS: WecStatus = {
  workload: { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
  kind: 'Deployment',
  wec: 'edge-00017',
  ownLabels: { app: 'web', 'starfold.dev/wec': 'forged' },
  state: 'Reported',
  generation: {},
  health: { status: 'Degraded' },
  bindings: ['bp', 'other'],
};

describe('what selectors read of a WECStatus', () => {
  it('are its fields', () => {
    const { fields } = selectableWecStatus(STATUS);
    expect(Object.keys(fields)).toEqual([...WEC_STATUS_FIELDS]);
    expect(fields).toEqual({
      'metadata.name': 'deployments.apps:web:edge-00017',
      'metadata.namespace': 'shop',
      'workload.name': 'web',
      'workload.resource': 'deployments',
      'workload.group': 'apps',
      'workload.kind': 'Deployment',
      wec: 'edge-00017',
      health: 'Degraded',
      state: 'Reported',
    });
  });

  it("are the workload object's labels and Starfold's, which an object cannot change", () => {
    expect(selectableWecStatus(STATUS).labels).toEqual({
      app: 'web',
      'starfold.dev/workload': 'web',
      'starfold.dev/resource': 'deployments.apps',
      'starfold.dev/wec': 'edge-00017',
      'starfold.dev/binding': 'bp',
    });
  });

  it('are shortened where a name is no label value, but not in fields', () => {
    const name = `system:${'x'.repeat(80)}`;
    const long = { ...STATUS, workload: { ...STATUS.workload, name }, bindings: [] };
    const { labels, fields } = selectableWecStatus(long);
    expect(labels['starfold.dev/workload']).toMatch(/^system-x+-[0-9a-f]{16}$/);
    expect(labels['starfold.dev/workload']).toHaveLength(63);
    expect(labels).not.toHaveProperty('starfold.dev/binding');
    expect(fields['workload.name']).toBe(name);
  });

  it('is no health if there is no rule', () => {
    const { health: _health, ...unjudged } = STATUS;
    const unhealthy = {
      labels: [],
      fields: [{ field: 'health', operator: '!=', value: 'Healthy' }],
    } as const;
    expect(selectableWecStatus(unjudged).fields['health']).toBe('');
    expect(selects(unhealthy, selectableWecStatus(unjudged))).toBe(true);
    expect(selects(EVERYTHING, selectableWecStatus(unjudged))).toBe(true);
  });
});

describe('what selectors read of a WEC', () => {
  it('are the labels of its inventory object and its name', () => {
    const selectable = selectableWec({ name: 'east', ownLabels: { region: 'eu' } });
    expect(selectable).toEqual({ labels: { region: 'eu' }, fields: { 'metadata.name': 'east' } });
    const missing = {
      labels: [],
      fields: [{ field: 'unknown', operator: '=', value: '' }],
    } as const;
    expect(selects(missing, selectable)).toBe(true);
  });
});
