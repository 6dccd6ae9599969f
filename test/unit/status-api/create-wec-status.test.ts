import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WecRow } from '#shared/core/row.ts';
import { createWecStatus, type StatusSubject } from '#shared/core/status-api/create-wec-status.ts';
import { largeReport, NOT_REPORTED, OBJECT_MISSING } from '#shared/core/status-api/messages.ts';

const OBJECT: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    generation: 12,
    creationTimestamp: '2026-11-20T10:00:00Z',
    labels: { app: 'web' },
    annotations: { note: 'x' },
  },
  spec: { replicas: 3 },
};

const WEB: StatusSubject = {
  workload: { group: 'apps', resource: 'deployments', namespace: 'shop', name: 'web' },
  version: 'v1',
  object: OBJECT,
  specs: new Map<string, JsonValue>([['scaled', { replicas: 5 }]]),
};

const ROW: WecRow = {
  wec: 'east',
  uid: 'u1',
  generation: 7,
  sourceGeneration: 12,
  lastUpdate: '2026-11-22T16:58:12Z',
  status: {
    observedGeneration: 7,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  },
};

const REPORT = {
  wec: 'east',
  silent: false,
  bindings: ['bp'],
  lastContact: '2026-11-22T17:00:00Z',
};

describe('a WECStatus', () => {
  it('contains what the WEC has reported, whole', () => {
    expect(createWecStatus(WEB, { ...REPORT, row: ROW })).toEqual({
      workload: WEB.workload,
      kind: 'Deployment',
      created: '2026-11-20T10:00:00Z',
      ownLabels: { app: 'web' },
      wec: 'east',
      state: 'Reported',
      lastContact: '2026-11-22T17:00:00Z',
      lastUpdate: '2026-11-22T16:58:12Z',
      generation: { wec: 7, source: 12, observed: 7 },
      health: { status: 'Healthy' },
      ready: '3/3',
      bindings: ['bp'],
      status: ROW.status,
    });
  });

  it('has the generation of a status that states it as a text', () => {
    const status = { observedGeneration: '7', phase: 'Healthy' };
    const { generation } = createWecStatus(WEB, { ...REPORT, row: { ...ROW, status } });
    expect(generation).toEqual({ wec: 7, source: 12, observed: 7 });
  });

  it('of a Rollout takes the generation of the referenced workload from the WEC, not from the WDS', () => {
    const rollouts = { group: 'argoproj.io', resource: 'rollouts', namespace: 'shop', name: 'web' };
    const object = {
      ...OBJECT,
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Rollout',
      spec: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    };
    const subject = { ...WEB, workload: rollouts, version: 'v1alpha1', object };
    const status = { observedGeneration: '7', workloadObservedGeneration: '3', phase: 'Healthy' };
    const { health } = createWecStatus(subject, { ...REPORT, row: { ...ROW, status } });
    expect(health).toEqual({ status: 'Healthy' });
  });

  it("is judged by the WEC's own spec and generation", () => {
    const scaled = createWecStatus(WEB, { ...REPORT, row: { ...ROW, specHash: 'scaled' } });
    expect(scaled).toMatchObject({ ready: '3/5', health: { status: 'Progressing' } });
    const behind = createWecStatus(WEB, { ...REPORT, row: { ...ROW, generation: 8 } });
    expect(behind.health?.status).toBe('Progressing');
    const unknownSpec = createWecStatus(WEB, { ...REPORT, row: { ...ROW, specHash: 'gone' } });
    expect(unknownSpec).toMatchObject({ ready: '3/3', health: { status: 'Healthy' } });
  });

  it('is judged without a generation if the WEC reports the status alone', () => {
    const row = { wec: 'east', uid: '', generation: 0, status: ROW.status ?? null };
    expect(createWecStatus(WEB, { ...REPORT, row })).toMatchObject({
      generation: { observed: 7 },
      health: { status: 'Healthy' },
    });
  });

  it('is Progressing while the object is being deleted in the WEC', () => {
    const { health } = createWecStatus(WEB, { ...REPORT, row: { ...ROW, deleting: true } });
    expect(health).toEqual({ status: 'Progressing', message: 'Pending deletion' });
  });

  it('is NotReported and Missing in health before the WEC reports', () => {
    const status = createWecStatus(WEB, { wec: 'east', silent: false, bindings: ['bp'] });
    expect(status).toMatchObject({
      state: 'NotReported',
      generation: {},
      health: { status: 'Missing', message: NOT_REPORTED },
    });
    for (const absent of ['lastContact', 'lastUpdate', 'ready', 'status'])
      expect(status).not.toHaveProperty(absent);
  });

  it('is Missing if the WEC has the object no more', () => {
    expect(createWecStatus(WEB, { ...REPORT, missing: true })).toMatchObject({
      state: 'Missing',
      health: { status: 'Missing', message: OBJECT_MISSING },
    });
    expect(createWecStatus(WEB, { ...REPORT, missing: true, row: ROW })).not.toHaveProperty(
      'status',
    );
  });

  it('is TooLarge if the status was too large to keep', () => {
    const { status: _status, ...row } = ROW;
    expect(createWecStatus(WEB, { ...REPORT, row, oversizedBytes: 2_000_000 })).toMatchObject({
      state: 'TooLarge',
      health: { status: 'Missing', message: largeReport(2_000_000) },
    });
  });

  it('is Silent before anything else, and keeps the last report and its health', () => {
    expect(createWecStatus(WEB, { ...REPORT, row: ROW, silent: true })).toMatchObject({
      state: 'Silent',
      health: { status: 'Healthy' },
      status: ROW.status,
    });
    expect(createWecStatus(WEB, { ...REPORT, silent: true, missing: true }).state).toBe('Silent');
    expect(createWecStatus(WEB, { ...REPORT, silent: true, oversizedBytes: 1 }).state).toBe(
      'Silent',
    );
  });

  it('has no health if Argo CD has no rule for the kind', () => {
    const maps: StatusSubject = {
      workload: { group: '', resource: 'configmaps', namespace: 'shop', name: 'web' },
      version: 'v1',
      specs: new Map(),
    };
    const status = createWecStatus(maps, {
      ...REPORT,
      row: { wec: 'east', uid: 'u', generation: 0 },
    });
    expect(status).toMatchObject({ kind: 'ConfigMap', state: 'Reported', ownLabels: {} });
    for (const absent of ['health', 'created', 'ready', 'status'])
      expect(status).not.toHaveProperty(absent);
  });

  it('has an empty kind if neither the WDS nor Kubernetes tells it', () => {
    const unknown: StatusSubject = {
      workload: { group: 'example.com', resource: 'widgets', namespace: 'shop', name: 'w' },
      version: 'v1',
      specs: new Map(),
    };
    expect(createWecStatus(unknown, REPORT)).toMatchObject({ kind: '', state: 'NotReported' });
  });
});
