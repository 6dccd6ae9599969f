import { afterAll, describe, expect, it } from 'vitest';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import type { ObjectRef } from '#shared/ports/kubernetes-api.ts';
import { collectorFiles } from '#test/unit/infra/collector-examples.ts';
import { apply, clusters, collectionPath, kubectl, request, requestOk } from './clusters.ts';

const { wds } = clusters();
const apiVersion = 'control.kubestellar.io/v1alpha1';

const refOf = (resource: string, name: string, namespace = ''): ObjectRef => ({
  group: 'control.kubestellar.io',
  version: 'v1alpha1',
  resource,
  namespace,
  name,
});

/** Creates an object as kubectl does: unknown fields are refused. Returns the HTTP status code and the answer. */
function create(ref: ObjectRef, object: JsonObject) {
  const path = `${collectionPath(ref, ref.namespace)}?fieldValidation=Strict`;
  const body = { apiVersion, metadata: { name: ref.name }, ...object };
  return request(wds, { method: 'POST', path, body });
}

const createPolicy = (name: string, clause: JsonObject) =>
  create(refOf('bindingpolicies', name), {
    kind: 'BindingPolicy',
    spec: { clusterSelectors: [{ matchLabels: { 'location-group': 'edge' } }], downsync: [clause] },
  });

const selection = { objectSelectors: [{ matchLabels: { 'app.kubernetes.io/name': 'nginx' } }] };

// Some of the policies select objects of every resource, and a resolver of Bindings waits until it has listed them.
afterAll(async () => {
  const clusterScoped = ['bindingpolicies', 'statuscollectors', 'bindings'];
  const collections = clusterScoped.map((resource) => refOf(resource, ''));
  for (const ref of [...collections, refOf('combinedstatuses', '', 'default')])
    await requestOk(wds, { method: 'DELETE', path: collectionPath(ref, ref.namespace) });
});

describe('BindingPolicy', () => {
  it('takes a clause with collectors and both want-flags', async () => {
    const modulation = {
      createOnly: true,
      statusCollectors: ['count-wecs'],
      wantSingletonReportedState: true,
      wantMultiWECReportedState: true,
    };
    const { status, body } = await createPolicy('takes', { ...selection, ...modulation });
    expect(status).toBe(201);
    expect(at(body, 'spec', 'downsync')).toEqual([{ ...selection, ...modulation }]);
  });

  it('refuses the nested statusCollection of older documents', async () => {
    const nested = { statusCollection: { statusCollectors: ['count-wecs'] } };
    const { status, body } = await createPolicy('nested', { ...selection, ...nested });
    expect(status).toBe(400);
    expect(body['message']).toContain('unknown field "spec.downsync[0].statusCollection"');
  });

  it('refuses a clause that selects nothing in particular', async () => {
    const { status } = await createPolicy('no-selection', { wantMultiWECReportedState: true });
    expect(status).toBe(422);
  });

  it.each([
    { apiGroup: '' },
    { resources: ['*'] },
    { namespaces: [] },
    { namespaceSelectors: [{}] },
    { objectNames: ['a'] },
  ])('takes the selection %o', async (clause) => {
    const name = `selects-${Object.keys(clause).join().toLowerCase()}`;
    expect((await createPolicy(name, clause)).status).toBe(201);
  });

  it.each([
    { what: 'an unknown operator', selector: { key: 'a', operator: 'Is', values: ['b'] } },
    { what: 'a key that is none', selector: { key: 'a b', operator: 'Exists' } },
    { what: 'a value that is none', selector: { key: 'a', operator: 'In', values: ['a:b'] } },
  ])('refuses a cluster selector with $what', async ({ selector }) => {
    const { status } = await create(refOf('bindingpolicies', 'selector'), {
      kind: 'BindingPolicy',
      spec: { clusterSelectors: [{ matchExpressions: [selector] }] },
    });
    expect(status).toBe(422);
  });
});

