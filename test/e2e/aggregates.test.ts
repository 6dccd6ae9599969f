import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { foldRows } from '#shared/core/fold/fold.ts';
import { isObject, type JsonObject, type JsonValue, member } from '#shared/core/json.ts';
import { statusFold } from '#shared/core/status/rules.ts';
import { writableStatus } from '#shared/core/status/writable-status.ts';
import type { ObjectRef, Resource } from '#shared/ports/kubernetes-api.ts';
import { type KindSet, type KindSets, kindSets } from '#test/property/status/kind-sets.ts';
import { ALL_KINDS } from '#test/property/status/kinds/all.ts';
import {
  clusters,
  collectionPath,
  createNamespace,
  JSON_PATCH,
  pathOf,
  remove,
  request,
  requestOk,
} from './clusters.ts';

const NAMESPACE = 'aggregates';
/** Objects of each kind, and sets of WECs whose aggregates are written to each, one after the other. */
const OBJECTS = 12;
const SETS = 25;
const SEED = 4;

const { wds } = clusters();

const LABELS = { app: 'web' };
const CONTAINERS = [{ name: 'c', image: 'example.com/web:v1' }];
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const ENDING = { spec: { restartPolicy: 'Never', containers: CONTAINERS } };
const SELECTING = { selector: { matchLabels: LABELS }, template: TEMPLATE };
const TARGET = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };

/** Where a kind is served, and what its API server wants in a spec besides what the sets say. */
interface Served {
  readonly resource: string;
  readonly spec: JsonObject;
}

const SERVED: ReadonlyMap<string, Served> = new Map([
  ['apps/v1/Deployment', { resource: 'deployments', spec: SELECTING }],
  ['apps/v1/ReplicaSet', { resource: 'replicasets', spec: SELECTING }],
  ['apps/v1/StatefulSet', { resource: 'statefulsets', spec: { ...SELECTING, serviceName: 'web' } }],
  ['apps/v1/DaemonSet', { resource: 'daemonsets', spec: SELECTING }],
  ['batch/v1/Job', { resource: 'jobs', spec: { template: ENDING } }],
  [
    'batch/v1/CronJob',
    {
      resource: 'cronjobs',
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: ENDING } } },
    },
  ],
  ['v1/Pod', { resource: 'pods', spec: { containers: CONTAINERS } }],
  [
    'v1/PersistentVolumeClaim',
    {
      resource: 'persistentvolumeclaims',
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ],
  ['v1/Service', { resource: 'services', spec: { selector: LABELS, ports: [{ port: 80 }] } }],
  [
    'networking.k8s.io/v1/Ingress',
    {
      resource: 'ingresses',
      spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
    },
  ],
  [
    'autoscaling/v2/HorizontalPodAutoscaler',
    { resource: 'horizontalpodautoscalers', spec: { scaleTargetRef: TARGET, maxReplicas: 9 } },
  ],
  [
    'autoscaling/v1/HorizontalPodAutoscaler',
    { resource: 'horizontalpodautoscalers', spec: { scaleTargetRef: TARGET, maxReplicas: 9 } },
  ],
  [
    'policy/v1/PodDisruptionBudget',
    {
      resource: 'poddisruptionbudgets',
      spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
    },
  ],
]);

/** A kind that every API server serves; APIServices are, too, but their status is the API server's own. */
const KINDS = ALL_KINDS.flatMap(([name, kind]) => {
  const served = SERVED.get(`${kind.apiVersion}/${kind.kind}`);
  return served === undefined ? [] : [{ name, kind, served }];
});

function resourceOf({ apiVersion }: KindSets, { resource }: Served): Resource {
  const slash = apiVersion.indexOf('/');
  return {
    group: apiVersion.slice(0, Math.max(slash, 0)),
    version: apiVersion.slice(slash + 1),
    resource,
  };
}

async function create(kind: KindSets, served: Served, spec: JsonObject): Promise<ObjectRef> {
  const resource = resourceOf(kind, served);
  const { apiVersion } = kind;
  const created = await requestOk(wds, {
    method: 'POST',
    // The sets have fields that stand for a pod's template.
    path: `${collectionPath(resource, NAMESPACE)}?fieldValidation=Ignore`,
    body: {
      apiVersion,
      kind: kind.kind,
      metadata: { generateName: 'web-', namespace: NAMESPACE },
      spec: { ...served.spec, ...spec },
    },
  });
  const metadata = member(created, 'metadata');
  return { ...resource, namespace: NAMESPACE, name: String(member(metadata, 'name')) };
}

function aggregateOf({ workload, wecs, specsByHash }: KindSet): JsonObject {
  const fold = statusFold(workload, specsByHash);
  const rows = wecs.map(({ perWec }) => perWec);
  return fold.finish(foldRows(fold, rows)) ?? {};
}

/** What the API server says to an aggregate; undefined where it takes it. */
async function refusalOf(ref: ObjectRef, aggregate: JsonObject): Promise<JsonValue | undefined> {
  const object = await requestOk(wds, { method: 'GET', path: pathOf(ref) });
  const { status } = writableStatus(object, aggregate, member(object, 'status'));
  const answer = await request(wds, {
    method: 'PATCH',
    path: `${pathOf(ref)}/status`,
    body: [{ op: 'add', path: '/status', value: status }],
    type: JSON_PATCH,
  });
  if (answer.status === 200) return undefined;
  const before = isObject(object) ? (object['status'] ?? null) : null;
  return { says: answer.body['message'] ?? answer.status, before, status };
}

beforeAll(() => createNamespace(wds, NAMESPACE));

describe('an API server', () => {
  it.each(KINDS)(
    'takes every aggregate, over whatever stands there: $name',
    async ({ kind, served }) => {
      const specs = fc.sample(kind.specs, { seed: SEED, numRuns: OBJECTS });
      let written = 0;
      for (const spec of specs) {
        const ref = await create(kind, served, spec);
        const sets = kindSets(
          { ...kind, specs: fc.constant(spec) },
          { differingSpecs: true, outOfStep: true },
        );
        for (const set of fc.sample(sets, { seed: SEED, numRuns: SETS })) {
          expect(await refusalOf(ref, aggregateOf(set))).toBeUndefined();
          written += 1;
        }
        await remove(wds, ref);
      }
      expect(written).toBe(OBJECTS * SETS);
    },
  );
});
