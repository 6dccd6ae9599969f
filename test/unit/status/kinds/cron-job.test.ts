import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const at = (minute: number): string => `2025-11-01T10:0${minute}:00Z`;

function cronJob(suspend: boolean): WorkloadObject {
  const metadata = { name: 'tick', namespace: 'shop', uid: 'wds-tick', generation: 1 };
  return { apiVersion: 'batch/v1', kind: 'CronJob', metadata, spec: { suspend } };
}

function wecs(...statuses: readonly JsonObject[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

const FAILED = { lastScheduleTime: at(1), lastSuccessfulTime: at(0) };
const DONE = { lastScheduleTime: at(2), lastSuccessfulTime: at(3) };
const FAILED_LATE = { lastScheduleTime: at(5), lastSuccessfulTime: at(4) };
const NEVER = { lastScheduleTime: at(1) };
const RUNNING = { ...FAILED, active: [{ kind: 'Job', name: 'tick-1', uid: 'u1' }] };

describe('an aggregated CronJob looks to Argo CD like its worst WEC', () => {
  it.each([
    {
      name: 'C1: the latest of each time would hide a failed run',
      rows: wecs(FAILED, DONE),
      status: FAILED,
      verdict: 'Degraded',
    },
    {
      name: 'C2: the earliest of each time would hide a failed run',
      rows: wecs({ lastScheduleTime: at(0), lastSuccessfulTime: at(4) }, FAILED_LATE),
      status: FAILED_LATE,
      verdict: 'Degraded',
    },
    {
      name: 'a job that runs in another WEC does not hide a failed run',
      rows: wecs(RUNNING, FAILED),
      status: FAILED,
      verdict: 'Degraded',
    },
    {
      name: 'of healthy WECs the one that never succeeded is shown',
      rows: wecs(DONE, NEVER, RUNNING),
      status: NEVER,
      verdict: 'Healthy',
    },
    {
      name: 'of healthy WECs the first by name is shown, with its jobs',
      rows: wecs(RUNNING, DONE),
      status: RUNNING,
      verdict: 'Healthy',
    },
    {
      name: 'a WEC that has returned nothing does not hide what another says',
      rows: [{ wec: 'wec0' }, ...wecs(DONE)],
      status: DONE,
      verdict: 'Healthy',
    },
    {
      name: 'a WEC that is deleting its object does not count with its last status',
      rows: [reported('wec0', FAILED, { deleting: true }), ...wecs(DONE)],
      status: DONE,
      verdict: 'Healthy',
    },
  ])('$name', ({ rows, status, verdict }) => {
    const fold = statusFold(cronJob(false), new Map());
    const aggregate = fold.finish(foldRows(fold, rows));
    expect(aggregate).toEqual(status);
    expect(assessArgoCd({ ...cronJob(false), status: aggregate ?? {} })?.status).toBe(verdict);
  });

  it('is healthy while suspended in the WDS', () => {
    const fold = statusFold(cronJob(true), new Map());
    const status = fold.finish(foldRows(fold, wecs(FAILED, DONE))) ?? {};
    expect(assessArgoCd({ ...cronJob(true), status })?.status).toBe('Healthy');
  });
});