describe('Binding', () => {
  const object = { group: 'apps', version: 'v1', resource: 'deployments', resourceVersion: '1' };
  const createBinding = (name: string, spec: JsonObject) =>
    create(refOf('bindings', name), { kind: 'Binding', spec });

  it('takes destinations and references with their modulations', async () => {
    const spec = {
      destinations: [{ clusterId: 'wec1' }, { clusterId: 'wec2' }],
      workload: {
        clusterScope: [
          { group: '', version: 'v1', resource: 'namespaces', name: 'n', resourceVersion: '1' },
        ],
        namespaceScope: [
          { ...object, namespace: 'n', name: 'd', statusCollectors: ['count-wecs'] },
          { ...object, namespace: 'n', name: 'e', wantMultiWECReportedState: true },
        ],
      },
    };
    const { status, body } = await createBinding('takes', spec);
    expect([status, body['spec']]).toEqual([201, spec]);
  });

  it.each([
    {
      what: 'the nested statusCollection in a reference',
      spec: {
        workload: {
          namespaceScope: [{ ...object, namespace: 'n', name: 'd', statusCollection: {} }],
        },
      },
      code: 400,
    },
    {
      what: 'a reference without its namespace',
      spec: { workload: { namespaceScope: [{ ...object, name: 'd' }] } },
      code: 422,
    },
    {
      what: 'a destination twice',
      spec: { destinations: [{ clusterId: 'wec1' }, { clusterId: 'wec1' }] },
      code: 422,
    },
  ])('refuses $what', async ({ spec, code }) => {
    expect((await createBinding('refused', spec)).status).toBe(code);
  });

  it.each([
    { what: 'without observedGeneration', status: { errors: ['x'] }, code: 422 },
    {
      what: 'with a condition that lacks its reason and times',
      status: { observedGeneration: 1, conditions: [{ type: 'A', status: 'True' }] },
      code: 422,
    },
    {
      what: 'with a whole condition and errors',
      status: {
        observedGeneration: 1,
        errors: ['x'],
        conditions: [
          {
            type: 'StatusCollectorsAvailable',
            status: 'False',
            lastTransitionTime: '2026-01-01T00:00:00Z',
            reason: 'ReconcileError',
            message: 'Missing StatusCollector(s) [a]',
          },
        ],
      },
      code: 200,
    },
  ])('answers $code to a status $what', async ({ status, code }) => {
    const ref = refOf('bindings', 'status');
    await apply(wds, ref, { apiVersion, kind: 'Binding', metadata: { name: ref.name } });
    const answer = await request(wds, {
      method: 'PATCH',
      path: `${collectionPath(ref)}/${ref.name}/status`,
      body: { status },
      type: 'application/merge-patch+json',
    });
    expect(answer.status).toBe(code);
  });
});

describe('StatusCollector', () => {
  const createCollector = (name: string, spec: JsonObject) =>
    create(refOf('statuscollectors', name), { kind: 'StatusCollector', spec });

  it('has a limit of 20 where none is given', async () => {
    const spec = { select: [{ name: 'wec', def: 'inventory.name' }] };
    const { body } = await createCollector('default-limit', spec);
    expect(body['spec']).toEqual({ ...spec, limit: 20 });
  });

  it('keeps a limit that is given', async () => {
    const spec = { combinedFields: [{ name: 'count', type: 'COUNT' }], limit: 10 };
    expect((await createCollector('own-limit', spec)).body['spec']).toEqual(spec);
  });

  it.each(collectorFiles())('takes $name of the library as it is', async ({ name, object }) => {
    const applied = await apply(wds, refOf('statuscollectors', name), object);
    expect(applied['spec']).toEqual(object['spec']);
  });

  it('takes expressions of the older form, and one of them alone as select', async () => {
    const path = { op: 'Path', path: '$.spec.replicas' };
    const filter = { op: 'Not', args: [{ op: 'Equal', args: [path, 3, 1.5, null, "'a'"] }] };
    const aggregate = {
      filter,
      groupBy: [{ name: 'a', def: path }],
      combinedFields: [{ name: 'b', type: 'SUM', subject: path }],
      limit: 5,
    };
    const selections = [
      { select: { op: 'Path', path: '$.inventory.name' }, limit: 5 },
      {
        filter: { op: 'Path', path: '$.propagation.stale' },
        select: [{ name: 'a', def: path }],
        limit: 5,
      },
    ];
    for (const [index, spec] of [aggregate, ...selections].entries()) {
      const { status, body } = await createCollector(`older-form-${index}`, spec);
      expect([status, body['spec']]).toEqual([201, spec]);
    }
  });

  it.each([
    ['a limit that is a text', { limit: '5' }],
    ['a column without a name', { groupBy: [{ def: '1' }] }],
    ['a column without an expression', { groupBy: [{ name: 'a' }] }],
    ['an aggregation without a type', { combinedFields: [{ name: 'a' }] }],
  ])('refuses %s', async (_what, spec) => {
    expect((await createCollector('refused', spec)).status).toBe(422);
  });

  it('takes a spec that contradicts itself: its status tells', async () => {
    const spec = { groupBy: [{ name: 'a', def: ')' }], select: [{ name: 'a', def: '1' }] };
    expect((await createCollector('contradiction', spec)).status).toBe(201);
  });
});

