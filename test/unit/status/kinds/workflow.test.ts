import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const WORKFLOW: WorkloadObject = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'etl', namespace: 'shop', uid: 'wds-etl', generation: 1 },
  spec: { entrypoint: 'main' },
};

function aggregate(rows: readonly PerWecRow[]): JsonObject | undefined {
  const fold = statusFold(WORKFLOW, new Map());
  return fold.finish(foldRows(fold, rows));
}

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

const SUCCEEDED = { phase: 'Succeeded', progress: '2/2', nodes: { etl: { phase: 'Succeeded' } } };
const FAILED = { phase: 'Failed', message: "child 'etl-1' failed", progress: '1/2' };

describe('an aggregated Workflow looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_argo.go)', () => {
  it.each([
    {
      name: 'W1: a failure is not left out beside a success, which would look like a beginning',
      rows: wecs(SUCCEEDED, FAILED),
      expected: 'Degraded',
      status: { phase: 'Failed', message: "child 'etl-1' failed" },
    },
    {
      name: 'a message is of the WEC that the phase is of',
      rows: wecs({ ...SUCCEEDED, message: 'done' }, { phase: 'Running' }),
      expected: 'Progressing',
      status: { phase: 'Running' },
    },
    {
      name: 'a WEC that has returned nothing has not begun',
      rows: [...wecs(SUCCEEDED), { wec: 'wec2' }],
      expected: 'Progressing',
      status: {},
    },
    {
      name: 'a failure goes before WECs that have returned nothing',
      rows: [...wecs(FAILED), { wec: 'wec2' }],
      expected: 'Degraded',
      status: { phase: 'Failed', message: "child 'etl-1' failed" },
    },
    {
      name: 'of equally bad WECs the first by name is shown',
      rows: [
        reported('wec2', { phase: 'Error', message: 'no quota' }),
        reported('wec10', FAILED),
        reported('wec3', { phase: 'Running' }),
      ],
      expected: 'Degraded',
      status: { phase: 'Failed', message: "child 'etl-1' failed" },
    },
    {
      name: 'all have succeeded',
      rows: wecs(SUCCEEDED, SUCCEEDED),
      expected: 'Healthy',
      status: { phase: 'Succeeded' },
    },
    {
      name: 'an unknown phase is unknown',
      rows: wecs(FAILED, { phase: 'Omitted' }),
      expected: 'Unknown',
      status: { phase: 'Omitted' },
    },
  ])('$name', ({ rows, expected, status }) => {
    expect(aggregate(rows)).toEqual(status);
    expect(aggregate([...rows].reverse())).toEqual(status);
    expect(assessArgoCd({ ...WORKFLOW, status })?.status).toBe(expected);
  });

  it('has no status if no WEC has returned one', () => {
    expect(aggregate([{ wec: 'wec1' }])).toBeUndefined();
  });
});
