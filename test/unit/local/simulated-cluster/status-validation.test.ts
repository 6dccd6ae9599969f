import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { at, type JsonObject, type JsonValue } from '#shared/core/json.ts';
import { deployment, get, problem, send } from './http-client.ts';

const STANDING = {
  replicas: 5,
  updatedReplicas: 5,
  readyReplicas: 5,
  availableReplicas: 5,
  observedGeneration: 1,
};

let cluster: SimulatedCluster;

beforeAll(async () => {
  cluster = await startSimulatedCluster({ name: 'wec1' });
});

afterAll(() => cluster.close());

async function create(url: string, object: JsonObject, status?: JsonObject): Promise<string> {
  const answer = await send(url, 'POST', { body: object });
  expect(answer.code).toBe(201);
  const own = `${url}/${at(answer.body, 'metadata', 'name')}/status`;
  if (status !== undefined) expect((await patch(own, status)).code).toBe(200);
  return own;
}

function patch(url: string, status: JsonValue) {
  const contentType = 'application/merge-patch+json';
  return send(url, 'PATCH', { body: { status }, contentType });
}

describe('a status that is written into a simulated cluster', () => {
  it('is refused where the counters of a Deployment contradict each other', async () => {
    const url = `${cluster.url}/apis/apps/v1/namespaces/default/deployments`;
    const own = await create(url, deployment('web'), STANDING);
    expect(problem(await patch(own, { readyReplicas: 2 }))).toBe(
      '422 Invalid: Deployment.apps "web" is invalid: status.availableReplicas: Invalid value: 5: cannot be greater than status.readyReplicas',
    );
    expect(at((await get(own)).body, 'status')).toEqual(STANDING);
    const lower = { readyReplicas: 2, availableReplicas: 2 };
    expect(at((await patch(own, lower)).body, 'status')).toEqual({ ...STANDING, ...lower });
  });

  it('is refused where a Job would have fewer succeeded Pods than before', async () => {
    const url = `${cluster.url}/apis/batch/v1/namespaces/default/jobs`;
    const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'load' }, spec: {} };
    const own = await create(url, job, { succeeded: 1 });
    const answer = await patch(own, { succeeded: 0 });
    expect(answer.code).toBe(422);
    expect(at(answer.body, 'details', 'causes')).toMatchObject([{ field: 'status.succeeded' }]);
  });

  it.each<[string, JsonValue, string]>([
    [
      'a text in place of a counter',
      { readyReplicas: 'two' },
      'status.readyReplicas must be an integer, not a string',
    ],
    ['a fraction', { replicas: 1.5 }, 'status.replicas must be an integer, not a number'],
    [
      'a number in place of a type',
      { conditions: [{ type: 1 }] },
      'status.conditions[0].type must be a string, not a number',
    ],
    [
      'a map in place of the conditions',
      { conditions: {} },
      'status.conditions must be a list, not an object',
    ],
    [
      'a time that is none',
      { conditions: [{ lastUpdateTime: 'noon' }] },
      'status.conditions[0].lastUpdateTime must be a time (RFC 3339), not a string',
    ],
    ['a text', 'Healthy', 'status must be an object, not a string'],
  ])('cannot be %s', async (name, status, fault) => {
    const url = `${cluster.url}/apis/apps/v1/namespaces/default/deployments`;
    const own = await create(url, deployment(name.replace(/\W+/g, '-').toLowerCase()));
    expect(problem(await patch(own, status))).toBe(
      `400 BadRequest: Deployment in version "v1" cannot be handled as a Deployment: ${fault}`,
    );
  });

  it('may hold a quantity that is written as a number', async () => {
    const url = `${cluster.url}/api/v1/namespaces/default/persistentvolumeclaims`;
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } };
    const own = await create(url, { ...claim, spec: {} });
    expect((await patch(own, { capacity: { storage: 5 } })).code).toBe(200);
  });

  it('is checked by the schema of a kind that does not come with Kubernetes', async () => {
    const url = `${cluster.url}/apis/control.kubestellar.io/v1alpha1/bindings`;
    const binding = { apiVersion: 'control.kubestellar.io/v1alpha1', kind: 'Binding' };
    const own = await create(url, { ...binding, metadata: { name: 'b' }, spec: {} });
    expect(problem(await patch(own, { observedGeneration: 1, errors: 3 }))).toBe(
      '422 Invalid: Binding.control.kubestellar.io "b" is invalid: status.errors: Invalid value: "integer": status.errors in body must be of type array: "integer"',
    );
    expect((await patch(own, { observedGeneration: 1, errors: ['a'] })).code).toBe(200);
  });
});
