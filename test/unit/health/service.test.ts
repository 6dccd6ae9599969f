import { describe, expect, it } from 'vitest';
import { assessArgoCd } from '#shared/core/health/argocd.ts';
import type { JsonObject } from '#shared/core/json.ts';

function service(type: string | undefined, status: JsonObject): JsonObject {
  const spec = type === undefined ? {} : { type };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name: 'front' }, spec, status };
}

const ADDRESSED = { loadBalancer: { ingress: [{ ip: '203.0.113.10', ipMode: 'VIP' }] } };

describe('Argo CD health of a Service', () => {
  it.each([
    ['is healthy when its load balancer has an address', 'LoadBalancer', ADDRESSED, 'Healthy'],
    [
      'does not look at what the entry says',
      'LoadBalancer',
      { loadBalancer: { ingress: [{}] } },
      'Healthy',
    ],
    ['waits for an address', 'LoadBalancer', { loadBalancer: {} }, 'Progressing'],
    [
      'takes an empty list for none',
      'LoadBalancer',
      { loadBalancer: { ingress: [] } },
      'Progressing',
    ],
    ['waits without a status, too', 'LoadBalancer', {}, 'Progressing'],
    ['is healthy of any other type', 'ClusterIP', { loadBalancer: {} }, 'Healthy'],
    ['is healthy without a type', undefined, {}, 'Healthy'],
  ])('%s', (...[_name, type, status, health]) => {
    expect(assessArgoCd(service(type, status), '3')).toEqual({ status: health });
    expect(assessArgoCd(service(type, status), '2.14')).toEqual({ status: health });
  });

  it('is unknown in a version that the rule does not know', () => {
    expect(assessArgoCd({ ...service('ClusterIP', {}), apiVersion: 'v2' })).toEqual({
      status: 'Unknown',
      message: 'unsupported Service GVK: v2, Kind=Service',
    });
  });
});
