import {
  AppsV1Api,
  CoreV1Api,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1Deployment,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';

let cluster: SimulatedCluster;
let config: KubeConfig;
let apps: AppsV1Api;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ name: 'wec1' });
  config = new KubeConfig();
  config.loadFromString(cluster.kubeconfig());
  apps = config.makeApiClient(AppsV1Api);
});

afterAll(() => cluster.close());

function body(name: string): V1Deployment {
  const labels = { app: name };
  return {
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  };
}

it('creates, lists, patches and deletes', async () => {
  const namespace = 'default';
  await apps.createNamespacedDeployment({ namespace, body: body('life') });
  const { items } = await apps.listDeploymentForAllNamespaces({ labelSelector: '!none' });
  expect(items.map(({ metadata }) => metadata?.name)).toContain('life');
  const patched = await apps.patchNamespacedDeployment(
    { namespace, name: 'life', body: { metadata: { labels: { a: 'b' } } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  expect(patched.metadata?.labels).toEqual({ a: 'b' });
  const replaced = await apps.replaceNamespacedDeploymentStatus({
    namespace,
    name: 'life',
    body: { ...patched, status: { replicas: 1, readyReplicas: 1 } },
  });
  expect(replaced.status).toMatchObject({ readyReplicas: 1 });
  await expect(
    apps.replaceNamespacedDeployment({
      namespace,
      name: 'life',
      body: { ...body('life'), metadata: patched.metadata ?? {} },
    }),
  ).rejects.toMatchObject({
    code: 409,
    body: expect.stringContaining('please apply your changes'),
  });
  await apps.deleteNamespacedDeployment({ namespace, name: 'life' });
  await expect(apps.readNamespacedDeployment({ namespace, name: 'life' })).rejects.toMatchObject({
    code: 404,
  });
});

it('finds kinds by discovery', async () => {
  const objects = KubernetesObjectApi.makeApiClient(config);
  const policy = {
    apiVersion: 'control.kubestellar.io/v1alpha1',
    kind: 'BindingPolicy',
    metadata: { name: 'found' },
  };
  await objects.create(policy);
  expect((await objects.read(policy)).metadata?.uid).toBeTypeOf('string');
});

it('watches', async () => {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ended = Promise.withResolvers<void>();
  const abort = await new Watch(config).watch(
    '/apis/apps/v1/deployments',
    { resourceVersion: '1', fieldSelector: 'metadata.name=watched' },
    (phase, object: V1Deployment) => resolve(`${phase} ${object.metadata?.name}`),
    (error) => {
      reject(error);
      ended.resolve();
    },
  );
  await apps.createNamespacedDeployment({ namespace: 'default', body: body('watched') });
  expect(await promise).toBe('ADDED watched');
  abort.abort();
  await ended.promise;
});

it('learns of an expired resourceVersion', async () => {
  cluster.forgetHistory();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const events: unknown[] = [];
  await new Watch(config).watch(
    '/apis/apps/v1/deployments',
    { resourceVersion: '2' },
    (phase, object) => events.push([phase, object.code]),
    resolve,
  );
  await promise;
  expect(events).toEqual([['ERROR', 410]]);
});

it('keeps an informer up to date across the loss of history', async () => {
  const core = config.makeApiClient(CoreV1Api);
  const informer = makeInformer(config, '/api/v1/configmaps', () =>
    core.listConfigMapForAllNamespaces(),
  );
  const { promise, resolve } = Promise.withResolvers<void>();
  informer.on('add', ({ metadata }) => {
    if (metadata?.name === 'after') resolve();
  });
  await informer.start();
  cluster.forgetHistory();
  await core.createNamespacedConfigMap({
    namespace: 'default',
    body: { metadata: { name: 'after' } },
  });
  await promise;
  expect(informer.get('after', 'default')?.metadata?.name).toBe('after');
  await informer.stop();
});
