import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

function workflow(status: JsonObject, apiVersion = 'argoproj.io/v1alpha1'): JsonObject {
  return { apiVersion, kind: 'Workflow', metadata: { name: 'etl' }, spec: {}, status };
}

describe('Argo CD health of an Argo Workflow', () => {
  it.each([
    ['is progressing before its controller has seen it', {}, 'Progressing'],
    ['is progressing while it is pending', { phase: 'Pending' }, 'Progressing'],
    ['is progressing while it runs', { phase: 'Running' }, 'Progressing'],
    ['is healthy when it has succeeded', { phase: 'Succeeded' }, 'Healthy'],
    ['is degraded when it has failed', { phase: 'Failed' }, 'Degraded'],
    ['is degraded when it could not run', { phase: 'Error' }, 'Degraded'],
    ['is unknown in any other phase', { phase: 'Omitted' }, 'Unknown'],
    ['takes a phase that is no text for none', { phase: 3 }, 'Progressing'],
  ])('%s, with what it says', (...[_name, status, health]) => {
    expect(assessArgoCd(workflow(status))).toEqual({ status: health });
    expect(assessArgoCd(workflow({ ...status, message: 'child' }), '2.14')).toEqual({
      status: health,
      message: 'child',
    });
  });

  it('is the same for any version', () => {
    expect(assessArgoCd(workflow({ phase: 'Failed' }, 'argoproj.io/v1'))?.status).toBe('Degraded');
  });
});
