import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import { ARGO_CD_ORDER, isWorse, worst } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { counts, deployment } from '#test/fixtures/wec-rows.ts';

const DONE: JsonObject = { ...deployment(), status: counts(3, [3, 3, 3]) };

describe('Argo CD health of any object', () => {
  const metadata = { name: 'x', deletionTimestamp: '2025-11-01T10:00:00Z' };

  it('is progressing while its deletion is pending, also for a kind without a rule', () => {
    const pending = { status: 'Progressing', message: 'Pending deletion' };
    expect(assessArgoCd({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).toEqual(pending);
    const finalizers = ['example.com/other'];
    expect(assessArgoCd({ ...DONE, metadata: { ...metadata, finalizers } })).toEqual(pending);
  });

  it("does not count the deletion of a hook that Argo CD's finalizer holds", () => {
    const finalizers = ['argocd.argoproj.io/hook-finalizer'];
    expect(assessArgoCd({ ...DONE, metadata: { ...metadata, finalizers } })).toEqual({
      status: 'Healthy',
    });
  });

  it.each([
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { apiVersion: 'v1', kind: 'Deployment' },
    { apiVersion: 'example.com/v1', kind: 'Deployment' },
    { apiVersion: 3, kind: null },
    {},
  ])('has no verdict on a kind without a rule: %j', (object) => {
    expect(assessArgoCd(object)).toBeNull();
  });

  it.each(['2.14', '3'] as const)(
    'is unknown in a version that the rule of Argo CD %s does not know',
    (version) => {
      expect(assessArgoCd({ ...DONE, apiVersion: 'apps/v1beta1' }, version)).toEqual({
        status: 'Unknown',
        message: 'unsupported Deployment GVK: apps/v1beta1, Kind=Deployment',
      });
      expect(assessArgoCd(DONE, version)).toEqual({ status: 'Healthy' });
    },
  );
});

describe("Argo CD's order", () => {
  it('goes from Healthy to Unknown, and the worst of some is the last in it', () => {
    expect(ARGO_CD_ORDER).toEqual([
      'Healthy',
      'Suspended',
      'Progressing',
      'Missing',
      'Degraded',
      'Unknown',
    ]);
    expect(worst(['Progressing', 'Degraded', 'Healthy'])).toBe('Degraded');
    expect(worst([])).toBe('Healthy');
    expect(isWorse('Suspended', 'Healthy')).toBe(true);
    expect(isWorse('Suspended', 'Suspended')).toBe(false);
  });
});
