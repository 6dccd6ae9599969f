import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  refusals,
  type StatusRefusal,
} from '#local/simulated-cluster/status-validation/status-validation.ts';
import type { JsonObject } from '#shared/core/json.ts';
import { writableStatus } from '#shared/core/status/writable/writable-status.ts';
import type { StatusWrites } from '#test/property/status/status-write-kind.ts';
import { casesOf, STATUS_WRITES } from '#test/property/status/status-writes.ts';
import { type Answer, clusters, createNamespace, JSON_PATCH, request } from './clusters.ts';

const namespace = 'status-model';
const NUM_CASES = 60;
const CASES_SEED = 1;
const { wds } = clusters();

beforeAll(() => createNamespace(wds, namespace));

const COLLECTIONS: Readonly<Record<string, string>> = {
  Job: '/apis/batch/v1/namespaces/status-model/jobs',
  Pod: '/api/v1/namespaces/status-model/pods',
  Service: '/api/v1/namespaces/status-model/services',
  Deployment: '/apis/apps/v1/namespaces/status-model/deployments',
  StatefulSet: '/apis/apps/v1/namespaces/status-model/statefulsets',
  DaemonSet: '/apis/apps/v1/namespaces/status-model/daemonsets',
  ReplicaSet: '/apis/apps/v1/namespaces/status-model/replicasets',
};

const labels = { app: 'web' };

function template(restartPolicy: string): JsonObject {
  const containers = [{ name: 'main', image: 'registry.example/main:1' }];
  return { metadata: { labels }, spec: { restartPolicy, containers } };
}

/** The spec of a case with what an API server demands besides. */
function completeSpec(kind: string, spec: JsonObject): JsonObject {
  const { replicas = null, ...rest } = spec;
  switch (kind) {
    case 'Pod':
      return spec;
    case 'Job':
      return { ...spec, template: template('Never') };
    case 'Service':
      return { ...spec, selector: labels, ports: [{ port: 80 }] };
    case 'DaemonSet':
      return { ...rest, selector: { matchLabels: labels }, template: template('Always') };
    default:
      return {
        ...rest,
        replicas,
        ...(kind === 'StatefulSet' ? { serviceName: 'web' } : {}),
        selector: { matchLabels: labels },
        template: template('Always'),
      };
  }
}

async function create({ apiVersion, kind }: StatusWrites, name: string, spec: JsonObject) {
  const metadata = { name };
  const body = { apiVersion, kind, metadata, spec: completeSpec(kind, spec) };
  const answer = await request(wds, { method: 'POST', path: COLLECTIONS[kind] ?? '', body });
  expect(answer.body).toMatchObject({ kind, metadata });
  return answer.body;
}

function write(kind: string, name: string, value: JsonObject): Promise<Answer> {
  const path = `${COLLECTIONS[kind]}/${name}/status`;
  const body = [{ op: 'replace', path: '/status', value }];
  return request(wds, { method: 'PATCH', path, body, type: JSON_PATCH });
}

/** Answers to a write that the model refuses so; it has the stricter rule of two versions of Kubernetes. */
function codesFor(refused: readonly StatusRefusal[]): readonly number[] {
  if (refused.length === 0) return [200];
  const isDebatable = refused.every(
    ({ field, message }) => field === 'status.startTime' && message.includes('immutable'),
  );
  return isDebatable ? [200, 422] : [422];
}

describe.each(STATUS_WRITES)('a status that is written into a $kind', (writes) => {
  const { kind } = writes;
  const cases = fc.sample(casesOf(writes), { numRuns: NUM_CASES, seed: CASES_SEED });

  it('is refused as the model of the API server says, and taken when it is made writable', async () => {
    for (const [
      index,
      {
        object: { spec },
        stored,
        desired,
      },
    ] of cases.entries()) {
      const name = `case-${index}`;
      // Each case has a spec.
      let object = await create(writes, name, spec as JsonObject);
      for (const status of [stored, desired]) {
        const answer = await write(kind, name, status);
        const refused = refusals(object, status);
        expect(codesFor(refused), JSON.stringify({ status, refused })).toContain(answer.status);
        const made = writableStatus(object, status, object['status']);
        const { status: code, body } = await write(kind, name, made.status);
        expect({ made, code }).toMatchObject({ code: 200 });
        object = body;
      }
    }
  });
});
