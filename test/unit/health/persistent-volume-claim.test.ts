import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

function claim(status: JsonObject): JsonObject {
  const metadata = { name: 'data' };
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: {}, status };
}

describe('Argo CD health of a PersistentVolumeClaim', () => {
  it.each([
    ['is healthy when it is bound', { phase: 'Bound', capacity: { storage: '2Gi' } }, 'Healthy'],
    ['is progressing while it is pending', { phase: 'Pending' }, 'Progressing'],
    ['is degraded when its volume is lost', { phase: 'Lost', message: 'gone' }, 'Degraded'],
    ['is unknown in any other phase', { phase: 'Released' }, 'Unknown'],
    ['is unknown without a phase', {}, 'Unknown'],
  ])('%s, without a message', (...[_name, status, health]) => {
    expect(assessArgoCd(claim(status), '3')).toEqual({ status: health });
    expect(assessArgoCd(claim(status), '2.14')).toEqual({ status: health });
  });

  it('is unknown in a version that the rule does not know', () => {
    expect(assessArgoCd({ ...claim({ phase: 'Bound' }), apiVersion: 'v2' })).toEqual({
      status: 'Unknown',
      message: 'unsupported PersistentVolumeClaim GVK: v2, Kind=PersistentVolumeClaim',
    });
  });
});
