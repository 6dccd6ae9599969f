import { describe, expect, it } from 'vitest';
import { assessKstatus } from '#shared/core/health/kstatus/kstatus.ts';
import { KSTATUS_ORDER, type KstatusCondition } from '#shared/core/health/kstatus/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');

function widget(status: JsonValue, metadata: JsonObject = { generation: 2 }): JsonObject {
  return {
    apiVersion: 'demo.example.com/v1',
    kind: 'Widget',
    metadata: { name: 'gizmo', namespace: 'shop', ...metadata },
    status,
  };
}

function entry(type: string, status: JsonValue, more: JsonObject = {}): JsonObject {
  return { type, status, reason: `${type}Reason`, message: `${type} message.`, ...more };
}

function condition(
  type: KstatusCondition['type'],
  [reason, message]: readonly [reason: string, message: string],
): KstatusCondition {
  return { type, status: 'True', reason, message };
}

describe('kstatus of any object', () => {
  it('is Terminating while it is being deleted, before anything else', () => {
    const metadata = { generation: 2, deletionTimestamp: '2026-11-21T11:00:00Z' };
    const status = { observedGeneration: 1, conditions: [entry('Stalled', 'True')] };
    expect(assessKstatus(widget(status, metadata), NOW_MS)).toEqual({
      status: 'Terminating',
      message: 'Resource scheduled for deletion',
      conditions: [],
    });
  });

  it.each([
    ['behind', 2, 1],
    ['ahead', 2, 3],
    ['beyond 2^53', 9_007_199_254_740_993n, 9_007_199_254_740_992n],
  ])('is InProgress when the observed generation is %s', (_how, generation, observed) => {
    const status = { observedGeneration: observed, conditions: [entry('Stalled', 'True')] };
    const message = `Widget generation is ${generation}, but latest observed generation is ${observed}`;
    expect(assessKstatus(widget(status, { generation }), NOW_MS)).toEqual({
      status: 'InProgress',
      message,
      conditions: [condition('Reconciling', ['LatestGenerationNotObserved', message])],
    });
  });

  it.each([
    ['no generation', widget({ observedGeneration: 1 }, {})],
    ['no observed generation', widget({})],
    ['a null for one', widget({ observedGeneration: null })],
    ['no status', widget(null)],
    ['an empty time of deletion', widget({}, { deletionTimestamp: '' })],
    ['an equal observed generation', widget({ observedGeneration: 2 })],
    ['other conditions', widget({ conditions: [entry('Synced', 'False'), 'odd', null] })],
    ['its standard conditions False', widget({ conditions: [entry('Stalled', 'False')] })],
    ['a condition Ready with a strange status', widget({ conditions: [entry('Ready', 'Yes')] })],
    ['no metadata', { apiVersion: 'v1', kind: 'Node' }],
    ['nothing', {}],
  ])('is Current with %s', (_what, object) => {
    expect(assessKstatus(object, NOW_MS)).toEqual({
      status: 'Current',
      message: 'Resource is current',
      conditions: [],
    });
  });

  it.each([
    ['the generation', widget({}, { generation: '2' }), 'metadata.generation is not an integer'],
    [
      'the observed generation',
      widget({ observedGeneration: 1.5 }),
      'status.observedGeneration is not an integer',
    ],
    ['the conditions', widget({ conditions: { ready: true } }), 'status.conditions is not a list'],
  ])('is Unknown if %s cannot be read', (_what, object, message) => {
    expect(assessKstatus(object, NOW_MS)).toEqual({ status: 'Unknown', message, conditions: [] });
  });

  it.each([
    ['InProgress', [entry('Stalled', 'False'), entry('Reconciling', 'True')]],
    ['InProgress', [entry('Reconciling', 'True'), entry('Stalled', 'True')]],
    ['Failed', [entry('Ready', 'True'), entry('Stalled', 'True'), entry('Reconciling', 'True')]],
  ])('is %s by the first of its standard conditions that is True', (status, conditions) => {
    const type = status === 'Failed' ? 'Stalled' : 'Reconciling';
    const verdict = {
      status,
      message: `${type} message.`,
      conditions: [condition(type, [`${type}Reason`, `${type} message.`])],
    };
    expect(assessKstatus(widget({ conditions }), NOW_MS)).toEqual(verdict);
    const known = { apiVersion: 'v1', kind: 'ConfigMap', status: { conditions } };
    expect(assessKstatus(known, NOW_MS)).toEqual(verdict);
  });

  it('goes by the condition Ready if its kind has no rule', () => {
    const ready = [entry('Synced', 'False'), entry('Ready', 'True')];
    expect(assessKstatus(widget({ conditions: ready }), NOW_MS)).toEqual({
      status: 'Current',
      message: 'Resource is Ready',
      conditions: [],
    });
  });

  it.each(['False', 'Unknown'])('is InProgress with a condition Ready %s', (status) => {
    const conditions = [entry('Ready', 'odd'), entry('Ready', status), entry('Ready', 'True')];
    expect(assessKstatus(widget({ conditions }), NOW_MS)).toEqual({
      status: 'InProgress',
      message: 'Ready message.',
      conditions: [condition('Reconciling', ['ReadyReason', 'Ready message.'])],
    });
  });

  it('takes absent texts of a condition as empty', () => {
    const conditions = [{ type: 'Ready', status: 'False' }];
    expect(assessKstatus(widget({ conditions }), NOW_MS)).toEqual({
      status: 'InProgress',
      message: '',
      conditions: [condition('Reconciling', ['', ''])],
    });
  });

  it.each([
    ['v1', 'ConfigMap', 'Resource is always ready'],
    ['v1', 'Secret', 'Resource is always ready'],
    ['batch/v1', 'CronJob', 'Resource is always ready'],
    ['policy/v1', 'PodDisruptionBudget', 'AllowedDisruptions has been computed.'],
    ['policy/v1beta1', 'PodDisruptionBudget', 'AllowedDisruptions has been computed.'],
    ['v1', 'ReplicationController', 'Resource is current'],
    ['example.com/v1', 'Secret', 'Resource is current'],
    ['v1', 'Job', 'Resource is current'],
  ])('says of a %s %s: %s', (apiVersion, kind, message) => {
    expect(assessKstatus({ apiVersion, kind, metadata: { name: 'x' } }, NOW_MS)).toEqual({
      status: 'Current',
      message,
      conditions: [],
    });
  });
});

describe("kstatus's order", () => {
  it('goes from Failed to Current', () => {
    expect(KSTATUS_ORDER).toEqual([
      'Failed',
      'Unknown',
      'NotFound',
      'Terminating',
      'InProgress',
      'Current',
    ]);
  });
});
