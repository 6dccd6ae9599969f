import { type JsonObject, member } from '#shared/core/json.ts';
import { SOURCE_GENERATION } from '#shared/core/status/returned-object.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { TYPICAL } from '#test/bench/collectors.ts';
import { countedStatus, RECORDED, recorded } from '#test/bench/recorded-deployment.ts';

/** The resource of the workload objects. */
export const DEPLOYMENTS: Resource = { group: 'apps', version: 'v1', resource: 'deployments' };

/** Carried by all workload objects; the forwarders select by it. */
export const LABELS = { 'app.kubernetes.io/part-of': 'soak' } as const;

const NAMESPACES = 20;
const OBJECTS_OF_BINDING = 100;
const COLLECTOR = 'availability';
const CONTROL = 'control.kubestellar.io/v1alpha1';

/** A workload object by its number. */
export function refOf(index: number): ObjectRef {
  const name = `web-${String(index).padStart(4, '0')}`;
  return { ...DEPLOYMENTS, namespace: `team-${index % NAMESPACES}`, name };
}

/** The number in the name of a workload object. */
export function indexOf(name: string): number {
  return Number(name.slice('web-'.length));
}

/** The specs that users give a Deployment: so many replicas. */
function specWith(replicas: number): JsonObject {
  return { ...recorded('spec'), replicas };
}

/** A workload object as its user creates it in the WDS. */
export function wdsObject(index: number, replicas: number): JsonObject {
  const { namespace, name } = refOf(index);
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels: LABELS },
    spec: specWith(replicas),
  };
}

/** What a WEC has of a workload object. */
export interface Copy {
  readonly uid: string;
  /** Of the object in the WDS that it was made from. */
  readonly generation: number;
  readonly replicas: number;
  readonly available: number;
  /** Stands in the status, and is shown in the WDS if it is the highest of all WECs. */
  readonly counter: number;
}

/** The object in a WEC, of about 3.5 KB, with the managedFields of kubectl and of the controller. */
export function wecObject(index: number, copy: Copy): JsonObject {
  const { namespace, name } = refOf(index);
  const { uid, generation, replicas, available, counter } = copy;
  const metadata = recorded('metadata');
  return {
    ...RECORDED,
    metadata: {
      ...metadata,
      ...{ name, namespace, uid, generation, labels: LABELS },
      annotations: {
        // Recorded: kubectl's last applied configuration and the revision.
        ...annotationsOf(metadata),
        [SOURCE_GENERATION]: String(generation),
      },
    },
    spec: specWith(replicas),
    status: countedStatus(available, counter, {
      replicas,
      updatedReplicas: replicas,
      observedGeneration: generation,
    }),
  };
}

function annotationsOf(metadata: JsonObject): JsonObject {
  const annotations = member(metadata, 'annotations');
  return typeof annotations === 'object' && !Array.isArray(annotations) && annotations !== null
    ? (annotations as JsonObject) // Neither a list nor a plain value.
    : {};
}

/** The number of the Binding that names a workload object. */
export function bindingOf(index: number): number {
  return Math.floor(index / OBJECTS_OF_BINDING);
}

/** The name of a Binding. */
export function bindingName(binding: number): string {
  return `binding-${String(binding).padStart(2, '0')}`;
}

/** The spec of a Binding of these workload objects. */
export function bindingSpec(objects: readonly number[], wecs: readonly string[]): JsonObject {
  return {
    destinations: wecs.map((clusterId) => ({ clusterId })),
    workload: {
      namespaceScope: objects.map(refOf).map((ref) => ({
        ...ref,
        resourceVersion: '1',
        wantMultiWECReportedState: true,
        statusCollectors: [COLLECTOR],
      })),
    },
  };
}

/** A Binding of these workload objects. */
export function bindingObject(binding: number, spec: JsonObject): JsonObject {
  return { apiVersion: CONTROL, kind: 'Binding', metadata: { name: bindingName(binding) }, spec };
}

/** The collector that all of them name: how many WECs have so many replicas available. */
export function collectorObject(): JsonObject {
  return {
    apiVersion: CONTROL,
    kind: 'StatusCollector',
    metadata: { name: COLLECTOR },
    spec: TYPICAL['histogram'] ?? {},
  };
}
