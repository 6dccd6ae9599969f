import type { JsonObject } from '#shared/core/json.ts';
import { bindingOf, controlRef } from '#test/e2e/controls.ts';
import { type CustomKind, instance } from '#test/e2e/custom-resources.ts';
import { minute, rolledOut } from '#test/e2e/rollout.ts';
import { deployment, job, type Manifest } from '#test/e2e/workloads.ts';
import type { Random } from '#test/simulation/scheduler.ts';

/** A kind of somebody else's. */
export const CHAOTIC: CustomKind = {
  kind: 'Chaotic',
  scope: 'Namespaced',
  statusSubresource: true,
};

/** The resources of the objects, as a forwarder's configuration names them. */
export const RESOURCES = [
  'deployments.apps/v1',
  'jobs.batch/v1',
  'chaotics.others.starfold.dev/v1',
];

/** A workload object, and the statuses that a WEC gives it. */
export interface Subject extends Manifest {
  readonly status: (random: Random) => JsonObject;
}

function deploymentStatus(random: Random): JsonObject {
  return rolledOut(1 + random.below(3), random.below(20), minute(random.below(60)));
}

function jobStatus(random: Random): JsonObject {
  const active = random.below(20);
  const ready = random.below(active + 1);
  return { startTime: minute(0), active, ready, terminating: 0 };
}

function customStatus(random: Random): JsonObject {
  return {
    phase: random.pick(['Pending', 'Running', 'Failed']),
    count: random.below(1_000),
    message: 'x'.repeat(random.below(200)),
  };
}

/** Some Deployments, Jobs and custom objects in a namespace. */
export function subjectsOf(namespace: string): readonly Subject[] {
  const numbered = (count: number, name: string): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${namespace}-${name}-${index}`);
  return [
    ...numbered(6, 'web').map((name) => ({
      ...deployment({ namespace, name }),
      status: deploymentStatus,
    })),
    ...numbered(4, 'task').map((name) => ({ ...job({ namespace, name }), status: jobStatus })),
    ...numbered(4, 'thing').map((name) => ({
      ...instance(CHAOTIC, { namespace, name }),
      status: customStatus,
    })),
  ];
}

/**
 * What asks for the statuses of the objects: a Binding to both WECs, and a StatusCollector that shows each WEC's whole
 * status, so that nothing of it can differ unseen.
 */
export function controlOf(name: string, subjects: readonly Manifest[]): readonly Manifest[] {
  const collector: JsonObject = {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'StatusCollector',
    metadata: { name },
    spec: {
      filter: 'has(returned.status)',
      select: [
        { name: 'wec', def: 'inventory.name' },
        { name: 'status', def: 'returned.status' },
      ],
      limit: 20,
    },
  };
  const modulation = { wantMultiWECReportedState: true, statusCollectors: [name] };
  const binding = bindingOf({
    name,
    destinations: ['wec1', 'wec2'],
    objects: subjects.map(({ ref }) => [ref, modulation] as const),
  });
  return [
    { ref: controlRef('statuscollectors', name), object: collector },
    { ref: controlRef('bindings', name), object: binding },
  ];
}
