import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
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

describe('an aggregated CronJob looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, batch/CronJob/health.lua)', () => {
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

  describe('whose WECs are suspended on their own', () => {
    const SPECS = new Map<string, JsonValue>([['suspended', { suspend: true }]]);
    const paused = (wec: string, status: JsonObject) =>
      reported(wec, status, { specHash: 'suspended' });

    it.each([
      {
        name: 'is what another healthy WEC says, not what would be a failure in the WDS',
        rows: [paused('wec1', FAILED), reported('wec2', RUNNING)],
        status: RUNNING,
      },
      {
        name: 'leaves out the last success where that would be a failure in the WDS',
        rows: [paused('wec1', FAILED), paused('wec2', FAILED_LATE)],
        status: { lastScheduleTime: FAILED.lastScheduleTime },
      },
      {
        name: 'says all where the last run was a success',
        rows: [paused('wec1', DONE), { wec: 'wec2' }],
        status: DONE,
      },
    ])('$name', ({ rows, status }) => {
      const fold = statusFold(cronJob(false), SPECS);
      const aggregate = fold.finish(foldRows(fold, rows)) ?? {};
      expect(aggregate).toEqual(status);
      expect(assessArgoCd({ ...cronJob(false), status: aggregate })?.status).toBe('Healthy');
    });

    it('does not hide a failed run in a WEC that is not', () => {
      const fold = statusFold(cronJob(false), SPECS);
      const rows = [paused('wec1', DONE), reported('wec2', FAILED)];
      expect(fold.finish(foldRows(fold, rows))).toEqual(FAILED);
    });

    it('says all that a WEC says while only the WDS is suspended', () => {
      const fold = statusFold(cronJob(true), new Map([['runs', { suspend: false }]]));
      const rows = [FAILED, DONE].map((one, at) => reported(`wec${at}`, one, { specHash: 'runs' }));
      expect(fold.finish(foldRows(fold, rows))).toEqual(FAILED);
    });
  });

  it('is healthy while suspended in the WDS', () => {
    const fold = statusFold(cronJob(true), new Map());
    const status = fold.finish(foldRows(fold, wecs(FAILED, DONE))) ?? {};
    expect(assessArgoCd({ ...cronJob(true), status })?.status).toBe('Healthy');
  });
});
