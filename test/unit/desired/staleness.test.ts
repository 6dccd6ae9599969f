import { describe, expect, it } from 'vitest';
import { createStaleness } from '#shared/core/desired/staleness.ts';
import type { JsonObject, JsonValue } from '#shared/core/json.ts';
import type { WecRow, WorkloadObject } from '#shared/core/row.ts';
import { deployment } from '#test/fixtures/wec-rows.ts';

const NO_SPECS: ReadonlyMap<string, JsonValue> = new Map();
const SPECS = new Map<string, JsonValue>([
  ['same', { replicas: 3, paused: false }],
  ['other', { replicas: 2 }],
]);

function thing(generation: number): WorkloadObject {
  const metadata = { name: 'web', uid: 'u', generation };
  return { apiVersion: 'example.org/v1', kind: 'Thing', metadata, spec: { replicas: 3 } };
}

function isStale(object: WorkloadObject, row: Partial<WecRow>, specs = NO_SPECS): boolean {
  const base = { wec: 'wec1', uid: 'u', generation: 0 };
  return createStaleness({ object, specs })({ wec: 'wec1', row: { ...base, ...row } });
}

describe('a WEC is stale', () => {
  const current = { wec: 'wec1', uid: 'u', generation: 1, sourceGeneration: 2 };
  const row = { wec: 'wec1', row: { ...current, status: { observedGeneration: 1 } } };

  it('while it is among the silent ones, whatever it has said before', () => {
    const inputs = { object: deployment(2), specs: NO_SPECS };
    expect(createStaleness(inputs)(row)).toBe(false);
    expect(createStaleness({ ...inputs, silent: new Map([['wec2', undefined]]) })(row)).toBe(false);
    expect(createStaleness({ ...inputs, silent: new Map([['wec1', undefined]]) })(row)).toBe(true);
  });

  it('that has returned nothing', () => {
    expect(createStaleness({ object: deployment(2), specs: NO_SPECS })({ wec: 'wec1' })).toBe(true);
  });

  it('whose status was too large to keep', () => {
    const stale = createStaleness({ object: deployment(2), specs: NO_SPECS });
    expect(stale({ ...row, oversizedBytes: 500_000 })).toBe(true);
  });
});

describe('a WEC that has returned a Deployment is', () => {
  const own = { generation: 5, specHash: 'same' };
  it.each<[string, boolean, Partial<WecRow>]>([
    ['current', false, { ...own, status: { observedGeneration: 5 } }],
    [
      'stale before its controller has seen the spec',
      true,
      { ...own, status: { observedGeneration: 4 } },
    ],
    ['stale with a status that names no generation', true, { ...own, status: {} }],
    ['stale without a status', true, own],
    [
      'stale with another spec',
      true,
      { ...own, specHash: 'other', status: { observedGeneration: 5 } },
    ],
    [
      'stale with a spec that is not known',
      true,
      { ...own, specHash: 'gone', status: { observedGeneration: 5 } },
    ],
    [
      'stale with the annotation of an earlier generation',
      true,
      { ...own, sourceGeneration: 1, status: { observedGeneration: 5 } },
    ],
    [
      'stale while it is being deleted',
      true,
      { ...own, deleting: true, status: { observedGeneration: 5 } },
    ],
    ['current by its status alone', false, { status: { observedGeneration: 2 } }],
    ['stale by its status alone', true, { status: { observedGeneration: 1 } }],
    ['stale by a status alone that names no generation', true, { status: { replicas: 3 } }],
  ])('%s', (_what, stale, row) => {
    expect(isStale(deployment(2), row, SPECS)).toBe(stale);
  });
});

describe('a WEC that has returned an object of a kind without observedGeneration is', () => {
  const status: JsonObject = { phase: 'Running' };
  it.each<[string, boolean, Partial<WecRow>]>([
    ['current where its spec is', false, { generation: 4, specHash: 'same', status }],
    [
      'current where its spec is, also without a status',
      false,
      { generation: 4, specHash: 'same' },
    ],
    ['stale where its spec is not', true, { generation: 4, specHash: 'other', status }],
    ['stale where the annotation says so', true, { generation: 4, sourceGeneration: 1, status }],
    ['current where the annotation says so', false, { sourceGeneration: 2, status }],
    [
      'stale where its status names an earlier generation',
      true,
      { generation: 4, specHash: 'same', status: { observedGeneration: 3 } },
    ],
    ['not known to be stale by its status alone', false, { status }],
    ['stale where its status alone is being deleted', true, { status, deleting: true }],
    ['stale where not even a status is there', true, {}],
  ])('%s', (_what, stale, row) => {
    expect(isStale(thing(2), row, SPECS)).toBe(stale);
  });

  it('stale if it reports the end of an object that the WDS no longer has', () => {
    const metadata = { uid: 'u', generation: 1, creationTimestamp: '2026-03-01T10:00:00Z' };
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { replicas: 3 } };
    const row = { generation: 1, specHash: 'same', status };
    expect(isStale(job, { ...row, created: '2026-03-01T10:00:00Z' }, SPECS)).toBe(false);
    expect(isStale(job, { ...row, created: '2026-03-01T09:00:00Z' }, SPECS)).toBe(true);
  });

  it('current if neither side counts generations, as of a ConfigMap', () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { uid: 'u' }, data: {} };
    expect(isStale(object, {})).toBe(false);
  });
});
