import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVersion } from '#shared/core/health/verdict.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported, unreported } from '#test/fixtures/wec-rows.ts';

const SPECS: ReadonlyMap<string, JsonValue> = new Map(
  ['Always', 'OnFailure', 'Never'].map((restartPolicy) => [restartPolicy, { restartPolicy }]),
);
const IGNORES = { 'argocd.argoproj.io/ignore-restart-policy': 'true' };

function pod(restartPolicy = 'Always', annotations: JsonObject = {}): WorkloadObject {
  const metadata = { name: 'server', namespace: 'shop', uid: 'wds-server', annotations };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { restartPolicy } };
}

function aggregate(rows: readonly PerWecRow[], workload = pod()): JsonObject | undefined {
  const fold = statusFold(workload, SPECS);
  return fold.finish(foldRows(fold, rows));
}

function verdict(
  rows: readonly PerWecRow[],
  workload = pod(),
  version: ArgoCdVersion = '3',
): string | undefined {
  return assessArgoCd({ ...workload, status: aggregate(rows, workload) ?? {} }, version)?.status;
}

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

function container(state: JsonObject, lastState: JsonObject = {}): JsonObject {
  return { name: 'c', image: 'i:v1', imageID: '', ready: false, restartCount: 0, state, lastState };
}

function ready(status: string, time = '10:00:00', reason?: string): JsonObject {
  const lastTransitionTime = `2025-11-01T${time}Z`;
  const entry = { type: 'Ready', status, lastProbeTime: null, lastTransitionTime };
  return reason === undefined ? entry : { ...entry, reason };
}

