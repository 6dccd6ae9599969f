import { beforeAll, describe, expect, it } from 'vitest';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import {
  type Answer,
  apply,
  clusters,
  createNamespace,
  JSON_PATCH,
  MERGE_PATCH,
  pathOf,
  read,
  request,
  requestOk,
  setStatus,
} from './clusters.ts';
import { configMap, deployment, type Manifest } from './workloads.ts';

const namespace = 'api-semantics';
const { wds } = clusters();

beforeAll(() => createNamespace(wds, namespace));

const create = ({ ref, object }: Manifest): Promise<JsonObject> => apply(wds, ref, object);

const versionOf = (object: JsonValue | undefined): string =>
  String(at(object, 'metadata', 'resourceVersion'));

/** A Deployment with a status, and the resourceVersions from before and after its status was set. */
async function deploymentWithStatus(name: string) {
  const manifest = deployment({ namespace, name });
  const stale = versionOf(await create(manifest));
  const stored = await setStatus(wds, manifest.ref, { replicas: 3, readyReplicas: 2 });
  return { ...manifest, stale, stored, current: versionOf(stored) };
}

interface Change {
  readonly resourceVersion: string;
  readonly status: JsonValue;
}

function replaceStatus(path: string, { resourceVersion, status }: Change): Promise<Answer> {
  const body = [
    { op: 'replace', path: '/metadata/resourceVersion', value: resourceVersion },
    { op: 'replace', path: '/status', value: status },
  ];
  return request(wds, { method: 'PATCH', path, body, type: JSON_PATCH });
}

function patchMetadata(ref: ObjectRef, metadata: JsonObject): Promise<Answer> {
  return request(wds, {
    method: 'PATCH',
    path: pathOf(ref),
    body: { metadata },
    type: MERGE_PATCH,
  });
}

function deleteIf(ref: ObjectRef, preconditions: JsonObject): Promise<Answer> {
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
  return request(wds, { method: 'DELETE', path: pathOf(ref), body });
}

describe('JSON patch of /status that replaces the resourceVersion too', () => {
  it('makes the status exactly this when the resourceVersion is current', async () => {
    const { ref, current } = await deploymentWithStatus('status-current');
    const change = { resourceVersion: current, status: { replicas: 1 } };
    const { status, body } = await replaceStatus(`${pathOf(ref)}/status`, change);
    expect(status).toBe(200);
    expect(body['status']).toEqual({ replicas: 1 });
    expect(versionOf(body)).not.toBe(current);
  });

  it('is a conflict when the resourceVersion is stale, and changes nothing', async () => {
    const { ref, stale, stored } = await deploymentWithStatus('status-stale');
    const change = { resourceVersion: stale, status: { replicas: 1 } };
    const { status, body } = await replaceStatus(`${pathOf(ref)}/status`, change);
    expect([status, body['reason']]).toEqual([409, 'Conflict']);
    expect(await read(wds, ref)).toEqual(stored);
  });

  it('works where the object has no status yet', async () => {
    const ref = {
      group: 'control.kubestellar.io',
      version: 'v1alpha1',
      resource: 'statuscollectors',
      namespace: '',
      name: 'without-status',
    };
    const apiVersion = 'control.kubestellar.io/v1alpha1';
    const metadata = { name: ref.name };
    const created = await apply(wds, ref, { apiVersion, kind: 'StatusCollector', metadata });
    expect(created['status']).toBeUndefined();
    const change = { resourceVersion: versionOf(created), status: { observedGeneration: 1 } };
    const { status, body } = await replaceStatus(`${pathOf(ref)}/status`, change);
    expect([status, body['status']]).toEqual([200, { observedGeneration: 1 }]);
  });

  it('leaves spec and labels alone', async () => {
    const { ref } = await deploymentWithStatus('status-only');
    const body = await requestOk(wds, {
      method: 'PATCH',
      path: `${pathOf(ref)}/status`,
      body: [
        { op: 'add', path: '/metadata/labels/added', value: 'yes' },
        { op: 'replace', path: '/spec/replicas', value: 9 },
        { op: 'replace', path: '/status', value: { replicas: 2 } },
      ],
      type: JSON_PATCH,
    });
    expect(at(body, 'metadata', 'labels')).toEqual({ app: 'status-only' });
    expect(at(body, 'spec', 'replicas')).toBe(3);
    expect(body['status']).toEqual({ replicas: 2 });
  });
});

describe('a write of what is there already', () => {
  it('leaves the resourceVersion as it is, whoever writes', async () => {
    const { ref, object, stored, current } = await deploymentWithStatus('no-op');
    const change = { resourceVersion: current, status: stored['status'] ?? null };
    const path = `${pathOf(ref)}/status`;
    const answers = [
      await replaceStatus(path, change),
      await replaceStatus(`${path}?fieldManager=somebody-else`, change),
      await patchMetadata(ref, { resourceVersion: current, labels: { app: 'no-op' } }),
      await request(wds, { method: 'PUT', path: pathOf(ref), body: stored }),
    ];
    expect(answers.map(({ status, body }) => [status, versionOf(body)])).toEqual(
      answers.map(() => [200, current]),
    );
    expect(versionOf(await apply(wds, ref, object))).toBe(current);
  });

  it('includes a status that differs only in counters at zero, which a Deployment drops', async () => {
    const { ref, current } = await deploymentWithStatus('no-op-zero');
    const status = { replicas: 3, readyReplicas: 2, availableReplicas: 0 };
    const answer = await replaceStatus(`${pathOf(ref)}/status`, {
      resourceVersion: current,
      status,
    });
    expect([answer.status, versionOf(answer.body)]).toEqual([200, current]);
  });
});

