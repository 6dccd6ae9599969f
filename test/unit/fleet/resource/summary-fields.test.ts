import { describe, expect, it } from 'vitest';
import type { ResourceSummary } from '#shared/core/fleet/resource/rule.ts';
import {
  isReadySummary,
  summarizeResource,
  summaryJson,
} from '#shared/core/fleet/resource/summary.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const CURRENT = 'Resource is current';

function summarize(object: JsonObject): ResourceSummary {
  return summarizeResource(object, { nowMs: NOW_MS });
}

/** State, flags and messages in one line: `pending !~ a | b`; `!` is an error, `~` a transition. */
function told(object: JsonObject): string {
  const { state, error, transitioning, message } = summarize(object);
  return `${state} ${error ? '!' : ''}${transitioning ? '~' : ''} ${message.join(' | ')}`;
}

function widget(fields: JsonObject): JsonObject {
  return {
    apiVersion: 'demo.example.com/v1',
    kind: 'Widget',
    metadata: { name: 'gizmo', namespace: 'shop' },
    ...fields,
  };
}

describe("what a resource says of itself (Fleet's summarizers, checkStatusSummary)", () => {
  it.each<readonly [what: string, status: JsonObject, told: string]>([
    ['the state of display', { display: { state: ' Paused ' } }, `paused  ${CURRENT}`],
    [
      'flags and message of display',
      { display: { state: 'Odd', error: true, transitioning: true, message: ' broken ' } },
      `odd !~ broken | ${CURRENT}`,
    ],
    ['flags as text', { display: { error: 'Yes', transitioning: 'no' } }, `active ! ${CURRENT}`],
    ['the first of a list', { display: { message: ['a', 'b'] } }, `active  a | ${CURRENT}`],
    ['an empty list', { display: { message: [] } }, `active  ${CURRENT}`],
    ['numbers as text', { display: { state: 7, message: 8n } }, `7  8 | ${CURRENT}`],
    ['no objects', { display: { state: {}, message: null } }, `active  ${CURRENT}`],
    [
      'the summary where display is empty',
      { display: {}, summary: { state: 'Waiting', transitioning: true } },
      `waiting ~ ${CURRENT}`,
    ],
    [
      'the summary where display is no object',
      { display: 'odd', summary: { error: true } },
      `active ! ${CURRENT}`,
    ],
    [
      'not the summary where there is a display',
      { display: { state: 'a' }, summary: { state: 'b', error: true } },
      `a  ${CURRENT}`,
    ],
    [
      "not the counters of Fleet's own summaries",
      { summary: { ready: 1, desiredReady: 2 } },
      `active  ${CURRENT}`,
    ],
    [
      'an error that gets the state error is named so',
      {
        display: { state: 'active' },
        conditions: [{ type: 'Odd', status: 'True', reason: 'Error', message: 'broken' }],
      },
      `error ! broken | ${CURRENT}`,
    ],
    [
      'a state of its own stays with an error',
      {
        display: { state: 'paused' },
        conditions: [{ type: 'Odd', status: 'True', reason: 'Error', message: 'broken' }],
      },
      `paused ! broken | ${CURRENT}`,
    ],
  ])('%s', (_what, status, line) => {
    expect(told(widget({ status }))).toBe(line);
  });
});

describe("spec.active (Fleet's summarizers, checkActive)", () => {
  it.each<readonly [active: JsonValue, state: string]>([
    [true, 'active'],
    ['true', 'active'],
    [false, 'inactive'],
    ['false', 'inactive'],
    ['odd', 'active'],
    [{}, 'active'],
  ])('%j gives %s', (active, state) => {
    expect(told(widget({ spec: { active } }))).toBe(`${state}  ${CURRENT}`);
  });

  it('does not replace a state', () => {
    const fields = { spec: { active: false }, status: { display: { state: 'paused' } } };
    expect(told(widget(fields))).toBe(`paused  ${CURRENT}`);
  });

  it('leaves nothing for kstatus to name', () => {
    const conditions = [{ type: 'Reconciling', status: 'False' }];
    const metadata = { generation: 2 };
    const status = { observedGeneration: 1, conditions };
    expect(told(widget({ metadata, spec: { active: true }, status }))).toBe(
      'active ~ Widget generation is 2, but latest observed generation is 1',
    );
  });
});

describe("status.phase (Fleet's summarizers, checkPhase)", () => {
  const installing = { type: 'Installed', status: 'Unknown', message: 'installing' };
  const failing = { type: 'Installed', status: 'False', message: 'failing' };

  it.each<readonly [what: string, status: JsonObject, told: string]>([
    ['Succeeded', { phase: 'Succeeded' }, `succeeded  ${CURRENT}`],
    ['Bound', { phase: 'Bound' }, `bound  ${CURRENT}`],
    ['any other', { phase: 'Provisioned' }, `provisioned  ${CURRENT}`],
    ['one of the wrong type', { phase: {} }, `active  ${CURRENT}`],
    [
      'Succeeded ends a transition',
      { phase: 'Succeeded', conditions: [installing] },
      `succeeded  installing | ${CURRENT}`,
    ],
    [
      'Bound ends a transition',
      { phase: 'Bound', conditions: [installing] },
      `bound  installing | ${CURRENT}`,
    ],
    [
      'Succeeded ends no error',
      { phase: 'Succeeded', conditions: [failing] },
      `succeeded ! failing | ${CURRENT}`,
    ],
    [
      'another one does not replace a state',
      { phase: 'Provisioned', conditions: [installing] },
      `installing ~ installing | ${CURRENT}`,
    ],
  ])('%s', (_what, status, line) => {
    expect(told(widget({ status }))).toBe(line);
  });
});

