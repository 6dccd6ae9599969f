import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, isObject, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { entriesAt, get, objectAt, send } from './http-client.ts';

const V2 = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
const BINDINGS = new URL('../../../../infra/crds/bindings.yaml', import.meta.url);

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ name: 'wds1' });
});

afterAll(() => cluster.close());

/** The schema that `kubectl explain` looks for, and those it leads to. */
async function schemasOf(path: string, kind: string) {
  const { body } = await get(`${cluster.url}/openapi/v3/${path}`);
  const schemas = objectAt(body, 'components', 'schemas');
  const own = Object.values(schemas).find((schema) =>
    entriesAt(schema, 'x-kubernetes-group-version-kind').some((one) => at(one, 'kind') === kind),
  );
  return { schemas, own };
}

/** The schema at the end of a path of fields, through references and lists. */
function fieldAt(schemas: JsonObject, from: JsonValue | undefined, ...path: readonly string[]) {
  const resolved = (schema: JsonValue | undefined): JsonValue | undefined => {
    const [reference] = isObject(schema) ? entriesAt(schema, 'allOf') : [];
    const name = String(at(reference, '$ref') ?? '').replace('#/components/schemas/', '');
    return name === '' ? schema : schemas[name];
  };
  let schema = resolved(from);
  for (const field of path) {
    const items = at(schema, 'items');
    schema = resolved(at(resolved(items ?? schema), 'properties', field));
  }
  return schema;
}

describe('the OpenAPI of a simulated cluster', () => {
  it('has the fields of the kinds that come with Kubernetes', async () => {
    const { schemas, own } = await schemasOf('apis/apps/v1', 'Deployment');
    expect(fieldAt(schemas, own, 'spec', 'replicas')).toEqual({ type: 'integer' });
    const container = ['spec', 'template', 'spec', 'containers'];
    expect(fieldAt(schemas, own, ...container, 'image')).toEqual({ type: 'string' });
    expect(fieldAt(schemas, own, 'metadata', 'labels')).toEqual({
      type: 'object',
      additionalProperties: { type: 'string' },
    });
    expect(fieldAt(schemas, own, 'status', 'conditions', 'lastUpdateTime')).toEqual({
      type: 'string',
      format: 'date-time',
    });
  });

  it('has no reference that leads nowhere', async () => {
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/apiextensions.k8s.io/v1']) {
      const { body } = await get(`${cluster.url}/openapi/v3/${path}`);
      const names = Object.keys(objectAt(body, 'components', 'schemas'));
      const references = JSON.stringify(body).matchAll(/#\/components\/schemas\/([\w.-]+)/g);
      const led = [...new Set([...references].map(([, name]) => name ?? ''))];
      expect(led.length).toBeGreaterThan(10);
      expect(led.filter((name) => !names.includes(name))).toEqual([]);
    }
  });

  it('has the schema and the columns of a CustomResourceDefinition', async () => {
    const crds = `${cluster.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
    const crd = parse(readFileSync(BINDINGS, 'utf8')) as JsonObject;
    expect((await send(crds, 'POST', { body: crd })).code).toBe(201);
    const { schemas, own } = await schemasOf('apis/control.kubestellar.io/v1alpha1', 'Binding');
    expect(at(fieldAt(schemas, own, 'spec', 'destinations'), 'description')).toBe(
      'The WECs that the workload goes to.',
    );
    expect(fieldAt(schemas, own, 'metadata', 'name')).toEqual({ type: 'string' });
    const bindings = `${cluster.url}/apis/control.kubestellar.io/v1alpha1/bindings`;
    const body = { metadata: { name: 'b' }, spec: {} };
    await send(bindings, 'POST', { body });
    const conditions = ['Other', 'StatusCollectorsAvailable'].map((type, index) => ({
      type,
      status: index === 1 ? 'True' : 'False',
      reason: '',
      message: '',
      lastTransitionTime: '2026-11-25T12:00:00Z',
    }));
    const contentType = 'application/merge-patch+json';
    await send(`${bindings}/b/status`, 'PATCH', {
      body: { status: { observedGeneration: 1, conditions } },
      contentType,
    });
    const table = (await get(bindings, 'application/json;as=Table;v=v1;g=meta.k8s.io')).body;
    expect(entriesAt(table, 'columnDefinitions').map((column) => at(column, 'name'))).toEqual([
      ...['Name', 'Collectors', 'Error', 'Age'],
    ]);
    expect(at(entriesAt(table, 'rows')[0], 'cells')).toEqual([
      'b',
      'True',
      null,
      expect.stringMatching(/^\d+s$/),
    ]);
  });

  it.each(['Binding', 'BindingPolicy', 'StatusCollector', 'CombinedStatus'])(
    'has the schema of %s before anything is applied',
    async (kind) => {
      const { url, close } = await startSimulatedCluster({ name: 'empty' });
      const { body } = await get(`${url}/openapi/v3/apis/control.kubestellar.io/v1alpha1`);
      await close();
      const names = Object.keys(objectAt(body, 'components', 'schemas'));
      expect(names).toContain(`io.kubestellar.control.v1alpha1.${kind}`);
    },
  );

  it('is told in version 2 as kubectl reads it: a document without kinds', async () => {
    const response = await fetch(`${cluster.url}/openapi/v2`, { headers: { accept: V2 } });
    expect(response.headers.get('content-type')).toBe(V2.replace('@', '.'));
    // Fields 1 (`swagger`) and 2 (`info`, with 1 `title` and 2 `version`), each with its length.
    const info = [0x0a, 26, ...Buffer.from('Starfold simulated cluster')];
    const version = [0x12, 7, ...Buffer.from('v1.36.3')];
    const swagger = [0x0a, 3, ...Buffer.from('2.0')];
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([
      ...swagger,
      ...[0x12, info.length + version.length, ...info, ...version],
    ]);
    expect((await get(`${cluster.url}/openapi/v2`)).body).toMatchObject({ swagger: '2.0' });
  });
});