describe('merge patch of labels with the resourceVersion', () => {
  it('sets and removes labels when it is current', async () => {
    const { ref, current } = await deploymentWithStatus('labels-current');
    const labels = { app: null, added: 'yes' };
    const { status, body } = await patchMetadata(ref, { resourceVersion: current, labels });
    expect([status, at(body, 'metadata', 'labels')]).toEqual([200, { added: 'yes' }]);
  });

  it('is a conflict when it is stale', async () => {
    const { ref, stale } = await deploymentWithStatus('labels-stale');
    const answer = await patchMetadata(ref, { resourceVersion: stale, labels: { added: 'yes' } });
    expect([answer.status, answer.body['reason']]).toEqual([409, 'Conflict']);
  });

  it.each([
    { what: '63 characters', value: 'x'.repeat(63), status: 200 },
    { what: 'nothing', value: '', status: 200 },
    { what: 'dots, dashes and underscores inside', value: 'a.b-c_d', status: 200 },
    { what: '64 characters', value: 'x'.repeat(64), status: 422 },
    { what: 'a colon', value: 'system:node', status: 422 },
    { what: 'a dash at its end', value: 'a-', status: 422 },
  ])('answers $status to a label value of $what', async ({ value, status }) => {
    const manifest = configMap({ namespace, name: 'label-values' });
    await create(manifest);
    const labels = { 'status.kubestellar.io/name': value };
    expect((await patchMetadata(manifest.ref, { labels })).status).toBe(status);
  });
});

describe('delete with preconditions', () => {
  it('is a conflict when the uid is of another object', async () => {
    const { ref, current, stored } = await deploymentWithStatus('delete-uid');
    const answer = await deleteIf(ref, { uid: 'somebody-else', resourceVersion: current });
    expect([answer.status, answer.body['reason']]).toEqual([409, 'Conflict']);
    expect(await read(wds, ref)).toEqual(stored);
  });

  it('is a conflict when the resourceVersion is stale', async () => {
    const { ref, stale, stored } = await deploymentWithStatus('delete-stale');
    const uid = at(stored, 'metadata', 'uid') ?? null;
    const answer = await deleteIf(ref, { uid, resourceVersion: stale });
    expect([answer.status, answer.body['reason']]).toEqual([409, 'Conflict']);
    expect(await read(wds, ref)).toEqual(stored);
  });

  it('deletes when both are of the object', async () => {
    const { ref, current, stored } = await deploymentWithStatus('delete-both');
    const uid = at(stored, 'metadata', 'uid') ?? null;
    expect((await deleteIf(ref, { uid, resourceVersion: current })).status).toBe(200);
    expect(await read(wds, ref)).toBeUndefined();
  });
});

describe('a kind without a status subresource', () => {
  it('has no /status to patch', async () => {
    const manifest = configMap({ namespace, name: 'no-subresource' });
    const change = { resourceVersion: versionOf(await create(manifest)), status: {} };
    const { status } = await replaceStatus(`${pathOf(manifest.ref)}/status`, change);
    expect(status).toBe(404);
  });

  it('ignores a patch of its status where its schema has none', async () => {
    const manifest = configMap({ namespace, name: 'no-status' });
    const created = await create(manifest);
    const change = { resourceVersion: versionOf(created), status: { phase: 'Ready' } };
    const { status, body } = await replaceStatus(pathOf(manifest.ref), change);
    expect([status, body]).toEqual([200, created]);
  });

  it('takes an exact status by a patch of the object where its schema has one, on the resourceVersion', async () => {
    const ref = await createWidget('w');
    const first = versionOf(await read(wds, ref));
    const written = await replaceStatus(pathOf(ref), {
      resourceVersion: first,
      status: { phase: 'Pending', ready: 1 },
    });
    expect([written.status, written.body['status']]).toEqual([200, { phase: 'Pending', ready: 1 }]);
    const status = { phase: 'Ready' };
    const stale = await replaceStatus(pathOf(ref), { resourceVersion: first, status });
    expect(stale.status).toBe(409);
    const resourceVersion = versionOf(written.body);
    const { body } = await replaceStatus(pathOf(ref), { resourceVersion, status });
    expect(body['status']).toEqual(status);
    // Without the subresource a status is content like any other: each change is a new generation.
    expect(at(body, 'metadata', 'generation')).toBe(3);
  });
});

/** A custom resource whose kind has a status field and no status subresource. */
async function createWidget(name: string): Promise<ObjectRef> {
  const group = 'e2e.starfold.dev';
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: open, status: open } };
  const crd = {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    resource: 'customresourcedefinitions',
    namespace: '',
    name: `widgets.${group}`,
  };
  await apply(wds, crd, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crd.name },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  const ref = { group, version: 'v1', resource: 'widgets', namespace, name };
  const object = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name }, spec: {} };
  // The new resource is served a moment after its definition is accepted.
  await expect.poll(() => apply(wds, ref, object).then(() => 'created', String)).toBe('created');
  return ref;
}