describe('CombinedStatus', () => {
  const createStatus = (name: string, columns: JsonValue) =>
    create(refOf('combinedstatuses', name, 'default'), {
      kind: 'CombinedStatus',
      results: [{ name: 'all', columnNames: ['a'], rows: [{ columns }] }],
    });

  it('keeps values of every type, nulls inside included', async () => {
    const columns = [
      { type: 'String', string: '' },
      { type: 'Number', float: '+Inf' },
      { type: 'Bool', bool: false },
      { type: 'Null' },
      { type: 'Object', object: { a: null, b: { c: [1, null] } } },
      { type: 'Array', array: [1, 1.5, null, 'a', [null], { b: null }] },
    ];
    const { status, body } = await createStatus('values', columns);
    expect([status, body['message']]).toEqual([201, undefined]);
    expect(body['results']).toMatchObject([{ rows: [{ columns }] }]);
  });

  it('refuses a value of no known type', async () => {
    expect((await createStatus('type', [{ type: 'Date', string: 'x' }])).status).toBe(422);
  });

  it('has no status subresource', async () => {
    const ref = refOf('combinedstatuses', 'no-status', 'default');
    await create(ref, { kind: 'CombinedStatus' });
    const path = `${collectionPath(ref, 'default')}/${ref.name}/status`;
    expect((await request(wds, { method: 'GET', path })).status).toBe(404);
  });

  it('is listed by kubectl with its object and policy', async () => {
    const ref = refOf('combinedstatuses', 'listed', 'default');
    const prefix = 'status.kubestellar.io';
    const labels = {
      [`${prefix}/resource`]: 'deployments',
      [`${prefix}/name`]: 'nginx',
      [`${prefix}/binding-policy`]: 'edge',
    };
    await create(ref, { kind: 'CombinedStatus', metadata: { name: ref.name, labels } });
    const listed = await kubectl('wds', ['get', 'combinedstatus', 'listed', '--no-headers']);
    expect(listed.split(/\s+/).slice(0, 4)).toEqual(['listed', 'deployments', 'nginx', 'edge']);
  });
});

describe('kubectl', () => {
  it.each(['bdg', 'bp', 'sc'])('knows the short name %s', async (shortName) => {
    await expect(kubectl('wds', ['get', shortName])).resolves.toBeDefined();
  });

  it('takes the short name cs for ComponentStatus, which is older', async () => {
    const names = await kubectl('wds', ['get', 'cs', '-o', 'name']);
    expect(names).toContain('componentstatus/');
  });

  it('shows the first error of a Binding, with -o wide', async () => {
    const ref = refOf('bindings', 'erring');
    await apply(wds, ref, { apiVersion, kind: 'Binding', metadata: { name: ref.name } });
    const path = `${collectionPath(ref)}/${ref.name}/status`;
    const status = { observedGeneration: 1, errors: ['first error', 'second'] };
    const type = 'application/merge-patch+json';
    await request(wds, { method: 'PATCH', path, body: { status }, type });
    const listed = await kubectl('wds', ['get', 'bdg', 'erring', '-o', 'wide', '--no-headers']);
    expect(listed).toContain('first error');
    expect(listed).not.toContain('second');
  });
});
