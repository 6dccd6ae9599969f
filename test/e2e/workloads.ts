import type { JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';

/** An object as a user applies it, and where it goes. */
export interface Manifest {
  readonly ref: ObjectRef;
  readonly object: JsonObject;
}

const labelsOf = (name: string): JsonObject => ({ app: name });

const podTemplate = (name: string, restartPolicy: 'Always' | 'Never'): JsonObject => ({
  metadata: { labels: labelsOf(name) },
  spec: { restartPolicy, containers: [{ name: 'main', image: 'registry.example/main:1' }] },
});

function inNamespace(resource: Omit<ObjectRef, 'namespace' | 'name'>, place: Place): ObjectRef {
  return { ...resource, ...place };
}

/** Namespace and name. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

/** A Deployment of three replicas. */
export function deployment(place: Place): Manifest {
  return {
    ref: inNamespace({ group: 'apps', version: 'v1', resource: 'deployments' }, place),
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...place, labels: labelsOf(place.name) },
      spec: {
        replicas: 3,
        selector: { matchLabels: labelsOf(place.name) },
        template: podTemplate(place.name, 'Always'),
      },
    },
  };
}

/** A ReplicaSet of three replicas. */
export function replicaSet(place: Place): Manifest {
  const { object } = deployment(place);
  return {
    ref: inNamespace({ group: 'apps', version: 'v1', resource: 'replicasets' }, place),
    object: { ...object, kind: 'ReplicaSet' },
  };
}

/** A StatefulSet of three replicas. */
export function statefulSet(place: Place): Manifest {
  return {
    ref: inNamespace({ group: 'apps', version: 'v1', resource: 'statefulsets' }, place),
    object: {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { ...place, labels: labelsOf(place.name) },
      spec: {
        replicas: 3,
        serviceName: place.name,
        selector: { matchLabels: labelsOf(place.name) },
        template: podTemplate(place.name, 'Always'),
      },
    },
  };
}

/** A DaemonSet. */
export function daemonSet(place: Place): Manifest {
  return {
    ref: inNamespace({ group: 'apps', version: 'v1', resource: 'daemonsets' }, place),
    object: {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { ...place, labels: labelsOf(place.name) },
      spec: {
        selector: { matchLabels: labelsOf(place.name) },
        template: podTemplate(place.name, 'Always'),
      },
    },
  };
}

/** A Job of one pod. */
export function job(place: Place): Manifest {
  return {
    ref: inNamespace({ group: 'batch', version: 'v1', resource: 'jobs' }, place),
    object: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { ...place, labels: labelsOf(place.name) },
      spec: { template: podTemplate(place.name, 'Never') },
    },
  };
}

/** A ConfigMap: a kind without a status. */
export function configMap(place: Place): Manifest {
  return {
    ref: inNamespace({ group: '', version: 'v1', resource: 'configmaps' }, place),
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...place, labels: labelsOf(place.name) },
      data: { key: 'value' },
    },
  };
}