describe("a Service of type LoadBalancer (Fleet's summarizers, checkLoadBalancer)", () => {
  const kstatus = 'Service is ready';
  const provisioning = 'Load balancer is being provisioned';

  function service(spec: JsonObject, status: JsonObject = {}, kind = 'Service'): JsonObject {
    return { apiVersion: 'v1', kind, metadata: { name: 'front', namespace: 'svc' }, spec, status };
  }
  const typed = { type: 'LoadBalancer', clusterIP: '10.0.0.7' };

  it.each<readonly [what: string, object: JsonObject, told: string]>([
    [
      'is pending without an address',
      service(typed, { loadBalancer: {} }),
      `pending ~ ${kstatus} | ${provisioning}`,
    ],
    [
      'is pending with an empty list',
      service(typed, { loadBalancer: { ingress: [] } }),
      `pending ~ ${kstatus} | ${provisioning}`,
    ],
    [
      'is pending with what is no list',
      service(typed, { loadBalancer: { ingress: 'odd' } }),
      `pending ~ ${kstatus} | ${provisioning}`,
    ],
    [
      'is known by serviceKind as well',
      service({ serviceKind: 'LoadBalancer', clusterIP: '10.0.0.7' }),
      `pending ~ ${kstatus} | ${provisioning}`,
    ],
    [
      'is active with an address',
      service(typed, { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } }),
      `active  ${kstatus}`,
    ],
    [
      'says only what kstatus says while it has no cluster IP',
      service({ type: 'LoadBalancer' }),
      'in-progress ~ ClusterIP not set. Service type: LoadBalancer',
    ],
    ['is no Service of another type', service({ type: 'ClusterIP' }), `active  ${kstatus}`],
    ['is no object of another kind', service(typed, {}, 'Widget'), `active  ${CURRENT}`],
  ])('%s', (_what, object, line) => {
    expect(told(object)).toBe(line);
  });

  it('is pending if kstatus is unknown', () => {
    const object = { ...service(typed), metadata: { generation: 'odd' } };
    expect(told(object)).toBe(`pending ~ ${provisioning}`);
  });
});

describe("kstatus if nothing else gives a state (Fleet's summarizers, checkStandard and kStatusSummarizer)", () => {
  const late = { type: 'Progressing', status: 'True', reason: 'ProgressDeadlineExceeded' };

  it.each<readonly [what: string, object: JsonObject, told: string]>([
    ['Current', widget({}), `active  ${CURRENT}`],
    [
      'InProgress',
      { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 2 }, status: {} },
      'in-progress ~ Replicas: 0/2',
    ],
    [
      'Failed',
      { apiVersion: 'apps/v1', kind: 'Deployment', status: { conditions: [late] } },
      'failed ! Progress deadline exceeded',
    ],
    [
      'Terminating',
      widget({ metadata: { deletionTimestamp: '2026-11-21T11:59:00Z' } }),
      'removing ~ Resource scheduled for deletion',
    ],
    ['Unknown: nothing', widget({ metadata: { generation: 'odd' } }), 'active  '],
    [
      'Unknown: nothing but what there is already',
      { apiVersion: 'v1', kind: 'Pod', status: { phase: 'Odd' } },
      'odd  ',
    ],
    [
      'parts that its message has twice come once',
      widget({
        status: {
          phase: 'Odd',
          conditions: [{ type: 'Ready', status: 'Unknown', message: 'a;a; b; a;a; b' }],
        },
      }),
      'unavailable !~ a;a; b; a;a; b | a;a; b',
    ],
  ])('%s', (_what, object, line) => {
    expect(told(object)).toBe(line);
  });

  it.each<readonly [what: string, object: JsonObject, told: string]>([
    [
      'a Pod with Initialized=False is an error, though its phase is Pending',
      {
        apiVersion: 'v1',
        kind: 'Pod',
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'Initialized', status: 'False', message: 'containers with incomplete status' },
          ],
        },
      },
      'initializing !~ containers with incomplete status | Pod is in the Pending phase',
    ],
    [
      'any object with Updated=False is an error, though kstatus says Current',
      widget({ status: { conditions: [{ type: 'Updated', status: 'False', message: 'old' }] } }),
      `updating ! old | ${CURRENT}`,
    ],
    [
      'a Pod that waits for a node is an error',
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { creationTimestamp: '2026-11-21T11:59:59Z' },
        status: {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' },
          ],
        },
      },
      'scheduling !~ no node | Pod has not been scheduled',
    ],
  ])("%s (Fleet's summarizers)", (_what, object, line) => {
    expect(told(object)).toBe(line);
  });
});

describe('a summary', () => {
  it.each([
    [false, false, true],
    [true, false, false],
    [false, true, false],
    [true, true, false],
  ])('with error %s and transitioning %s is ready: %s', (error, transitioning, isReady) => {
    expect(isReadySummary({ state: 'x', error, transitioning, message: [] })).toBe(isReady);
  });

  it('as JSON has no flags that are not set, and no empty list (Status Fields)', () => {
    expect(
      summaryJson({ state: 'active', error: false, transitioning: false, message: [] }),
    ).toEqual({ state: 'active' });
  });

  it('as JSON has the flags that are set, and the messages (Status Fields)', () => {
    const summary = { state: 'error', error: true, transitioning: true, message: ['a', 'b'] };
    expect(summaryJson(summary)).toEqual(summary);
  });
});
