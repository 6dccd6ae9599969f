import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type SimulatedCluster,
  startSimulatedCluster,
} from '#local/simulated-cluster/simulated-cluster.ts';
import { localContext } from '#local/stack/poller.ts';
import type { DesiredWorkload } from '#shared/core/desired/workload-fold.ts';
import { stringifyJson } from '#shared/core/json.ts';
import { type Subject, subjectPartition } from '#shared/core/subject.ts';
import { encodeHint, parseDirty } from '#shared/messages/dirty.ts';
import { putHead, putResult } from '#shared/state/head.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { Deployment, STAGE } from './deployment.ts';

const DEPLOYMENTS = '/apis/apps/v1/namespaces/shop/deployments';
const REVIEWS = 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const STATUS = { replicas: 3, readyReplicas: 2 };

let wds: SimulatedCluster;
let server: HttpApiServer;
let deployment: Deployment;
let handler: typeof import('#functions/write-results/handler.ts').handler;

type Request = Parameters<HttpApiServer['answer']>[0];

/** The simulated cluster, and what it lacks: access reviews, and an object whose status it does not take. */
async function answer({ line, headers, body }: Request, response: ServerResponse): Promise<void> {
  const [method = '', path = ''] = line.split(' ');
  if (line.startsWith(REVIEWS)) {
    const { spec } = JSON.parse(body);
    const allowed = spec.resourceAttributes.resource !== 'statuscollectors';
    return json(response, { status: { allowed } }, 201);
  }
  if (method !== 'GET' && path.startsWith(`${DEPLOYMENTS}/refused/status`)) {
    const message = 'Deployment.apps "refused" is invalid';
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid' };
    return json(response, { ...status, code: 422, message }, 422);
  }
  const type = { 'content-type': headers['content-type'] ?? 'application/json' };
  const sent = body === '' ? {} : { body, headers: type };
  const answered = await fetch(`${wds.url}${path}`, { method, ...sent });
  json(response, await answered.text(), answered.status);
}

beforeAll(async () => {
  wds = await startSimulatedCluster({ name: 'wds1' });
  server = await startHttpApiServer();
  server.answer = answer;
  deployment = await Deployment.start('write-results', server.kubeConfig().exportConfig());
  ({ handler } = await import('#functions/write-results/handler.ts'));
});

afterAll(async () => {
  await deployment.close();
  await server.close();
  await wds.close();
});

/** A Deployment stands in the WDS, its status is wanted, and the function is told. */
async function want(name: string): Promise<readonly string[]> {
  const metadata = { name, namespace: 'shop', uid: name, generation: 1 };
  const spec = { replicas: 3 };
  wds.apply({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec });
  const workload = { wds: 'wds1', group: 'apps', resource: 'deployments', namespace: 'shop', name };
  const subject: Subject = { type: 'workload', workload };
  const desired: DesiredWorkload = {
    version: 'v1',
    status: { type: 'status', status: STATUS, labels: {} },
    combinedStatuses: [],
    bindings: ['all'],
  };
  const pk = subjectPartition(subject);
  const result = { revision: 1, hash: 'h', text: stringifyJson({ ...desired }) };
  const resultChunks = await putResult(deployment.store, pk, result);
  const head = {
    shards: 1,
    layoutRevision: 0,
    consumed: {},
    errorBindings: [],
    resultRevision: 1,
    resultChunks,
  };
  await putHead(deployment.store, pk, { ...head, revision: 1, hash: 'h' });
  await deployment.queue('HintsQueue').send([encodeHint({ subject, objects: [] }, 'test')]);
  return deployment.feed(handler, 'HintsQueue');
}

async function statusOf(name: string): Promise<unknown> {
  const answered = await fetch(`${wds.url}${DEPLOYMENTS}/${name}`);
  return JSON.parse(await answered.text()).status;
}

describe('write-results, as it is put together', () => {
  it('writes what is desired to the WDS whose kubeconfig lies in Parameter Store', async () => {
    expect(await want('web')).toEqual([]);
    expect(await statusOf('web')).toEqual(STATUS);
    expect(await deployment.take('DirtyQueue')).toEqual([]);
    expect(deployment.output()).toContainEqual(
      expect.objectContaining({ service: 'write-results', stage: STAGE }),
    );
  });

  it('notifies the aggregator of rejections of the WDS', async () => {
    expect(await want('refused')).toEqual([]);
    expect(await statusOf('refused')).toBeUndefined();
    const subject: Subject = { type: 'binding', wds: 'wds1', name: 'all' };
    const dirty = await deployment.read('DirtyQueue', parseDirty);
    expect(dirty).toEqual([{ type: 'subject', subject }]);
    expect(await deployment.take('HintsQueue')).toEqual([]);
  });

  it('answers which WDSes it reaches, and what it may not do there', async () => {
    const checks = await handler({ task: 'check-wdses' }, localContext('write-results', 'request'));
    const missing = ['get statuscollectors', 'patch statuscollectors'].map(
      (access) => `${access}.control.kubestellar.io${access.startsWith('get') ? '' : '/status'}`,
    );
    expect(checks).toEqual([{ wds: 'wds1', reachable: true, missing }]);
  });

  it('lets a message that it cannot handle come again after a second', async () => {
    const bad = { body: 'nonsense', group: 'g' };
    await deployment.queue('HintsQueue').send([bad]);
    expect(await deployment.feed(handler, 'HintsQueue')).toEqual([bad.body]);
    expect(await deployment.take('HintsQueue')).toEqual([]);
    deployment.clock = () => 1_000;
    expect(await deployment.take('HintsQueue')).toMatchObject([{ ...bad, receiveCount: 2 }]);
    expect(deployment.asked('ChangeMessageVisibilityBatch')).toEqual(['HintsQueue']);
  });
});
