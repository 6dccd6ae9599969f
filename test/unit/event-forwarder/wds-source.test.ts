import { afterEach, beforeEach, expect, it } from 'vitest';
import type { JsonObject } from '#shared/core/json.ts';
import { ApiForbiddenError } from '#shared/errors.ts';
import type { Resource } from '#shared/ports/kubernetes-api.ts';
import { anObject, ForwarderBench } from './forwarder-bench.ts';

const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments' };
const SECRETS = { group: '', version: 'v1', resource: 'secrets' };
const BINDINGS = { group: 'control.kubestellar.io', version: 'v1alpha1', resource: 'bindings' };
const FORBIDDEN = new ApiForbiddenError('list', 'RBAC');

let bench: ForwarderBench;

beforeEach(() => {
  bench = new ForwarderBench();
  bench.serve(DEPLOYMENTS, SECRETS, BINDINGS);
  bench.cluster.put(DEPLOYMENTS, anObject('web'));
  bench.cluster.put(SECRETS, anObject('key'));
});

afterEach(async () => {
  await bench.stop();
});

function bind(name: string, ...objects: readonly (readonly [Resource, string])[]): void {
  const namespaceScope = objects.map(
    ([resource, objectName]): JsonObject => ({
      ...resource,
      namespace: 'default',
      name: objectName,
      resourceVersion: '1',
    }),
  );
  const spec = { destinations: [{ clusterId: 'edge-1' }], workload: { namespaceScope } };
  bench.cluster.put(BINDINGS, anObject(name, { spec }, ''));
}

it('a Binding that names what may not be listed holds up the first snapshot for no more than a minute or two', async () => {
  bench.cluster.refuse(SECRETS, FORBIDDEN);
  bind('b', [DEPLOYMENTS, 'web'], [SECRETS, 'key']);
  bench.start({ type: 'wds', name: 'wds1' });
  expect(await bench.said(2 * 60_000)).toEqual([
    'wds1 bindings/b!',
    'wds1 deployments/web!',
    'wds1 snapshot',
  ]);
  expect(bench.state.resources.get('secrets/v1')).toMatchObject({ phase: 'forbidden' });
  bench.cluster.refuse(SECRETS, undefined);
  expect(await bench.said(5 * 60_000)).toEqual(['wds1 secrets/key!']);
});

it('a resource that may not be listed any more holds up no later snapshot, and its objects count as gone', async () => {
  bind('b', [DEPLOYMENTS, 'web'], [SECRETS, 'key']);
  const config = { resyncMs: 60 * 60_000 };
  bench.start({ type: 'wds', name: 'wds1' }, { config });
  await bench.said(60_000);
  bench.cluster.refuse(SECRETS, FORBIDDEN);
  expect(await bench.said(30 * 60_000)).toEqual(['wds1 secrets/key-']);
  expect(await bench.said(31 * 60_000)).toEqual([
    'wds1 bindings/b!',
    'wds1 deployments/web!',
    'wds1 snapshot',
  ]);
});

it('Bindings that may not be listed hold up the snapshot for as long as that is so', async () => {
  bind('b', [DEPLOYMENTS, 'web']);
  bench.cluster.refuse(BINDINGS, FORBIDDEN);
  bench.start({ type: 'wds', name: 'wds1' });
  expect(await bench.said(60 * 60_000)).toEqual([]);
  bench.cluster.refuse(BINDINGS, undefined);
  expect(await bench.said(60_000)).toEqual([
    'wds1 bindings/b!',
    'wds1 deployments/web!',
    'wds1 snapshot',
  ]);
});

/** Whether the forwarder keeps what it has seen itself, or refers to what is held anyway. */
const KEPT = [
  ['that the forwarder keeps', {}],
  ['that is held for it', { objectsAreHeld: true }],
] as const;

it.each(KEPT)('an object %s is told as it is when a Binding comes to name it', async (_, kept) => {
  bind('b', [DEPLOYMENTS, 'other']);
  bench.start({ type: 'wds', name: 'wds1' }, kept);
  await bench.said();
  bench.cluster.put(DEPLOYMENTS, anObject('web', { status: { replicas: 2 } }));
  expect(await bench.said()).toEqual([]);
  bind('b', [DEPLOYMENTS, 'web']);
  await bench.time.advance(1000);
  const told = bench.queue
    .events()
    .flatMap(({ content }) => (content.type === 'wds-object' ? [content] : []))
    .find(({ subject }) => subject.name === 'web');
  expect(told?.object).toMatchObject({ status: { replicas: 2 } });
});

it.each(KEPT)(
  'of a Secret %s everything is told but its data, also where kubectl has noted them',
  async (_, kept) => {
    const hidden = 'aGlkZGVu';
    const noted = 'kubectl.kubernetes.io/last-applied-configuration';
    const secret = anObject('key', { data: { a: hidden }, stringData: { b: hidden } });
    const annotations = { [noted]: JSON.stringify(secret), 'example.com/team': 'shop' };
    const metadata = { ...(secret['metadata'] as JsonObject), annotations };
    bench.cluster.put(SECRETS, { ...secret, type: 'Opaque', metadata });
    const shown = { [noted]: '{}', 'example.com/team': 'shop' };
    const web = anObject('web', { data: { a: 'shown' } });
    const webMetadata = { ...(web['metadata'] as JsonObject), annotations: shown };
    bench.cluster.put(DEPLOYMENTS, { ...web, metadata: webMetadata });
    bind('b', [DEPLOYMENTS, 'web'], [SECRETS, 'key']);
    bench.start({ type: 'wds', name: 'wds1' }, kept);
    await bench.time.advance(60_000);
    const told = new Map(
      bench.queue
        .events()
        .flatMap(({ content }) => (content.type === 'wds-object' ? [content] : []))
        .map(({ subject, object }) => [subject.name, object]),
    );
    expect(told.get('key')).toMatchObject({
      type: 'Opaque',
      metadata: { name: 'key', annotations: { 'example.com/team': 'shop' } },
    });
    expect(JSON.stringify(told.get('key'))).not.toMatch(
      /aGlkZGVu|last-applied|"(?:data|stringData)"/,
    );
    // Of no other kind is anything left out.
    expect(told.get('web')).toMatchObject({
      data: { a: 'shown' },
      metadata: { annotations: shown },
    });
  },
);
