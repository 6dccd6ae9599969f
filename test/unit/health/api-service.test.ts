import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { ArgoCdVerdict } from '#shared/core/health/verdict.ts';
import type { JsonObject } from '#shared/core/json.ts';

function available(status: string, reason: string): JsonObject {
  return { type: 'Available', status, reason, message: `${reason}.` };
}

describe.each(['v1', 'v1beta1'])(
  'Argo CD health of an APIService of apiregistration.k8s.io/%s',
  (version) => {
    it.each<[string, JsonObject, ArgoCdVerdict]>([
      [
        'waits without conditions',
        {},
        { status: 'Progressing', message: 'Waiting to be processed' },
      ],
      [
        'waits without the condition Available',
        { conditions: [{ type: 'Other', status: 'True' }] },
        { status: 'Progressing', message: 'Waiting to be processed' },
      ],
      [
        'is healthy when it is available',
        { conditions: [available('True', 'Passed')] },
        { status: 'Healthy', message: 'Passed: Passed.' },
      ],
      [
        'is progressing when it is not',
        { conditions: [available('False', 'MissingEndpoints')] },
        { status: 'Progressing', message: 'MissingEndpoints: MissingEndpoints.' },
      ],
      [
        'is progressing when nobody knows, also without a reason',
        { conditions: [{ type: 'Available', status: 'Unknown' }] },
        { status: 'Progressing', message: ': ' },
      ],
      [
        'goes by the first entry',
        { conditions: [available('True', 'Passed'), available('False', 'MissingEndpoints')] },
        { status: 'Healthy', message: 'Passed: Passed.' },
      ],
    ])('%s', (_name, status, verdict) => {
      const apiVersion = `apiregistration.k8s.io/${version}`;
      const object = { apiVersion, kind: 'APIService', metadata: { name: 'v1.x' }, status };
      expect(assessArgoCd(object, '3')).toEqual(verdict);
      expect(assessArgoCd(object, '2.14')).toEqual(verdict);
    });
  },
);
