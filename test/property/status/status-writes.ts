import fc from 'fast-check';
import type { JsonObject } from '#shared/core/json.ts';
import { type StatusWrites, some } from './status-write-kind.ts';
import { JOB_WRITES } from './status-writes-job.ts';
import { POD_WRITES } from './status-writes-pod.ts';

const count = fc.nat({ max: 3 });
const balancer = fc
  .subarray<JsonObject>([{ ip: '192.0.2.1', ipMode: 'VIP' }, { hostname: 'lb.example' }])
  .map((ingress) => ({ loadBalancer: ingress.length === 0 ? {} : { ingress } }));

const SERVICE: StatusWrites = {
  apiVersion: 'v1',
  kind: 'Service',
  specs: fc.constantFrom('LoadBalancer', 'ClusterIP').map((type) => ({ type })),
  standing: () => balancer,
  desired: () => balancer,
};

const replicas = some({ collisionCount: count }).chain((collisions) =>
  fc.record({ replicas: count, ready: count }).map((counts) => ({
    ...collisions,
    replicas: counts.replicas,
    readyReplicas: Math.min(counts.ready, counts.replicas),
  })),
);

function replicated(kind: string): StatusWrites {
  const statuses = (): fc.Arbitrary<JsonObject> => fc.oneof(fc.constant({}), replicas);
  const specs = fc.constant({ replicas: 3 });
  return { apiVersion: 'apps/v1', kind, specs, standing: statuses, desired: statuses };
}

/** The kinds whose API server looks at what stands, and one whose does not. */
export const STATUS_WRITES: readonly StatusWrites[] = [
  JOB_WRITES,
  POD_WRITES,
  SERVICE,
  replicated('Deployment'),
  replicated('StatefulSet'),
  replicated('DaemonSet'),
  replicated('ReplicaSet'),
];

/** An object as it stands, and the status that is wanted of it. */
export interface StatusWriteCase {
  readonly object: JsonObject;
  readonly stored: JsonObject;
  readonly desired: JsonObject;
}

/** Random cases of one kind. */
export function casesOf(writes: StatusWrites): fc.Arbitrary<StatusWriteCase> {
  const { apiVersion, kind } = writes;
  const metadata = { name: 'web', creationTimestamp: '2025-11-01T09:59:00Z' };
  return writes.specs.chain((spec) =>
    fc
      .record({ stored: writes.standing(spec), desired: writes.desired(spec) })
      .map(({ stored, desired }) => ({
        object: { apiVersion, kind, metadata, spec, status: stored },
        stored,
        desired,
      })),
  );
}
