import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

function ingress(status: JsonObject, apiVersion: string): JsonObject {
  return { apiVersion, kind: 'Ingress', metadata: { name: 'site' }, spec: {}, status };
}

describe.each(['networking.k8s.io/v1', 'networking.k8s.io/v1beta1', 'extensions/v1beta1'])(
  'Argo CD health of an Ingress of %s',
  (apiVersion) => {
    it.each([
      [
        'is healthy when it has an address',
        { loadBalancer: { ingress: [{ hostname: 'a.example.com' }] } },
        'Healthy',
      ],
      ['waits for an address', { loadBalancer: {} }, 'Progressing'],
      ['takes an empty list for none', { loadBalancer: { ingress: [] } }, 'Progressing'],
      ['waits without a status, too', {}, 'Progressing'],
    ])('%s', (...[_name, status, health]) => {
      expect(assessArgoCd(ingress(status, apiVersion), '3')).toEqual({ status: health });
      expect(assessArgoCd(ingress(status, apiVersion), '2.14')).toEqual({ status: health });
    });
  },
);

describe('Argo CD health of an Ingress of another group', () => {
  it('is none', () => {
    expect(assessArgoCd(ingress({}, 'config.openshift.io/v1'))).toBeNull();
  });
});
