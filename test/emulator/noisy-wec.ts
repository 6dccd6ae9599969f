import { NAMESPACE, workloadName } from '#test/bench/embedded-world.ts';
import { deployment } from '#test/e2e/workloads.ts';
import { controlRef, namespaceRef } from '#test/lifecycle/action.ts';
import type { Reachable } from './reachable.ts';

/** A WEC that sends more than is handled. No forwarder follows it: a test sends what it reports. */
export const NOISY = { type: 'wec', name: 'noisy' } as const;
/** It reports so many objects again and again, 20 in each message. Each report of an object has another status. */
export const WORKLOADS = 39;
export const MESSAGES = 100;
export const EVENTS = 20 * MESSAGES;

export const OBJECTS = Array.from({ length: WORKLOADS }, (_none, index) =>
  deployment({ namespace: NAMESPACE, name: workloadName(index) }),
);

/** Its objects in a WDS, and a Binding that sends them to it alone. Nobody else follows them. */
export async function describeNoisy({ cluster }: Pick<Reachable, 'cluster'>): Promise<void> {
  await cluster.set(namespaceRef(NAMESPACE), () => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAMESPACE },
  }));
  for (const { ref, object } of OBJECTS) await cluster.set(ref, () => object);
  const named = OBJECTS.map(({ ref: { group, version, resource, namespace, name } }) => ({
    ...{ group, version, resource, namespace, name, resourceVersion: '1' },
    wantSingletonReportedState: true,
  }));
  await cluster.set(controlRef('bindings', 'noisy'), () => ({
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'Binding',
    metadata: { name: 'noisy' },
    spec: {
      destinations: [{ clusterId: NOISY.name }],
      workload: { clusterScope: [], namespaceScope: named },
    },
  }));
}
