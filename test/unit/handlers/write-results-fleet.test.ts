import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { localContext } from '#local/stack/poller.ts';
import type { FleetResult } from '#shared/core/fleet/fleet-result.ts';
import { at, type JsonObject, type JsonValue, stringifyJson } from '#shared/core/json.ts';
import { type FleetSubject, subjectPartition } from '#shared/core/subject.ts';
import { encodeHint } from '#shared/messages/dirty.ts';
import { readDifferences } from '#shared/state/fleet/differences.ts';
import { markListed } from '#shared/state/fleet/listed.ts';
import { putHead, putResult } from '#shared/state/head.ts';
import { type HttpApiServer, json, startHttpApiServer } from '#test/fakes/http-api-server.ts';
import { bundle } from '#test/unit/fleet/fixtures/objects.ts';
import { Deployment, TABLE_ARN } from './deployment.ts';

const API = '/apis/fleet.cattle.io/v1alpha1';
const SHOP = `${API}/namespaces/fleet-default/bundles/shop`;
const PLACE = {
  kubeconfig: 'ssm:/starfold/wds1/kubeconfig',
  allow: { plainHttp: true, loopback: true },
};

let server: HttpApiServer;
let deployment: Deployment;
/** Bodies of the requests that write. */
let written: JsonValue[];

beforeAll(async () => {
  server = await startHttpApiServer();
  server.answer = ({ line, body }, response) => {
    const [method = '', path = ''] = line.split(' ');
    if (path.includes('selfsubjectaccessreviews'))
      return json(response, { status: { allowed: true } }, 201);
    if (method === 'PATCH') written.push(JSON.parse(body));
    if (path.includes('/leases')) return json(response, { spec: { holderIdentity: TABLE_ARN } });
    if (path.startsWith(SHOP)) return json(response, bundle());
    const resources = ['bundles', 'bundles/status'].map((name) => ({ name, kind: 'Bundle' }));
    return json(response, { kind: 'APIResourceList', groupVersion: 'x', resources });
  };
  deployment = await Deployment.start('write-results', server.kubeConfig().exportConfig());
});

afterAll(async () => {
  await deployment.close();
  await server.close();
});

async function handlerIn(mode: string) {
  vi.resetModules();
  vi.stubEnv('WDS_KUBECONFIGS', '{}');
  vi.stubEnv('FLEET_KUBECONFIGS', JSON.stringify({ rancher: PLACE }));
  vi.stubEnv('FLEET_MODE', mode);
  written = [];
  return (await import('#functions/write-results/handler.ts')).handler;
}

/** A Bundle has a result, and the function is told. */
async function want(mode: string): Promise<readonly string[]> {
  const subject: FleetSubject = {
    type: 'fleet',
    upstream: 'rancher',
    resource: 'bundles',
    namespace: 'fleet-default',
    name: 'shop',
  };
  const result: FleetResult = { resource: 'bundles', parts: [], targetErrors: [] };
  const pk = subjectPartition(subject);
  await markListed(deployment.store, 'rancher', { epoch: 1, sequence: 0 });
  // A FleetResult is plain JSON.
  const text = stringifyJson(result as unknown as JsonObject);
  const resultChunks = await putResult(deployment.store, pk, { revision: 1, hash: mode, text });
  const head = {
    shards: 1,
    layoutRevision: 0,
    consumed: {},
    errorBindings: [],
    resultRevision: 1,
    resultChunks,
  };
  await putHead(deployment.store, pk, { ...head, revision: 1, hash: mode });
  await deployment.queue('HintsQueue').send([encodeHint({ subject, objects: [] }, mode)]);
  return deployment.feed(await handlerIn(mode), 'HintsQueue');
}

describe('write-results, put together for Fleet alone', () => {
  it('compares without writing', async () => {
    expect(await want('compare')).toEqual([]);
    expect(written).toEqual([]);
    const { objects } = await readDifferences(deployment.store, 'rancher');
    expect(objects).toMatchObject([{ subject: { name: 'shop' } }]);
  });

  it('writes the status to the management cluster whose kubeconfig lies in Parameter Store', async () => {
    await deployment.store.delete([
      { key: { pk: 'F#rancher/bundles/fleet-default/shop', sk: 'HEAD' } },
    ]);
    expect(await want('write')).toEqual([]);
    expect(written).toHaveLength(1);
    expect(at((written[0] as JsonObject[])[1], 'path')).toBe('/status');
  });

  it('answers whether it reaches the management cluster, and in which mode', async () => {
    const handler = await handlerIn('write');
    const checks = await handler({ task: 'check-wdses' }, localContext('write-results', 'request'));
    expect(checks).toEqual([{ upstream: 'rancher', mode: 'write', reachable: true, missing: [] }]);
  });

  it('rejects another mode', async () => {
    await expect(handlerIn('read')).rejects.toThrow('FLEET_MODE');
  });
});
