import { describe, expect, it } from 'vitest';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';

const workload = (apiVersion: string, kind: string) => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'shop' },
});
const deployment = workload('apps/v1', 'Deployment');

describe('the status that an API server takes', () => {
  it.each([
    { what: 'lacks it', desired: { replicas: 3 }, written: { replicas: 3, collisionCount: 2 } },
    { what: 'is empty', desired: {}, written: { collisionCount: 2 } },
    {
      what: 'has a lower one',
      desired: { collisionCount: 1, replicas: 3 },
      written: { collisionCount: 2, replicas: 3 },
    },
    { what: 'has null', desired: { collisionCount: null }, written: { collisionCount: 2 } },
  ])('keeps the stored collisionCount if the desired status $what', ({ desired, written }) => {
    expect(writableStatus(deployment, desired, { replicas: 1, collisionCount: 2 })).toEqual({
      status: written,
    });
  });

  it.each([[2], [3]])('is the desired one if its collisionCount is %d, and 2 stored', (count) => {
    const desired = { collisionCount: count };
    expect(writableStatus(deployment, desired, { collisionCount: 2 }).status).toBe(desired);
  });

  it('keeps a stored collisionCount of 0: it cannot be removed either', () => {
    expect(writableStatus(deployment, {}, { collisionCount: 0 }).status).toEqual({
      collisionCount: 0,
    });
  });

  it.each([[undefined], [null], [{}], [{ collisionCount: null }]])(
    'is the desired one if %j is stored',
    (stored) => {
      const desired = { replicas: 3 };
      expect(writableStatus(deployment, desired, stored).status).toBe(desired);
    },
  );

  it.each([
    { apiVersion: 'apps/v1', kind: 'Deployment', kept: true },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', kept: true },
    { apiVersion: 'apps/v1', kind: 'DaemonSet', kept: true },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', kept: false },
    { apiVersion: 'example.org/v1', kind: 'Deployment', kept: false },
  ])('of a $apiVersion $kind keeps the collisionCount: $kept', ({ apiVersion, kind, kept }) => {
    const written = writableStatus(workload(apiVersion, kind), {}, { collisionCount: 1 });
    expect(written).toEqual({ status: kept ? { collisionCount: 1 } : {} });
  });
});

describe('the status of a Service', () => {
  const service = (spec: { readonly type: string }) => ({ ...workload('v1', 'Service'), spec });
  const balanced = { loadBalancer: { ingress: [{ ip: '192.0.2.1', ipMode: 'VIP' }] } };

  it('has load balancers while the Service is of their type', () => {
    const written = writableStatus(service({ type: 'LoadBalancer' }), balanced, undefined);
    expect(written.status).toBe(balanced);
  });

  it('has none if the Service is of another type, which a WEC may not know yet', () => {
    const written = writableStatus(service({ type: 'ClusterIP' }), balanced, balanced);
    expect(written).toEqual({ status: { loadBalancer: {} } });
  });

  it.each([[{}], [{ loadBalancer: {} }], [{ loadBalancer: { ingress: [] } }]])(
    'is as desired if there is none: %j',
    (desired) => {
      const written = writableStatus(service({ type: 'ClusterIP' }), desired, balanced);
      expect(written.status).toBe(desired);
    },
  );
});
