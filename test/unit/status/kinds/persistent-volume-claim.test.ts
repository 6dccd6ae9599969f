import { describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WorkloadObject } from '#shared/core/row.ts';
import { statusFold } from '#shared/core/status/kinds/rules.ts';
import { reported } from '#test/fixtures/wec-rows.ts';

const CLAIM: WorkloadObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data', namespace: 'shop', uid: 'wds-data' },
  spec: { accessModes: ['ReadWriteOnce'] },
};

function aggregate(rows: readonly PerWecRow[]): JsonObject | undefined {
  const fold = statusFold(CLAIM, new Map());
  return fold.finish(foldRows(fold, rows));
}

function wecs(...statuses: readonly JsonValue[]): PerWecRow[] {
  return statuses.map((status, index) => reported(`wec${index + 1}`, status));
}

const BOUND = { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } };
const PENDING = { phase: 'Pending' };
const LOST = { phase: 'Lost', accessModes: ['ReadWriteOnce'] };

describe('an aggregated PersistentVolumeClaim looks to Argo CD like its worst WEC (docs/rules.md, section 3; Argo CD, health_pvc.go)', () => {
  it.each([
    {
      name: 'V1: phases that differ are not left out, which would be unknown',
      rows: wecs(BOUND, PENDING),
      expected: 'Progressing',
      status: { phase: 'Pending' },
    },
    {
      name: 'V2: a WEC that has returned nothing counts as pending',
      rows: [...wecs(BOUND, BOUND), { wec: 'wec3' }],
      expected: 'Progressing',
      status: { phase: 'Pending' },
    },
    {
      name: 'V3: a lost volume is worse than one that is not there yet',
      rows: wecs(LOST, PENDING, BOUND),
      expected: 'Degraded',
      status: { phase: 'Lost' },
    },
    {
      name: 'all are bound, of whatever capacity',
      rows: wecs(BOUND, { ...BOUND, capacity: { storage: '5Gi' } }),
      expected: 'Healthy',
      status: { phase: 'Bound' },
    },
    {
      name: 'a WEC whose object is being deleted counts as pending',
      rows: [reported('wec1', BOUND, { deleting: true }), reported('wec2', BOUND)],
      expected: 'Progressing',
      status: { phase: 'Pending' },
    },
    {
      name: 'of unknown phases the first by name is shown',
      rows: [
        reported('wec2', { phase: 'Available' }),
        reported('wec1', { phase: 'Released' }),
        reported('wec3', LOST),
      ],
      expected: 'Unknown',
      status: { phase: 'Released' },
    },
    {
      name: 'no phase is unknown',
      rows: wecs(LOST, { accessModes: ['ReadWriteOnce'] }),
      expected: 'Unknown',
      status: {},
    },
  ])('$name', ({ rows, expected, status }) => {
    expect(aggregate(rows)).toEqual(status);
    expect(aggregate([...rows].reverse())).toEqual(status);
    expect(assessArgoCd({ ...CLAIM, status })?.status).toBe(expected);
  });

  it('has no status if no WEC has returned one', () => {
    expect(aggregate([{ wec: 'wec1' }, reported('wec2', null)])).toBeUndefined();
  });
});
