import { at, type JsonObject } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { cronJobOf, withSpec } from '#test/e2e/controllers/manifests.ts';
import { daemonSet, deployment, job, type Manifest, statefulSet } from '#test/e2e/workloads.ts';

/** Where the application's objects are, in each cluster. */
export const NAMESPACE = 'shop';

const place = (name: string) => ({ namespace: NAMESPACE, name });
const image = (name: string, release: string): string => `registry.example/${name}:${release}`;

/** A workload whose pods are of a release. */
function released(manifest: Manifest, release: string): Manifest {
  const { name } = manifest.ref;
  const containers = [{ name, image: image(name, release) }];
  const template = at(manifest.object, 'spec', 'template', 'metadata');
  return withSpec(manifest, {
    template: { ...(template === undefined ? {} : { metadata: template }), spec: { containers } },
  });
}

/** A Job has a name of its own in each release: what it runs cannot be changed. */
function migration(release: string): Manifest {
  const name = `migrate-${release}`;
  const containers = [{ name, image: image('migrate', release) }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return withSpec(job(place(name)), { backoffLimit: 0, template });
}

function plain(ref: Omit<ObjectRef, 'namespace'>, kind: string, spec: JsonObject): Manifest {
  const { group, version, name } = ref;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const metadata = { ...place(name) };
  return { ref: { ...ref, ...place(name) }, object: { apiVersion, kind, metadata, spec } };
}

const FRONT = plain({ group: '', version: 'v1', resource: 'services', name: 'front' }, 'Service', {
  type: 'LoadBalancer',
  selector: { app: 'web' },
  ports: [{ name: 'http', port: 80 }],
});

const ROUTE = plain(
  { group: 'networking.k8s.io', version: 'v1', resource: 'ingresses', name: 'front' },
  'Ingress',
  {
    ingressClassName: 'nginx',
    defaultBackend: { service: { name: 'front', port: { name: 'http' } } },
  },
);

const DATA = plain(
  { group: '', version: 'v1', resource: 'persistentvolumeclaims', name: 'data' },
  'PersistentVolumeClaim',
  {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'standard',
    resources: { requests: { storage: '1Gi' } },
  },
);

const SCALER = plain(
  { group: 'autoscaling', version: 'v2', resource: 'horizontalpodautoscalers', name: 'web' },
  'HorizontalPodAutoscaler',
  {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 3,
    maxReplicas: 5,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
      },
    ],
  },
);

/** A release of the application: an object of each kind that Argo CD and Starfold both have a rule for and that users deploy. */
export function shop(release: string): readonly Manifest[] {
  return [
    released(deployment(place('web')), release),
    released(statefulSet(place('db')), release),
    released(daemonSet(place('agent')), release),
    migration(release),
    cronJobOf(place('report'), image('report', '1')),
    FRONT,
    ROUTE,
    DATA,
    SCALER,
  ];
}

/** What users edit by hand. */
export const WEB = deployment(place('web')).ref;

/** A Job that Argo CD creates again before it syncs a release, and waits for. */
export const HOOK = job(place('before')).ref;

/** A release of a smaller application: a Deployment, before which a Job has to complete. */
export function shopWithHook(release: string): readonly Manifest[] {
  const { object } = migration(release);
  const annotations = {
    'argocd.argoproj.io/hook': 'PreSync',
    'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
  };
  const metadata = { ...place(HOOK.name), annotations };
  return [
    { ref: HOOK, object: { ...object, metadata } },
    released(deployment(place('web')), release),
  ];
}

/** The kind of a manifest. */
export function kindOf({ object }: Manifest): string {
  return String(object['kind']);
}
