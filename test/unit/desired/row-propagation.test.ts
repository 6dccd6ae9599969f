import { describe, expect, it } from 'vitest';
import { createRowPropagation } from '#shared/core/desired/row-propagation.ts';
import type { JsonValue } from '#shared/core/json.ts';
import type { PerWecRow, WecRow, WorkloadObject } from '#shared/core/row.ts';

const SPEC: JsonValue = { replicas: 1 };
const OBJECT: WorkloadObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', uid: 'w', generation: 5 },
  spec: SPEC,
};
const SPECS = new Map<string, JsonValue>([
  ['same', SPEC],
  ['other', { replicas: 2 }],
]);
const ROW: WecRow = { wec: 'wec1', uid: 'u', generation: 3, specHash: 'same' };

function standing(
  row: Partial<PerWecRow>,
  more: Partial<Parameters<typeof createRowPropagation>[0]> = {},
) {
  return createRowPropagation({ object: OBJECT, specs: SPECS, ...more })({ wec: 'wec1', ...row });
}

describe('propagation.generation', () => {
  it.each<[string, Partial<WecRow>, number | undefined]>([
    ['the current one if the specs are equal', {}, 5],
    ['the one before if they are not', { specHash: 'other' }, 4],
    ['that of the annotation', { sourceGeneration: 2 }, 2],
    ['at most the one before while the object is being deleted', { deleting: true }, 4],
  ])('is %s', (_name, row, generation) => {
    expect(standing({ row: { ...ROW, ...row } }).generation).toBe(generation);
  });

  it('is 0 for a WEC that has returned nothing, or an object that was made for an earlier one', () => {
    expect(standing({}).generation).toBe(0);
    const metadata = { ...OBJECT.metadata, creationTimestamp: '2026-01-01T00:00:00Z' };
    const object = { ...OBJECT, apiVersion: 'batch/v1', kind: 'Job', metadata };
    const status = { conditions: [{ type: 'Complete', status: 'True' }] };
    const row = { ...ROW, sourceUid: 'before', status };
    expect(standing({ row }, { object }).generation).toBe(0);
    expect(standing({ row: { ...row, sourceUid: 'w' } }, { object }).generation).toBe(5);
  });

  it('is what a status alone has observed, and absent if it does not say', () => {
    const alone = { wec: 'wec1', uid: '', generation: 0 };
    expect(standing({ row: { ...alone, status: { observedGeneration: 5 } } }).generation).toBe(5);
    expect(standing({ row: { ...alone, status: { observedGeneration: 2 } } }).generation).toBe(2);
    expect(standing({ row: { ...alone, status: {} } })).not.toHaveProperty('generation');
  });

  it('is absent if the object has no generation', () => {
    const object = { ...OBJECT, metadata: { name: 'web', uid: 'w' } };
    expect(standing({ row: ROW }, { object })).not.toHaveProperty('generation');
    expect(standing({}, { object })).not.toHaveProperty('generation');
  });
});

describe('propagation.lastContact and propagation.silent', () => {
  const silent = new Map([
    ['wec1', '2026-01-02T04:00:00Z'],
    ['wec2', undefined],
  ]);

  it('are the last contact of a silent WEC and true', () => {
    expect(standing({ row: ROW }, { silent })).toMatchObject({
      ...{ silent: true, stale: true },
      lastContact: '2026-01-02T04:00:00Z',
    });
  });

  it('are absent and false for a WEC that reports, or that has returned nothing', () => {
    for (const row of [{ row: ROW }, {}]) {
      const found = standing({ ...row, wec: 'wec3' }, { silent });
      expect(found.silent).toBe(false);
      expect(found).not.toHaveProperty('lastContact');
    }
  });

  it('are absent and true if the time is not known', () => {
    const found = standing({ row: ROW, wec: 'wec2' }, { silent });
    expect(found.silent).toBe(true);
    expect(found).not.toHaveProperty('lastContact');
  });
});

describe('propagation.silent', () => {
  it('is true for a report that does not count, and not for the lack of one', () => {
    expect(standing({ uncounted: { wec: 'wec1', row: ROW } })).toMatchObject({
      silent: true,
      stale: true,
      generation: 0,
    });
    // What remains of a deleted object is removed at some time.
    expect(standing({ uncounted: { wec: 'wec1' } }).silent).toBe(false);
    expect(standing({ row: ROW }).silent).toBe(false);
  });
});