const STARTED = container({ running: { startedAt: '2025-11-01T10:00:00Z' } });
const RESTARTED = container({ running: {} }, { terminated: { exitCode: 1, reason: 'Error' } });
const CRASHING = container(
  { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' } },
  { terminated: { exitCode: 1, reason: 'Error' } },
);
const ENDED = container({ terminated: { exitCode: 0, reason: 'Completed' } });
const BROKEN = container({ terminated: { exitCode: 1, reason: 'Error' } });
const PENDING = { phase: 'Pending', qosClass: 'BestEffort' };
const READY: JsonObject = {
  phase: 'Running',
  conditions: [{ type: 'PodScheduled', status: 'True' }, ready('True')],
  containerStatuses: [STARTED],
  podIP: '10.0.0.10',
};
const UNREADY: JsonObject = {
  phase: 'Running',
  conditions: [ready('False', '10:05:00', 'ContainersNotReady')],
  containerStatuses: [RESTARTED],
};
const SUCCEEDED: JsonObject = {
  phase: 'Succeeded',
  conditions: [ready('False', '10:09:00', 'PodCompleted')],
  containerStatuses: [ENDED],
};
const FAILED: JsonObject = {
  phase: 'Failed',
  conditions: [ready('False', '10:09:00', 'PodFailed')],
  containerStatuses: [BROKEN],
};

describe('an aggregated Pod looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_pod.go)', () => {
  it.each([
    {
      name: 'P1: phases that differ are not left out, which would be unknown',
      rows: wecs(READY, PENDING),
      expected: 'Progressing',
      status: { phase: 'Pending', conditions: [{ ...ready('True'), ...unreported('wec2') }] },
    },
    {
      name: 'one that has succeeded is not ready any more, and need not be',
      rows: wecs(READY, SUCCEEDED),
      expected: 'Healthy',
      status: {
        phase: 'Succeeded',
        conditions: [ready('False', '10:09:00', 'PodCompleted')],
        containerStatuses: [ENDED],
      },
    },
    {
      name: 'P3: a container that cannot start is not lost in lists that differ',
      rows: wecs(READY, { phase: 'Running', containerStatuses: [STARTED, CRASHING] }),
      expected: 'Degraded',
      status: {
        phase: 'Running',
        conditions: [{ ...ready('True'), ...unreported('wec2') }],
        containerStatuses: [STARTED, CRASHING],
      },
    },
    {
      name: 'P4: the restarts that count are those of the WEC that is not ready',
      rows: wecs(READY, UNREADY),
      expected: 'Degraded',
      status: {
        phase: 'Running',
        conditions: [ready('False', '10:05:00', 'ContainersNotReady')],
        containerStatuses: [RESTARTED],
      },
    },
    {
      name: 'P5: of Pods that are to end, one that has failed decides',
      workload: pod('Never'),
      rows: wecs(SUCCEEDED, READY, { ...FAILED, initContainerStatuses: [ENDED] }),
      expected: 'Degraded',
      status: {
        phase: 'Failed',
        conditions: [ready('False', '10:09:00', 'PodCompleted')],
        initContainerStatuses: [ENDED],
        containerStatuses: [BROKEN],
      },
    },
    {
      name: 'P6: a WEC that has returned nothing counts as pending',
      rows: [...wecs(READY, SUCCEEDED), { wec: 'wec3' }],
      expected: 'Progressing',
      status: { phase: 'Pending', conditions: [ready('False', '10:09:00', 'PodCompleted')] },
    },
    {
      name: 'one whose object is being deleted counts as pending, whatever it said last',
      rows: [reported('wec1', FAILED, { deleting: true }), reported('wec2', READY)],
      expected: 'Progressing',
      status: { phase: 'Pending', conditions: [{ ...ready('True'), ...unreported('wec1') }] },
    },
    {
      name: 'all have succeeded: nobody needs to be ready',
      rows: wecs(SUCCEEDED, SUCCEEDED),
      expected: 'Healthy',
      status: SUCCEEDED,
    },
    {
      name: 'all are ready, the first by name stands for them',
      rows: [
        reported('wec2', READY),
        reported('wec1', { ...READY, message: 'first' }),
        reported('wec3', READY),
      ],
      expected: 'Healthy',
      status: {
        phase: 'Running',
        message: 'first',
        conditions: [ready('True')],
        containerStatuses: [STARTED],
      },
    },
    {
      name: 'a lost node is worse than a failure',
      rows: wecs(FAILED, { ...READY, phase: 'Unknown' }),
      expected: 'Unknown',
      status: {
        phase: 'Unknown',
        conditions: [ready('False', '10:09:00', 'PodFailed')],
        containerStatuses: [STARTED],
      },
    },
    {
      name: 'a WEC that restarts for ever what is to end in the WDS fails there, too',
      workload: pod('Never'),
      rows: [reported('wec1', UNREADY, { specHash: 'Always' }), reported('wec2', READY)],
      expected: 'Degraded',
      status: { ...UNREADY, phase: 'Failed' },
    },
    {
      name: 'a WEC that is to end does not look done in a WDS that restarts for ever',
      rows: [reported('wec1', READY, { specHash: 'Never' }), reported('wec2', READY)],
      expected: 'Progressing',
      status: { phase: 'Pending', conditions: [ready('True')], containerStatuses: [STARTED] },
    },
    {
      name: 'nor does it look failed there while it may still start',
      rows: [
        reported(
          'wec1',
          { phase: 'Pending', containerStatuses: [CRASHING] },
          { specHash: 'Never' },
        ),
      ],
      expected: 'Progressing',
      status: { phase: 'Pending' },
    },
    {
      name: 'nor better than unknown',
      rows: [
        reported(
          'wec1',
          { phase: 'Unknown', containerStatuses: [CRASHING] },
          { specHash: 'Never' },
        ),
      ],
      expected: 'Unknown',
      status: { phase: 'Unknown' },
    },
    {
      name: 'a WEC that runs for ever cannot look healthy in a WDS where it is to end',
      workload: pod('OnFailure'),
      rows: [reported('wec1', READY, { specHash: 'Always' })],
      expected: 'Progressing',
      status: { phase: 'Running', conditions: [ready('True')], containerStatuses: [STARTED] },
    },
  ])('$name', ({ workload, rows, expected, status }) => {
    expect(aggregate(rows, workload)).toEqual(status);
    expect(aggregate([...rows].reverse(), workload)).toEqual(status);
    expect(verdict(rows, workload)).toBe(expected);
  });

  it('P2: one that has succeeded leaves the others ready if a version of Argo CD asks for that', () => {
    const annotated = pod('Never', IGNORES);
    const rows = wecs(SUCCEEDED, READY);
    expect(aggregate(rows, annotated)).toEqual({
      phase: 'Running',
      conditions: [ready('True')],
      containerStatuses: [STARTED],
    });
    expect(verdict(rows, annotated, '3')).toBe('Healthy');
    expect(verdict(rows, annotated, '2.14')).toBe('Progressing');
    const broken = wecs(SUCCEEDED, UNREADY, PENDING);
    expect(verdict(broken, annotated, '3')).toBe('Degraded');
    expect(verdict(broken, annotated, '2.14')).toBe('Progressing');
  });

  it('takes a restart policy that a file leaves out for Always, as API servers do', () => {
    const bare = { ...pod(), spec: {} };
    expect(aggregate(wecs(SUCCEEDED, UNREADY, READY), bare)).toMatchObject({
      phase: 'Running',
      containerStatuses: [RESTARTED],
    });
    const { spec: _spec, ...none } = pod();
    expect(
      aggregate(wecs(SUCCEEDED), { ...none, apiVersion: 'v1', kind: 'Pod', metadata: {} }),
    ).toEqual(SUCCEEDED);
  });
});

describe('the aggregated status of a Pod', () => {
  it('has no fields that Argo CD does not read', () => {
    const status = { ...READY, hostIP: '10.1.0.1', startTime: '2025-11-01T10:00:00Z', reason: 'x' };
    expect(Object.keys(aggregate(wecs(status, status)) ?? {}).sort()).toEqual([
      'conditions',
      'containerStatuses',
      'phase',
    ]);
  });

  it('has the containers of one WEC as they are, with what API servers require', () => {
    const exact = {
      ...RESTARTED,
      started: true,
      containerID: 'containerd://1',
      user: { linux: {} },
    };
    const rows = wecs(READY, { ...UNREADY, containerStatuses: [exact, STARTED] });
    expect(aggregate(rows)?.['containerStatuses']).toEqual([exact, STARTED]);
  });

  it("says of the generation what the WECs have seen, in the WDS's numbers", () => {
    const workload: WorkloadObject = { ...pod(), metadata: { name: 'server', generation: 4 } };
    const seen = { ...READY, observedGeneration: 1 };
    const rows = [
      reported('wec1', seen, { sourceGeneration: 4 }),
      reported('wec2', seen, { sourceGeneration: 2 }),
    ];
    expect(aggregate(rows, workload)?.['observedGeneration']).toBe(2);
  });

  it('is none if no WEC has returned a status', () => {
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
  });

  it('is that of a WEC with an empty status: unknown', () => {
    expect(aggregate([reported('wec1', {}), { wec: 'wec2' }])).toEqual({});
  });
});
