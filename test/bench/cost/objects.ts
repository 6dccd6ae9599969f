import type { EventContent, ReturnedObject } from '#shared/core/event.ts';
import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { TYPICAL } from '#test/bench/collectors.ts';
import { recorded, statusWith, wdsDeployment } from '#test/bench/recorded-deployment.ts';

/** Name of the only WDS. */
export const WDS = 'wds1';
const NAMESPACE = 'shop';
const CONTROL = { group: 'control.kubestellar.io', version: 'v1alpha1', namespace: '' } as const;
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' } as const;

/** An object to stand in the WDS. */
export interface GivenObject {
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

/** Names of so many workloads: `app-0` ... */
export function workloadNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_name, index) => `app-${index}`);
}

/** Names of so many WECs: `wec-00000` ... */
export function wecNames(count: number): readonly string[] {
  return Array.from({ length: count }, (_name, index) => `wec-${String(index).padStart(5, '0')}`);
}

function control(resource: string, kind: string, named: JsonObject): GivenObject {
  const { name, ...object } = named;
  // Every caller gives a text.
  const ref = { ...CONTROL, resource, name: name as string };
  const metadata = { name: ref.name, uid: `uid-${ref.name}` };
  return {
    ref,
    object: { apiVersion: 'control.kubestellar.io/v1alpha1', kind, metadata, ...object },
  };
}

/**
 * What a user has in the WDS: Deployments, one Binding that sends all of them to all WECs, and what it asks for: the
 * status of several WECs together and three collectors.
 *
 * @param specs of the collectors by name. Default: typical ones.
 */
export function givenObjects(
  workloads: readonly string[],
  wecs: readonly string[],
  specs: Readonly<Record<string, JsonObject>> = TYPICAL,
): readonly GivenObject[] {
  const collectors = Object.entries(specs).map(([name, spec]) =>
    control('statuscollectors', 'StatusCollector', { name, spec }),
  );
  const deployments = workloads.map((name) => ({
    ref: { ...DEPLOYMENTS, namespace: NAMESPACE, name },
    // A WorkloadObject is JSON.
    object: wdsDeployment(name, NAMESPACE) as unknown as JsonObject,
  }));
  const binding = control('bindings', 'Binding', {
    name: 'all',
    spec: {
      destinations: wecs.map((clusterId) => ({ clusterId })),
      workload: {
        namespaceScope: workloads.map((name) => ({
          ...DEPLOYMENTS,
          namespace: NAMESPACE,
          name,
          resourceVersion: '1',
          statusCollectors: Object.keys(specs),
          wantMultiWECReportedState: true,
        })),
      },
    },
  });
  return [...collectors, ...deployments, binding];
}

/** What a WEC says of a Deployment after so many changes of its status; each is another one than the one before. */
export function statement(
  workload: string,
  change: number,
  about: { readonly nowMs: number; readonly first: boolean },
): Extract<EventContent, { type: 'wec-object' }> {
  const available = change % 6;
  const returned: ReturnedObject = {
    uid: `uid-${workload}`,
    generation: 1,
    spec: recorded('spec'),
    lastUpdate: new Date(about.nowMs).toISOString(),
    status: statusWith(available, available === 5 ? {} : { unavailableReplicas: 5 - available }),
  };
  const { group, resource } = DEPLOYMENTS;
  const subject = { group, resource, namespace: NAMESPACE, name: workload };
  return { type: 'wec-object', wds: WDS, subject, first: about.first, returned };
}
